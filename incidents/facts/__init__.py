"""From rows to the facts of a run.

- `importer`: `import_run`, all of it in order
- `clocks`: the rows of several files in one order
- `coarse_times`: lines whose times are whole seconds, say, inside their second
- `clock_check`: corrections of clocks, and how exact all times are
- `skew`, `clock_bounds`, `static_joins`: how far a client's clock is from the broker's
- `index`: look-ups over all rows
- `processes`: which rows are of which client process
- `unnamed_clients`: the same where several processes share a log and its lines do not name them
- `process_facts`: the facts of a process: what `client` and `client_partitions` share
- `client`: the facts of a process: its requests and answers
- `client_partitions`: the facts of a process: partitions and callbacks
- `settings`: the settings of a process, printed or shown by its heartbeats
- `coordinator`: the facts of a classic group's coordinator, from a broker's log
- `consumer_group`: the same of a KIP-848 group; `bump_causes`: why its epoch grew
- `clients_only`: the coordinator's facts where no broker log is given, inferred from the clients
- `deaths`: when a process died or froze that wrote no line of it
- `sessions`: how long a session is, or what brokers allow by default
- `growth`: topics that grew, by when a member noticed; `later_topics`: those that were created, and an expression
  matched
- `ownership`: who held which partition, and where two processes claim the same one
- `doubts`: which partition time the logs do not tell, because a log is missing or just ends
- `lost_doubts`: members that lost what they held after a silence, where no broker says it
- `storing_doubts`: when assignments were stored, where no broker says it
- `edges`: whether the logs begin or end in the middle of a rebalance
- `unnamed_topics`: topics that the user names and no log does
- `unlogged`: groups whose members do not all have a client log
- `support`: whether the rows support a figure at all
- `topic_members`, `topic_doubts`, `topic_growth`: what `__consumer_offsets` says of members without a client log
- `log_ends`, `topic_ends`: clients' logs that end before the topic does, and the reverse
- `signs_of_life`: what the topic shows of members that ran
- `topic_merge`: its rows beside those of logs, and where they contradict each other
- `world`: topics and groups
- `causes`: Kafka's sentences to causes: the only place that reads them
- `detail`: typed values out of a row
- `builder`: collects facts and notes
- `notes`: notes on the logs as a whole
- `advice`: what to do after reading logs: what they are, and which are missing
"""
