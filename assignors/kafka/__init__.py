"""Kafka's assignors, to the partition."""
