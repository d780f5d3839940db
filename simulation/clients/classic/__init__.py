"""The classic protocol, client side (Kafka: AbstractCoordinator, ConsumerCoordinator).

- `membership`: ClassicMembership: the implementation of `clients.membership.Membership`; what a commit's error means.
- `state`: ClassicState: member id, generation, state; how they change. MemberKind: what differs in a Connect worker.
- `consumer_kind`: ConsumerKind: what a consumer does of it.
- `join`: JoinGroup and SyncGroup.
- `leader`: the leader computes the assignment.
- `rebalance`: what is committed and revoked before a join, and what is taken over after it.
- `heartbeat`: the heartbeat thread; session and poll timeouts.
- `leave`: LeaveGroup, unsubscribe().
- `sarama_round_robin`: the order in which Sarama's round robin goes through partitions.
- `librdkafka_sticky`: the order in which librdkafka's sticky assignor goes through partitions.
"""
