"""Scripts of consumer, streams and share groups (KIP-848, KIP-1071, KIP-932) and of migration between protocols.

- `player`: play a script against the simulated coordinator
- `form`: what a protocol adds: its requests, answers, records, and how an administrator sees its groups
- `consumer`, `streams`, `share`: the form of each protocol's groups
- `protocols`: all forms; a step as a command of the simulated coordinator, and its answer back
- `classic_requests`: the same for requests of the classic protocol
- `as_sent`: what recordings of requests leave out
- `offsets`: commits, fetches and deletions; what the broker answers in front of the group
- `administrator`: what an administrator asks and does, which is no command of a group
- `topics`: the topics of a script, as they are created, grow and are deleted, and their ids
- `targets`: the targets of a played script; the recorded ones where ids are random and so their hash order unknown
- `initialization`: when the share coordinator has initialised partitions: as it was recorded
- `seen`: a group as an administrator sees it
- `records`: facts as the records that Kafka writes
- `classic_records`: the record of a classic group
- `compare`: where a played script differs from its recording, step by step
"""
