"""Tables and summaries of a run, with their columns, types and units.

- `columns`: what rows have; `frames`: rows as pandas tables, with pandas' names and types, and the list of all tables
- `ownership`, `members`, `commits`: one kind of row each; `metrics`: intervals joined, parts of a time, sums of rows
- `total`: how long partitions were unavailable, in all
- `headline`: what every answer says of it: how long something was down, how many partitions, and the sum;
  `table_sentences`: the first sentence of the tables of rebalances and of lag; `amounts`: a measure's value in words
- `summary`: a run in a few numbers, without pandas
- `bounds`: whether logs support its total, and how far it may be off; `outage_bounds`: the same of its outages;
  `proved_bounds`: what the logs prove of a total that they do not support
- `why_unknown`: sentences on why a total is unknown
- `lag`: how far commits are behind, and when a partition had caught up
- `delays`: how long records waited for a member that takes them; `known_delays`: the same in bounds, of recorded runs;
  `late_polls`: when members that missed max.poll.interval.ms took no record
- `measures`: by what choices are compared
- `comparison`: runs side by side; `sensitivity`: which parameter of a sweep matters
"""
