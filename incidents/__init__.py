"""Recorded incidents: logs of real brokers and clients, read into rows and from rows into the facts of a run."""
