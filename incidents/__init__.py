"""Recorded incidents: logs of real brokers and clients become runs.

- `logs`: from files to rows: what each recognised line says
- `facts`: from rows to the facts of a run
- `errors`: a log that can't be read
"""
