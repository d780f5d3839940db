"""Tests of `wording/`."""
