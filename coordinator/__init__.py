"""Kafka's group coordinator as pure state machines: no I/O, no clock, no chance."""
