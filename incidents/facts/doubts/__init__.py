"""Time in which partitions may have been available or not: why the bounds of a total are as wide as they are.

Each doubt has a sentence; the module that writes it:

- `find`: all of them, and "stopped …; no log shows when", "the coordinator did not hear …"
- `silent`: "fell silent", "was started again", "removed the silent member", "lost its partitions", "was no member any
  more"
- `short_stops`: "heard at … of a rebalance that began at …", "sent no heartbeat between …"
- `storing`: "an assignment was stored between … and …", "had these until …", "no log shows whether that was stored"
- `not_shown`: "was in generation …, and its own says nothing of it", "was given …", "was to have …"
- `cut_logs`: "its log begins too late", "its log ends at …"; reasons: "was rebalancing already when …", "is rebalancing
  when the logs end"
- `left_free`: "nobody's shows who had …"
- `missing_logs`: "the brokers' logs have gaps", "no log names topic …"; a reason: "no log names all partitions"; both:
  "without a client log"
- `topic`: "`__consumer_offsets` shows who was given a partition …", "the copy of `__consumer_offsets` ends at …"

A reason is no Doubt of some time, but a sentence on why the whole import has no total: `importer` asks for it
(`begun_before`, `unfinished`, `unlogged_members`, and by `facts.support` `unnamed_partitions`).

What they ask: `ownership`, who held which partition by the facts; `history`, generations, targets and ends of members,
and what a process's log tells. Elsewhere: growths in `facts.growth`, callbacks in `facts.client_partitions`.
"""
