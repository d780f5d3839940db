"""Recorded incidents: logs of real brokers and clients become runs.

- `logs`: from files to rows: what each recognised line says
- `facts`: from rows to the facts of a run
- `sentences`: pieces of notes and error sentences
- `errors`: a log that can't be read
"""
