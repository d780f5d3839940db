"""Assignors that Kafka never shipped."""
