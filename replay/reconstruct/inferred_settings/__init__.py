"""The timeouts of a recorded group, inferred from its facts or assumed: a module for most settings.

- `infer`: `infer_settings`: all of them, max.poll.interval.ms among them, and a note on each that had to be assumed
- `evidence`: what an inference is made from, and what it gives
- `reported`: what members printed of their settings, or reported to the coordinator
- `candidates`: every value that a timeout may have, and how likely it is
- `lateness`: how late timers are
- `heartbeat`: heartbeat.interval.ms, from heartbeats that reported a rebalance
- `removals`: members that were silent until their removal, and which session and interval fit that
- `session`: session.timeout.ms and heartbeat.interval.ms together
- `initial_delay`: group.initial.rebalance.delay.ms
- `append_linger`: group.coordinator.append.linger.ms, as the time that a write takes
"""
