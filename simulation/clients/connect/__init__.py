"""Workers of Kafka Connect (KIP-415): members of a classic group of the protocol type `connect`.

- `cluster`: what all workers of one cluster share: connectors and how many tasks they have, the delay, measured times.
- `declared`: what a scenario says of a cluster, checked.
- `worker`: what a worker does where a consumer would do something else: the leader's assignor, stops and starts.

A unit is a connector or a task. A task is read as a partition of a topic with its connector's name, so `orders-0` is
both; the connector itself is partition 0 of the topic `connector:orders`.
"""
