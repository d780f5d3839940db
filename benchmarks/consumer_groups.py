"""CPU times of the machine of consumer groups: a heartbeat that changes nothing, and a rebalance of 1,000 members.

`python -m benchmarks.consumer_groups`. Beside the first: a heartbeat of a classic group of as many members, in turns;
the ratio is the median of the rounds. Beside the others: the time of the server's assignor alone. Kafka's classes are
in benchmarks.server_assignors and benchmarks.reconciliation.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import reduce

from groupsim.coordinator import classic
from groupsim.coordinator.classic.commands import Heartbeat
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.consumer.target import problem, same_subscription
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup
from groupsim.coordinator.modern.state import Phase
from groupsim.coordinator.server_assignors import assign_by_name
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events import classic as facts
from groupsim.events.group import GroupCreated
from groupsim.events.types import Protocol, Subscription

MEMBERS, TOPICS, PARTITIONS = 1_000, 100, 100
BEATS, ROUNDS = 2_000, 15
INTERVAL = "group.consumer.assignment.interval.ms"
NAMES = tuple(f"t{i:03d}" for i in range(TOPICS))
BROKER = Topics({name: Topic(name, name, PARTITIONS) for name in NAMES}, 1)
CONTEXT = Context(at_ms=1_000_000, topics=BROKER)


def cpu_us(act: Callable[[], object], times: int) -> float:
    """Microseconds of CPU that each of `times` calls took."""
    began = time.process_time()
    for _ in range(times):
        act()
    return (time.process_time() - began) / times * 1e6


def joined() -> ConsumerGroup:
    """All members have joined; nobody has reconciled. The targets are computed once, for the last one."""
    configs = Configs().with_settings({INTERVAL: 15_000, "group.consumer.max.assignment.interval.ms": 2**31 - 1})
    state: AnyGroup = ClassicGroup(id="g", configs=configs)
    for i in range(MEMBERS):
        at = CONTEXT if i == MEMBERS - 1 else Context(at_ms=0, topics=BROKER)
        state = _decided(state, _beat(f"consumer-{i:04d}", 0, at, topics=NAMES, owned=(), rebalance_timeout_ms=60_000))
    assert isinstance(state, ConsumerGroup)
    return state


def _beat(member: str, epoch: int, context: Context, **sent: object) -> ConsumerHeartbeat:
    fields: dict[str, object] = {"request": 1, "member": member, "epoch": epoch, "context": context}
    return ConsumerHeartbeat(**(fields | sent))  # type: ignore[arg-type]


def _decided(state: AnyGroup, command: object) -> AnyGroup:
    after: AnyGroup = MACHINES[type(state)].decide(state, command).state
    return after


def settled(group: ConsumerGroup) -> tuple[ConsumerGroup, int]:
    """Every member reaches its target; the group, and how many heartbeats that took."""
    state: AnyGroup = group
    beats = 0
    while state.phase is not Phase.STABLE:
        for member_id in tuple(state.members):
            assert isinstance(state, ConsumerGroup)
            member = state.members[member_id]
            owned = tuple(sorted(member.assigned))
            state = _decided(state, _beat(member_id, member.epoch, CONTEXT, owned=owned))
            beats += 1
    assert isinstance(state, ConsumerGroup)
    return state, beats


def classic_group() -> ClassicGroup:
    """A stable classic group of as many members."""
    names = tuple(f"consumer-{i:04d}" for i in range(MEMBERS))
    protocols = (Protocol("range", Subscription(NAMES)),)
    added = [
        facts.MemberAdded(
            member=name,
            client_id=name,
            client_host="h",
            session_timeout_ms=45_000,
            rebalance_timeout_ms=60_000,
            protocol_type="consumer",
            protocols=protocols,
        )
        for name in names
    ]
    joins = facts.JoinPhaseCompleted(generation=1, protocol="range", leader=names[0], members=names, size=MEMBERS)
    started = facts.RebalanceStarted(generation=0, cause="unknown", reason="", initial=True)
    history = [GroupCreated(), *added, started, joins, facts.AssignmentStored(generation=1, assignment={})]
    return reduce(classic.evolve, history, ClassicGroup(id="g"))


def main() -> None:
    """Print the figures."""
    old = classic_group()
    beat = Heartbeat(request=1, member="consumer-0500", generation=1)
    fresh = joined()
    began = time.process_time()
    group, beats = settled(fresh)
    spent_ms = (time.process_time() - began) * 1e3
    idle = _beat("consumer-0500", group.members["consumer-0500"].epoch, CONTEXT)
    sides = (lambda: classic.decide(old, beat)), (lambda: MACHINES[ConsumerGroup].decide(group, idle))
    rounds = [[cpu_us(side, BEATS) for side in sides] for _ in range(ROUNDS)]
    classic_us, idle_us = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(mine / other for other, mine in rounds)
    print(f"heartbeats: classic {classic_us:,.1f} us, one that changes nothing {idle_us:,.1f} us, ratio {ratio:.2f}")
    asked = problem(fresh, fresh, "uniform-4.1", BROKER, homogeneous=same_subscription(fresh))
    target_ms = statistics.median(cpu_us(lambda: assign_by_name(asked), 1) / 1e3 for _ in range(ROUNDS))
    print(f"target by uniform, {MEMBERS:,} members x {TOPICS * PARTITIONS:,} partitions {target_ms:,.1f} ms")
    print(f"reconciliation of all, {beats:,} heartbeats {spent_ms:,.0f} ms")


if __name__ == "__main__":
    main()
