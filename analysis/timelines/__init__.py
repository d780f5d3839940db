"""What happened to each group and each process over time. Computed once per run; tables, blame and the report ask it.

- `rebalance`: one rebalance, with its named phases and who was waited for in each
- `group_timeline`: one group: its rebalances, its condition at every instant, its removed and returned members
- `process_timeline`: one process: what it is doing at every instant, and which setting decides how long
- `epochs`: the rebalances of a consumer group
- `target_progress`: how far each partition of a consumer group has come, at every instant
- `builder`: the fold from facts to group timelines, and to the rows of `run.rebalances()`
- `partition_moves`: how many partitions an assignment moves and revokes
"""
