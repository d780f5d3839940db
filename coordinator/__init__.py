"""Kafka's group coordinator as pure state machines: no I/O, no clock, no randomness.

machine           what a machine is (decide, evolve, resume, survives), and which machine handles which group
commands          requests that every group takes (offsets, deletion), and the coordinator's loading and unloading
outcome           what `decide` returns: facts, replies, timers, the next state; Kafka's error codes
decision          collects an outcome step by step, applying each fact once; how a request is refused
identity          whether the sender of a request is a member, and the one that its instance id stands for
offset_requests   what OffsetCommit, OffsetFetch, OffsetDelete and DeleteGroups have in common in all protocols
offsets           the offsets of one group as its broker keeps them
server_assignors  the way to the server-side assignors
topics            the topics a broker knows, and the hash by which a group notices that they changed
context           what a decision may look at besides the group: time, topics, the group's own settings and offsets
config            settings by Kafka's names: the coordinator's own and those of each group type
broker_versions   what differs between Kafka 4.0 to 4.4: one table with sources
expressions/      topic expressions of the consumer protocol: RE2/J's syntax and errors
classic/          the machine of classic groups: JoinGroup, SyncGroup, Heartbeat, LeaveGroup
modern/           what the groups share whose members send heartbeats with epochs: consumer, streams, share groups
consumer/         the machine of consumer groups (KIP-848): ConsumerGroupHeartbeat
streams/          the machine of streams groups (KIP-1071): StreamsGroupHeartbeat, topologies, tasks, endpoints
share/            the machine of share groups (KIP-932): ShareGroupHeartbeat, share state, start offsets
"""
