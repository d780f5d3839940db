"""Scripts of streams groups (KIP-1071), recorded from a real broker.

- `random_plans`: what members want to ask, from a seed
- `client`: what a fake client knows, and what a real one would ask
- `messages`: between a script and Kafka's messages
"""
