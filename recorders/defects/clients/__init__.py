"""Consumers of several libraries, each a script for an old Python. Only a story's own versions are at hand there."""
