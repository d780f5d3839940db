"""Tables and summaries of a run, with their columns, types and units.

- `frames`: pandas tables with fixed columns and dtypes; intervals and rebalances as tables
- `metrics`: measures of the availability table: unavailable time, by label, cause or rebalance; the timeline
- `blame_tables`, `ownership`, `members`, `commits`: one kind of row each
- `summary`: a run in a few numbers, without pandas; `bounds`: whether logs support its total, and how far it may be off
- `why_unknown`: sentences on why a total is unknown
- `lag`: how far commits are behind, and when a partition had caught up; `measures`: by what choices are compared
- `comparison`: runs side by side; `sensitivity`: which parameter of a sweep matters
"""
