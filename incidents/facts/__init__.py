"""From rows to the facts of a run, in the order in which it is done.

- `importer`: `import_run`, all of it in order

The rows of all logs, by one clock:

- `clocks`: the rows of several files in one order
- `impossible_times`, `logs_in_one_file`, `coarse_times`: rows with times that cannot be right, files that hold several
  logs, lines whose times are whole seconds, say
- `clock_check`: corrections of clocks, and how exact all times are; `skew`, `clock_bounds`: how far a client's clock is
  from the broker's
- `offsets_merge`: rows of `__consumer_offsets` beside those of logs, and where they contradict each other
- `typed_fields`, `causes`: typed values out of a row; Kafka's sentences to causes, the only place that reads them
- `lookups`: look-ups over all rows; `group_kinds`: each group's protocol and timeouts
- `task_partitions`, `worker_units`: tasks of Kafka Streams, and what Connect's workers run, as partitions
- `limits`, `support`, `notes`, `nothing_found`, `what_to_export`: whether there is enough to go on, what is remarkable
  about the logs as a whole, and what to export; `proved`: how many partitions were unavailable, surely

The facts:

- `builder`: collects facts and notes
- `processes`: which rows are of which client process; `unnamed_clients`: where several processes share a log and its
  lines do not name them
- `process_facts`, `client_partitions`, `client`: the facts of a process: what both parts share, its partitions and
  callbacks, its requests and answers
- `client_tasks`, `client_workers`: the same of a stream thread's tasks, and of what a Connect worker runs
- `streams_instances`: what an instance of Kafka Streams prints of itself: settings, process id, standbys
- `settings`: its settings, printed or shown by its heartbeats, and how long its session is
- `coordinator`, `consumer_group`: the facts of a classic or a KIP-848 group's coordinator, from a broker's log;
  `member_steps`: how members followed their targets, by their own logs
- `clients_only`: the coordinator's facts where no broker log is given, inferred from the clients
- `offsets_members`: members of which only `__consumer_offsets` tells (any more), and all commits
- `deaths`: when a process died or froze that wrote no line of it
- `growth`: topics that grew or were created, by when somebody noticed; `connector_changes`: connectors that came, grew
  or went
- `world`: topics and groups

What the logs do not tell:

- `steps_not_logged`: steps whose line is missing, between the lines around them
- `doubts`: why a bound is as wide as it is, by the words of its sentence
"""
