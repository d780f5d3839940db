"""Exports of log platforms, read as the plain logs they were made of."""
