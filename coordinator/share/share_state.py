"""Share state of partitions: initialised and deleted by the share coordinator; start offsets described, set, deleted.

Kafka: GroupMetadataManager.subscribedTopicsChangeMap, initializedAssignmentPending; GroupCoordinatorService.
"""

from __future__ import annotations

from typing import Any

from groupsim.coordinator.commands import DeleteGroup, TopicDeleted
from groupsim.coordinator.context import Context
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern import offsets as modern
from groupsim.coordinator.modern.loading import unload as modern_unload
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.coordinator.share.commands import (
    UNDECIDED,
    AlterShareOffsets,
    AlterShareOffsetsAnswer,
    DeleteShareOffsets,
    DeleteShareOffsetsAnswer,
    DescribeShareOffsets,
    ShareOffsetsAnswer,
    StateInitialized,
)
from groupsim.coordinator.share.evolve import ShareDecision
from groupsim.coordinator.share.state import ShareGroup
from groupsim.coordinator.topics import Topics
from groupsim.events import share as facts
from groupsim.events.types import TopicId, TopicPartition

INITIALIZATION_MS = 150
"""What the share coordinator takes: on an idle broker it is done when the member's next heartbeat but one comes."""


def waits_for_assignment(group: ShareGroup, topics: Topics) -> bool:
    """Initialised partitions of subscribed topics are not all those of the target, which is that of the group epoch."""
    due = group.epoch > group.target_epoch and group.behaviour.initialised_waits_for_target
    if not group.members or due:
        return False
    named = topics.ids(tuple(sorted(group.subscribed())))
    assigned = {p for target in group.targets.values() for p in target}
    return {p for p in group.known_partitions() if p.topic in named} != {p for p in assigned if p.topic in named}


def initialize(decision: ShareDecision, context: Context) -> None:
    """Ask for the state of subscribed partitions that is neither there nor asked for, or was asked for long ago.

    Where a topic is new to the group its start offsets are undecided; partitions that it grows by start at 0.
    """
    group = decision.group
    retry_ms = group.configs.share.group_share_initialize_retry_interval_ms
    offsets = []
    for topic in context.topics.named(group.subscribed()):
        there = group.initialized.get(topic.id, {})
        asked = group.initializing.get(topic.id)
        waits = asked.offsets if asked is not None and context.at_ms - asked.since_ms < retry_ms else {}
        start = 0 if there else UNDECIDED
        offsets += [(topic.id, n, start) for n in range(topic.partitions) if n not in there and n not in waits]
    if not offsets:
        return
    topics = tuple(sorted({topic for topic, _, _ in offsets}))
    decision.record(facts.ShareStateInitializing(topics=topics, offsets=tuple(sorted(offsets)), at_ms=context.at_ms))
    partitions = tuple(TopicPartition(topic, number) for topic, number, _ in sorted(offsets))
    decision.arm(_timer(context.at_ms, topics[0]), INITIALIZATION_MS, StateInitialized(partitions=partitions))


def _timer(since_ms: int, topic: TopicId) -> str:
    """The key of a request to the share coordinator: when it was sent, and its first topic."""
    return f"share-state/{since_ms}/{topic}"


def initialized(decision: ShareDecision, cmd: StateInitialized) -> Outcome[Any]:
    """The share coordinator is done with partitions; topics may be gone meanwhile."""
    group = decision.group
    asked = {TopicPartition(topic, n) for topic, asked in group.initializing.items() for n in asked.offsets}
    done = tuple(p for p in cmd.partitions if p in asked)
    if group.loaded and done:
        decision.record(facts.ShareStateInitialized(partitions=done))
    return decision.outcome()


def unload(decision: ShareDecision) -> Outcome[Any]:
    """What the share coordinator answers is lost; it is asked again after a while."""
    timers = [_timer(asked.since_ms, topic) for topic, asked in sorted(decision.group.initializing.items())]
    return modern_unload(decision, *timers)


