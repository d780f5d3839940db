"""The machine of consumer groups."""
