"""What groups whose members send heartbeats with epochs have in common (Kafka: ModernGroup): consumer, streams, share.

A protocol derives its group, member, heartbeat and decision from the classes here, adds its own facts to the table of
`evolve`, and calls the functions below from its own `decide`.

state             the group and its members; the phases; `placed` and `without` keep what is derived from members
commands          what heartbeats have in common; the timers of members
decision          collects facts, replies and timers of one decision
members           who sends: a known member, a new one, one that takes a static member's place; its epoch; a full group
heartbeat         the short way of a heartbeat that changes nothing, refusals, a look at the broker's topics
conversion        which group a first member of another protocol may take over
removal           members leave, for good or for a while, or are removed when a timer fires
target            when a target is due; the order of members
classic_requests  requests of the classic protocol: each is refused
offsets           OffsetCommit, OffsetFetch, OffsetDelete, DeleteGroups, deleted topics
loading           failover: unload, load
group_config      settings of one group: what an administrator may set, what is in force
evolve            the facts that these groups share
"""
