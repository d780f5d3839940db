"""Kafka Streams' side of a streams group (KIP-1071): an application's topology, its stores, what its heartbeats say.

A simulated instance has one stream thread, and is a member of its own. It follows the rules of the consumer protocol
(`clients.consumer`); what differs is said here: heartbeats name tasks, and a task runs once its state is restored.

- `application`: which topics its subtopologies read, and how long their stores take to restore
- `config`: Kafka Streams' own settings, and those that it gives to its consumers
- `wire`: what a stream thread's heartbeats say
- `partition_assignor`: the same in a classic group: what members tell when they join, what the leader plans
- `task_states`: how much of each task's state is here, what restores, what runs; `changelogs`: how far they have grown
"""
