"""What happened in a recorded incident, reconstructed from its facts.

- `incident`: Incident, and `reconstruct`, which uses all the others
- `incarnation`: Incarnation: one process, with what is known of it
- `member_history`: the incarnations of processes that have a log
- `unlogged_members`: members that only the coordinator knows
- `members`: incarnations of one client in a row
- `client_library`: which client library it is, and which assignors were offered
- `host_speed`: how slow the hosts are
- `rebalances`: Generation: one completed join phase
- `record_interval`: how often partitions get records
- `inferred_settings`: timeouts, inferred or assumed: one module for each. A new inference goes there
- `applications`: how the members' programs work between polls, and commit, from their whole lives
- `streams_program`, `connect_program`: what a record shows of an application of Kafka Streams, of a Connect cluster
- `unseen`: the time in which a silent process can have died or stopped
- `short_stops`: processes that were frozen for less than their session
- `topology_changes`: topics that grew, failovers, rejoins without a visible cause
- `old_imports`: fields that imports of older versions lack
"""
