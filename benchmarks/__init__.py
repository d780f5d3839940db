"""Measurements that `make bench` prints; each compares with a yardstick in the same run."""
