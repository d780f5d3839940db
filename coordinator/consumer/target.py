"""The target: who is to have what at the group's epoch (Kafka: TargetAssignmentBuilder)."""

from __future__ import annotations

from groupsim.coordinator.broker_versions import server_assignors
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.consumer.subscription import topics_of
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.target import members_in_order
from groupsim.coordinator.server_assignors import Problem, Subscriber
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events import consumer as facts
from groupsim.events.types import TopicId


def update_target(
    decision: ConsumerDecision, known: ConsumerGroup, context: Context, assignor: str, *, homogeneous: bool
) -> None:
    """Compute a new target; `known` is the group before the request.

    `assignor` is Kafka's name of the one to ask; `homogeneous`: all members are said to have the same subscription.
    Raises AssignorError where Kafka's assignor throws.
    """
    group = decision.group
    algorithm = server_assignors(group.version)[assignor]
    target = group.assign(problem(group, known, algorithm, context.topics, homogeneous=homogeneous))
    changed = {m: target.get(m, ()) for m in sorted(group.members) if group.targets.get(m) != target.get(m, ())}
    decision.record(facts.TargetComputed(epoch=group.epoch, assignor=assignor, changed=changed, at_ms=context.at_ms))


def problem(group: ConsumerGroup, known: ConsumerGroup, assignor: str, topics: Topics, *, homogeneous: bool) -> Problem:
    """What the assignor (a name of groupsim.assignors) is asked."""
    distinct: dict[tuple[tuple[str, ...], str], tuple[TopicId, ...]] = {}
    asked_topics: dict[TopicId, Topic] = {}
    members = []
    for member in members_in_order(group, known):
        subscription = (member.topics, member.expression)
        if subscription not in distinct:
            wanted = topics_of(group, member, topics)
            asked_topics.update((topic.id, topic) for topic in wanted)
            distinct[subscription] = tuple(topic.id for topic in wanted)
        target = group.targets.get(member.id, ())
        members.append(Subscriber(member.id, member.instance_id, member.rack, distinct[subscription], target))
    return Problem(assignor, tuple(members), asked_topics, homogeneous)


def same_subscription(group: ConsumerGroup) -> bool:
    """All members name the same topics and have no expression, or have the same expression and name none.

    Kafka: ConsumerGroup.subscriptionType, HOMOGENEOUS; a group without members counts as such.
    """
    distinct = {(member.topics, member.expression) for member in group.members.values()}
    return not distinct or (len(distinct) == 1 and not all(next(iter(distinct))))
