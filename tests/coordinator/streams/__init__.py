"""The machine of share groups."""
