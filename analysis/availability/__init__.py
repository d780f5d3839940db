"""Which partition was available when, and why not."""