def describe_offsets(decision: ShareDecision, cmd: DescribeShareOffsets) -> Outcome[Any]:
    """Start offsets, also of a group that does not exist: it has none.

    Defect `no-answer`: with a partition that its topic does not have there is no answer at all.
    """
    state, topics = decision.state, cmd.context.topics
    known = state.initialized if isinstance(state, ShareGroup) else {}
    offsets = {(n, p): start for n, t in topics.by_name.items() for p, start in known.get(t.id, {}).items()}
    asked = sorted(offsets) if cmd.partitions is None else [(p.topic, p.partition) for p in cmd.partitions]
    if all(n not in topics.by_name or p < topics.by_name[n].partitions for n, p in asked):
        found = tuple((n, p, offsets.get((n, p), UNDECIDED)) for n, p in asked)
        decision.reply(cmd.request, ShareOffsetsAnswer(offsets=found))
    return decision.outcome()


def alter_offsets(decision: ShareDecision, cmd: AlterShareOffsets) -> Outcome[Any]:
    """Set start offsets in an empty group, or in one that is made for it: they are initialised at once.

    Defect `empty-request`: a topic is asked for even if none of its partitions exists. Raises RequestRefused.
    """
    _open_empty(decision, creates=True)
    by_name = cmd.context.topics.by_name
    known = {(n, p) for n, p, _ in cmd.offsets if n in by_name and p < by_name[n].partitions}
    topics = tuple(sorted({by_name[name].id for name, _, _ in cmd.offsets if name in by_name}))
    offsets = tuple(sorted((by_name[n].id, p, start) for n, p, start in cmd.offsets if (n, p) in known))
    if not topics:
        decision.undo()  # a group that is made for nothing is written nowhere
    else:
        at_ms = cmd.context.at_ms
        decision.record(facts.ShareStateInitializing(topics=topics, offsets=offsets, at_ms=at_ms))
    if offsets:
        partitions = tuple(TopicPartition(topic, number) for topic, number, _ in offsets)
        decision.record(facts.ShareStateInitialized(partitions=partitions))
    unknown = Error.UNKNOWN_TOPIC_OR_PARTITION
    results = tuple((n, p, Error.NONE if (n, p) in known else unknown) for n, p, _ in sorted(cmd.offsets))
    decision.reply(cmd.request, AlterShareOffsetsAnswer(partitions=results))
    return decision.outcome()


def delete_offsets(decision: ShareDecision, cmd: DeleteShareOffsets) -> Outcome[Any]:
    """Forget initialised topics in an empty group; it knows no others. Raises RequestRefused."""
    _open_empty(decision, creates=False)
    by_name, initialized = cmd.context.topics.by_name, decision.group.initialized
    known = {name: by_name[name].id for name in cmd.topics if name in by_name}
    topics = tuple(sorted(topic for topic in known.values() if topic in initialized))
    decision.record(facts.ShareStateDeleting(topics=topics))
    if topics:
        decision.record(facts.ShareStateDeleted(topics=topics))
    unknown = Error.UNKNOWN_TOPIC_OR_PARTITION
    results = {name: Error.NONE if known.get(name) in topics else unknown for name in cmd.topics}
    decision.reply(cmd.request, DeleteShareOffsetsAnswer(topics=results))
    return decision.outcome()


def _open_empty(decision: ShareDecision, *, creates: bool) -> None:
    """Raises RequestRefused where there is no share group, or one with members."""
    decision.open(creates=creates)
    if decision.group.members:
        raise RequestRefused(Error.NON_EMPTY_GROUP)


def delete_group(decision: ShareDecision, cmd: DeleteGroup) -> Outcome[Any]:
    """The state of all topics goes first."""
    group = decision.group
    if group.loaded and group.has_state and not group.members:
        topics = tuple(sorted({*group.initializing, *group.initialized, *group.deleting}))
        decision.record(facts.ShareStateDeleting(topics=topics, group=True))
    return modern.delete_group(decision, cmd)


def topic_deleted(decision: ShareDecision, cmd: TopicDeleted) -> Outcome[Any]:
    """The broker tells the group at once; that the subscribed topics changed is seen by the next heartbeat."""
    group, existing = decision.group, {topic.id for topic in cmd.context.topics.by_name.values()}
    gone = {*group.initializing, *group.initialized, *group.deleting} - existing
    if group.loaded and gone:
        decision.record(facts.ShareTopicsDeleted(topics=tuple(sorted(gone))))
    return modern.topic_deleted(decision, cmd)
