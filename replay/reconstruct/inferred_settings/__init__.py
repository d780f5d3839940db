"""The timeouts of a recorded group, inferred from its facts or assumed: one module for each setting.

- `infer`: `infer_settings`: all of them, and a note on each that had to be assumed
- `evidence`: what an inference is made from, and what it gives
- `reported`: what members printed of their settings, or reported to the coordinator
- `candidates`: every value that a timeout may have, and how likely it is
- `lateness`: how late timers are
- `silences`: from a member's last sign of life to its removal
- `heartbeat`: heartbeat.interval.ms, from heartbeats that reported a rebalance
- `removals`: which session and which interval fit the times of removals
- `session`: session.timeout.ms and heartbeat.interval.ms together
- `max_poll`: max.poll.interval.ms
- `initial_delay`: group.initial.rebalance.delay.ms
- `append_linger`: group.coordinator.append.linger.ms, as the time that a write takes
"""
