"""Pages of the documentation that are written from recordings, from the coordinator and from the program.

- `conformance_page`: docs/conformance.md
- `timelines_section`: its part about timelines of real clients
- `consumer_section`: its part about the consumer protocol
- `recorded_runs_section`: its part about recorded runs of consumer groups
- `recording_section`: its part about recording the live topic
- `transitions`: the transitions of a classic group in words
- `known_differences`: differences with their reasons
- `protocol_page`: docs/protocol.md
- `member_states`: its part about members of consumer groups
- `predictions_page`: docs/predictions.md
- `predictions_misses`: its parts about trust, wrong signs and the greatest errors
- `scored`: one stored scoring of what-ifs
- `attribution`: what the errors come from, from three scorings of the same pairs
- `phases`: in which phase of the heartbeat a run was recorded, and clear pairs that it decides
- `reference`: docs/reference/
- `scenarios_page`: docs/scenarios.md
"""
