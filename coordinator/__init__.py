"""Kafka's group coordinator as pure state machines: no I/O, no clock, no randomness.

machine    what a machine is (decide, evolve, resume, survives), and which machine handles which group
commands   requests that every group takes (offset commits), and the coordinator's loading and unloading
outcome    what `decide` returns: facts, replies, timers, the next state; Kafka's error codes
decision   collects an outcome step by step, applying each fact once
config     settings by Kafka's names: the coordinator's own and those of each group type
broker_versions  what differs between Kafka 4.0 and 4.4: one table with sources
expressions/  topic expressions of the consumer protocol: RE2/J's syntax and errors
classic/   the machine of classic groups: JoinGroup, SyncGroup, Heartbeat, LeaveGroup
"""
