"""Consumers of several libraries, each a script for an old Python. Only a story's own versions are at hand there.

- `aiokafka_member`, `confluent_kafka_member`, `kafka_python_member`: one of each library
"""
