"""Assignors that Kafka never shipped.

- `optimal_sticky`: the least imbalance, and of those answers the one that moves the fewest partitions, with a proof
- `fairest_sticky`: valid owners keep everything, the rest is distributed evenly (an alternative of KIP-54)
- `constrained_sticky`: the linear algorithm for equal subscriptions of a rejected KIP
- `stream_join`: number p of all topics goes to one member (KIP-315)
- `kafkajs_round_robin`: what KafkaJS has instead of Kafka's
- `min_cost_flow`: the min-cost flow behind optimal-sticky and fairest-sticky
"""
