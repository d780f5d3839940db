"""The tests; each folder mirrors a package."""
