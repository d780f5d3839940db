"""Kubernetes: its arithmetic, and pods in simulated time."""
