"""The event store's tests."""
