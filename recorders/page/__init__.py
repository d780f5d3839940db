"""Pages of the documentation that are written from recordings, from the coordinator and from the program.

- `conformance_page`: docs/conformance.md
- `timelines_section`: its part about timelines of real clients
- `consumer_section`: its part about the consumer protocol
- `groups_section`: its part about streams groups and share groups
- `recorded_runs_section`: its part about recorded runs of consumer groups
- `known_differences`: differences with their reasons
- `protocol_page`: docs/protocol.md
- `member_states`: its part about members of consumer groups
- `streams_states`: its part about members of streams groups
- `share_states`: its part about share groups, and about groups of other protocols
- `predictions_page`: docs/predictions.md
- `predictions_misses`: its parts about trust, wrong signs and the greatest errors
- `scored`: one stored scoring of what-ifs
- `attribution`: what the errors come from, from three scorings of the same pairs
- `reference`: docs/reference/; `python_page`: its page about Python
- `causes_page`: docs/causes/
- `scenarios_page`: docs/scenarios.md
- `notebooks`: the notebooks as pages, while the site is built
"""
