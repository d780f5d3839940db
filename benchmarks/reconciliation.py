"""A target of a consumer group and one step of every member towards it, beside Kafka's classes, in CPU time.

`python -m benchmarks.reconciliation`. Needs a JVM and Maven. 1,000 members x 10,000 partitions, both sides of one run:

- target: `update_target`, beside TargetAssignmentBuilder with UniformAssignor
- next state: `next_member` of every member, beside CurrentAssignmentBuilder.build
- steps: every member's step with its fact and the group after it, beside the same with a record and ConsumerGroup
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from msgspec.structs import replace

from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.evolve import evolve
from groupsim.coordinator.consumer.reconcile import next_member
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.take_in_heartbeat import Change, next_step, step
from groupsim.coordinator.consumer.target import same_subscription, update_target
from groupsim.coordinator.context import Context
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.consumer import ConsumerMemberRemoved, LossCause
from recorders.assignors.java_harness import topic_id
from recorders.broker import fetch

MEMBERS, TOPICS, PARTITIONS = 1_000, 100, 100
RUNS, WARM_UPS = 15, 60
NAMES = tuple(f"t{i:03d}" for i in range(TOPICS))
CONTEXT = Context(topics=Topics({name: Topic(name, name, PARTITIONS, topic_id(name)) for name in NAMES}, 1))


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds; `reached`: members that have reached the target after one step."""

    target: float
    look: float
    steps: float
    reached: int


def fresh() -> ConsumerGroup:
    """A group whose members have just joined."""
    members = {name: _member(name) for name in (f"consumer-{i:04d}" for i in range(MEMBERS))}
    return ConsumerGroup(id="g", configs=Configs(), epoch=2, members=members)


def exchanged() -> ConsumerGroup:
    """A settled group; then a tenth of the members leaves, and as many come."""
    group = stepped(with_target(fresh()))
    for i in range(MEMBERS // 10):
        after = evolve(group, ConsumerMemberRemoved(member=f"consumer-{i:04d}", cause=LossCause.LEFT))
        assert isinstance(after, ConsumerGroup)
        group = after
    new = {name: _member(name) for name in (f"consumer-x{i:03d}" for i in range(MEMBERS // 10))}
    return replace(group, members={**group.members, **new}, epoch=group.epoch + 1)


def _member(name: str) -> Member:
    return Member(id=name, client_id=name, client_host="h", topics=NAMES, rebalance_timeout_ms=60_000)


def with_target(group: ConsumerGroup) -> ConsumerGroup:
    """The group with a new target."""
    decision = ConsumerDecision(group)
    update_target(decision, group, CONTEXT, "uniform", homogeneous=same_subscription(group))
    return decision.group


def _changes(group: ConsumerGroup) -> Iterator[Change]:
    for member in group.members.values():
        yield Change(known=group, before=member, after=member, owned=(), context=CONTEXT)


def looked(group: ConsumerGroup) -> None:
    """What every member's step would be, without taking it."""
    for change in _changes(group):
        next_member(next_step(group, change, finds_target=True))


def stepped(group: ConsumerGroup) -> ConsumerGroup:
    """The group after a step of every member."""
    for name in tuple(group.members):
        member = group.members[name]
        decision = ConsumerDecision(group)
        step(decision, Change(known=group, before=member, after=member, owned=(), context=CONTEXT))
        group = decision.group
    return group


def measured(start: Callable[[], ConsumerGroup]) -> Times:
    """The medians of our side."""
    rows, group, begin = [], start(), start()
    for _ in range(RUNS):
        times = [time.process_time()]
        group = with_target(begin)
        times.append(time.process_time())
        looked(group)
        times.append(time.process_time())
        group = stepped(group)
        times.append(time.process_time())
        rows.append([(later - earlier) * 1e3 for earlier, later in pairwise(times)])
    target, look, steps = (statistics.median(column) for column in zip(*rows, strict=True))
    return Times(target, look, steps, sum(m.settled(group.target_epoch) for m in group.members.values()))


def kafkas() -> dict[str, Times]:
    """The medians of Kafka's side, by situation."""
    arguments = map(str, (MEMBERS, TOPICS, PARTITIONS, WARM_UPS, RUNS))
    times = {}
    for line in fetch.run_java("ReconciliationBench", *arguments).splitlines():
        name, *nanos, reached = line.split()
        target, look, steps = (int(figure) / 1e6 for figure in nanos)
        times[name] = Times(target, look, steps, int(reached))
    return times


def main() -> None:
    """Print one row per situation and figure."""
    print("| group | what | ours ms | Java ms | ours / Java |")
    print("|---|---|---:|---:|---:|")
    other = kafkas()
    for name, start in (("fresh", fresh), ("tenth-exchanged", exchanged)):
        mine, theirs = measured(start), other[name]
        assert mine.reached == theirs.reached, (mine.reached, theirs.reached)
        rows = {
            "target": (mine.target, theirs.target),
            "next state": (mine.look, theirs.look),
            "steps": (mine.steps, theirs.steps),
            "target and next state": (mine.target + mine.look, theirs.target + theirs.look),
            "target and steps": (mine.target + mine.steps, theirs.target + theirs.steps),
        }
        for what, (ours, java) in rows.items():
            print(f"| {name} | {what} | {ours:.1f} | {java:.1f} | {ours / java:.1f} |", flush=True)


if __name__ == "__main__":
    main()
