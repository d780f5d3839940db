"""Recorded runs of real consumers, and their re-enactment."""
