"""Kafka's assignors: the same answers as the Java classes, to the partition and in their order.

- `by_range`: the client's range, with racks too (KIP-881)
- `round_robin`: roundrobin
- `sticky`: sticky and cooperative-sticky
- `prior_ownership`: the owners that the sticky assignors start from
- `sticky_equal`, `quotas`: the algorithm for equal subscriptions
- `sticky_unequal`: the algorithm for unequal subscriptions; moving until balanced
- `racks`: which members are near a replica, and who gets partitions first because of it
- `uniform`, `uniform_heterogeneous`: the server's uniform, for equal and for unequal subscriptions
- `server_range`: the server's range
- `server_side`: a problem as the group coordinator has it
- `share_simple`: the server's simple, for share groups
- `streams_sticky`: the server's sticky, for streams groups; `streams_work`: members, quotas and queues that it works on
- `streams_assignment`: StreamsPartitionAssignor: what each member of a classic group of Kafka Streams gets
- `client_tasks`: tasks and clients as Kafka Streams' own assignors have them, in classic groups
- `high_availability`: its default, with warm-ups (KIP-441); `client_sticky`: the other one it ships
- `connect`: Connect's eager and incremental cooperative assignors
"""
