"""Pages of the documentation that are written from recordings and from the coordinator.

- `conformance_page`: docs/conformance.md
- `timelines_section`: its part about timelines of real clients
- `consumer_section`: its part about the consumer protocol
- `transitions`: the transitions of a classic group in words
- `known_differences`: differences with their reasons
- `protocol_page`: docs/protocol.md
- `member_states`: its part about members of consumer groups
"""
