"""Assignors against golden data, laws and worked examples."""
