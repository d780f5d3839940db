"""Recorded answers of a real broker, asked of our machine."""
