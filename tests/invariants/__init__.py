"""Tests of the package `invariants`."""
