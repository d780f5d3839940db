"""Choosing the best of several settings with few runs."""
