"""Recorded incidents: logs of real brokers and clients become runs.

- `exports/`: exports of log platforms, made into plain logs
- `logs/`: from files to rows: what each recognised line says
- `offsets_topic/`: from `__consumer_offsets` to rows
- `facts/`: from rows to the facts of a run
- `account/`: what lines prove of each member, on which `explain` rests
- `tolerances`: how far apart lines may be that belong together
- `default_settings`: what is assumed of settings that no log shows
- `errors`: a log that can't be read
"""
