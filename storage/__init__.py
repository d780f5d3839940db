"""The event store: append-only logs of facts, one per run."""
