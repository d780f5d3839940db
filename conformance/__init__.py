"""The simulator compared with recordings of a real Kafka: the same inputs, and a list of the differences.

What `groupsim conformance` needs. What records a real Kafka is in the root folder `recorders/`, which is not installed.

- `scripts/`: scripts of requests, played against the simulator; a folder for each group protocol
- `timelines/`: recorded runs of real consumers, re-enacted
- `predictions/`: what-ifs scored against what really happened
"""
