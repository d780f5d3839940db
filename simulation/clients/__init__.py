"""Consumers: one process each, written to be read from top to bottom."""
