"""From an imported incident to a what-if table.

- `reconstruct`: what happened, from the facts of the run
- `replayable`: one group of a stored run, ready to be replayed
- `actions`: what happens to which member and when; `even_sequences`: what no log shows, over the seeds
- `timings`: when heartbeats were sent, and how long messages took, in the record
- `recorded_latency`: these timings as rules of the simulated network
- `member_program`: the application and the settings that one replayed member is simulated with
- `quiet_time`: hours without an action, which are not simulated
- `player`: the incident as a simulated scenario, as recorded or with another choice; `replayed_topics`: its topics
- `fidelity`: how far a replay is from the record
- `choice_settings`: settings as a user writes them, as a choice
- `cost`: what a record, its replay or a choice costs, in one window
- `what_if`: what each choice costs, over as many seeds as medians need, as a `choice_result`; `spread`: medians,
  their intervals, humps
- `refusals`: what a record can't answer
- `trust`, `verdict`: how far to trust an answer, and what is said of a choice; `sentences`: all that is said, in words
- `migration`: what a change of the protocol costs; `migration_answer`, `migration_checks`: the answer about it
- `ask`: all of this together
"""
