"""Scripts of the consumer protocol, recorded from a real broker.

- `random_plans`: what members want to ask, from a seed
- `client`: what a fake client knows, and what a real one would ask
- `requests`, `answers`, `subscriptions`: between a script and Kafka's messages
- `share`: what share of recorded scripts is equal, and what differs first
"""
