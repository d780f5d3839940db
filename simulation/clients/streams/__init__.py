"""Kafka Streams' side of a streams group (KIP-1071): an application's topology, its stores, what its heartbeats say.

A simulated instance has one stream thread, and is a member of its own. It follows the rules of the consumer protocol
(`clients.consumer`); what differs is said here: heartbeats name tasks, and a task runs once its state is restored.
"""
