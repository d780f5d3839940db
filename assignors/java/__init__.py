"""The order in which Java iterates over hash maps: deterministic, and part of Kafka's answers.

- `hash_order`: String.hashCode, and the order of a HashMap or HashSet
- `hash_map`: a HashMap of strings with its trees of colliding keys, node by node
- `timeline_map`: the order of the coordinator's own maps
- `priority_queue`: which of equal elements a PriorityQueue gives first
- `topic_ids`: hash codes and order of topic ids
"""
