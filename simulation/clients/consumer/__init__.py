"""A member by the consumer protocol (KIP-848), as client libraries keep it.

- `state`: what one membership knows: phase, epoch, target, when the next heartbeat is due
- `membership`: Membership by ConsumerGroupHeartbeat; its rounds run on the library's own thread
- `heartbeat`: when a heartbeat is sent, what it says, what its answer brings about
- `wire`: the heartbeat's fields; another kind of group has its own
- `reconcile`: from the target that was received to the partitions that are held
- `leave`: leave, lose everything, join again
- `polls`: when the application's thread runs what the library's thread asks for
"""
