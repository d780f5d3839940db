"""Recorded incidents: logs of real brokers and clients become runs.

- `logs`: from files to rows: what each recognised line says
- `facts`: from rows to the facts of a run
- `tolerances`: how far apart lines may be that belong together
- `default_settings`: what is assumed of settings that no log shows
- `errors`: a log that can't be read
"""
