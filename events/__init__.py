"""Every fact that a run can hold, as data. Imports nothing else of this project.

base       Event, the base of all facts; Recorded, the envelope with time and place; the names of the streams
group      facts of a group that do not depend on its protocol: created, emptied, commits, coordinator loaded
classic    facts of the classic protocol's coordinator: members, rebalances, assignments
consumer   facts of the consumer protocol's coordinator: members, epochs, targets, reconciliation
streams    facts of streams groups: members, topologies, targets and tasks
share      facts of share groups: members, targets, the share state of partitions
client     what a consumer process saw and did
network    messages, cut and slow links
world      topics, what the operator did, what the scenario asserted
types      ids, partitions, offsets, subscriptions
connect    how Connect's connectors and tasks are called in facts
tasks_as_partitions  the facts of a streams group as those of a consumer group
catalogue  all fact types by tag, and the fingerprint of their shapes
errors     the root of this project's exceptions
extras     what is installed only on request, and the sentence where it is missing
"""
