"""Tables and summaries of a run, with their columns, types and units.

- `columns`: what rows have; `frames`: rows as pandas tables, with pandas' names and types, and the list of all tables
- `ownership`, `members`, `commits`: one kind of row each; `metrics`: intervals joined, parts of a time, sums of rows
- `total`: how long partitions were unavailable, in all
- `summary`: a run in a few numbers, without pandas; `bounds`: whether logs support its total, and how far it may be off
- `why_unknown`: sentences on why a total is unknown
- `lag`: how far commits are behind, and when a partition had caught up; `measures`: by what choices are compared
- `comparison`: runs side by side; `sensitivity`: which parameter of a sweep matters
"""
