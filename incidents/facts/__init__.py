"""Rows to the facts of a run."""
