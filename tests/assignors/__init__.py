"""Assignors against golden data, properties and worked examples."""
