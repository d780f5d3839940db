"""From an imported incident to a what-if table."""
