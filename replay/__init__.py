"""From an imported incident to a what-if table.

- `reconstruct`: what happened, from the facts of the run
- `replayable`: one group of a stored run, ready to be replayed
- `dated_deaths`: deaths that no log shows, dated by a session that the import did not know
- `window`: which time is compared; `aftermath`: how long after the record's end a choice still pays
- `actions`: what happens to which member and when; `even_sequences`: what no log shows, over the seeds
- `timings`: when heartbeats were sent, and how long messages took, in the record
- `recorded_latency`: these timings as rules of the simulated network
- `member_program`: the application and the settings that one replayed member is simulated with
- `replayed_group`: consumers, an application of Kafka Streams or workers of Kafka Connect, as they are replayed
- `protocols`: which group protocol each member speaks then, and with which settings
- `quiet_time`: hours without an action, which are not simulated
- `player`: the incident as a simulated scenario, as recorded or with another choice; `replayed_topics`: its topics
- `fidelity`: how far a replay is from the record
- `choice`: what is different from the record; `choice_settings`: settings as a user writes them, as a choice
- `cost`: what a record, its replay or a choice costs, in one window
- `what_if`: what each choice costs, over as many seeds as medians need, as a `choice_result`; `spread`: medians,
  their intervals, humps; `significance`: which difference is worth having, and whether the seeds show one
- `refusals`: what a record can't answer; `broker_limits`: what a choice needs of the brokers
- `rests_on`: what an answer rests on besides the logs
- `trust`, `verdict`: how far to trust an answer, and what is said of a choice; `sentences`: all that is said, in words
- `migration`: what a change of the protocol costs; `migration_answer`, `migration_checks`: the answer about it
- `ask`: all of this together
"""
