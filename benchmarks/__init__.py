"""Measurements that `make bench` prints; each compares with a yardstick in the same run.

- `simulation`: simulated facts per second
- `store`: stored facts per second
- `replay`: readers of a stored run of ten million facts
- `hour`: a simulated hour of many consumers, recorded into SQLite
- `deploy`: every member restarted in turn, as whole processes: CPU, peak memory, how they grow
- `size`: from the start of a group to its first rebalance, by partitions and members, with exponents
- `report`: size of a large report, time to write it and to open it in a browser
- `incidents`: log lines per second, beside grep
- `whatif`: how close replays of recorded incidents are to the records
- `spark`: sweeps and transforms on Spark
- `assignors`, `assignor_rivals`: speed of the assignors, beside Kafka's Java classes and kafka-python
- `server_assignors`: CPU time of the server's assignors, beside Kafka's own classes
- `streams_assignor`: CPU time of the coordinator's assignor for streams groups, beside Kafka's own class
- `consumer_groups`: heartbeats of consumer groups and of classic ones
- `reconciliation`: a target and one step of every member towards it, beside Kafka's own classes
- `assignor_golden`: how many recorded Java answers are equal
- `assignor_differential`: random problems through Kafka's Java assignors and ours
"""
