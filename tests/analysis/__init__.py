"""Tests of the package `analysis`."""
