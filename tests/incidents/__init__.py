"""Tests of the readers and of the runs made from logs."""
