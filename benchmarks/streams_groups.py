"""CPU time of a heartbeat of a streams group that changes nothing, beside one of a classic group of as many members.

`python -m benchmarks.streams_groups`. Both in turns; the ratio is the median of the rounds.
"""

from __future__ import annotations

import statistics

from benchmarks.consumer_groups import BEATS, BROKER, CONTEXT, MEMBERS, NAMES, ROUNDS, classic_group, cpu_us
from groupsim.coordinator import classic
from groupsim.coordinator.classic.commands import Heartbeat
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.config import Configs
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup
from groupsim.coordinator.modern.state import Phase
from groupsim.coordinator.streams.commands import StreamsHeartbeat
from groupsim.coordinator.streams.heartbeat import changes_nothing
from groupsim.coordinator.streams.state import StreamsGroup
from groupsim.events.streams import Subtopology, Topology

APPLICATION = Topology(0, tuple(Subtopology(id=name, sources=(name,)) for name in NAMES))
SETTINGS = {
    "group.streams.initial.rebalance.delay.ms": 0,
    "group.streams.assignment.interval.ms": 15_000,
    "group.streams.max.assignment.interval.ms": 2**31 - 1,
}


def _beat(member: str, epoch: int, context: Context, **sent: object) -> StreamsHeartbeat:
    fields: dict[str, object] = {"request": 1, "member": member, "epoch": epoch, "context": context}
    return StreamsHeartbeat(**(fields | {"endpoint_epoch": 0} | sent))  # type: ignore[arg-type]


def settled() -> StreamsGroup:
    """All members have joined and run their tasks; the target was computed once, for the last one."""
    state: AnyGroup = ClassicGroup(id="g", configs=Configs().with_settings(SETTINGS))
    none = {"active": (), "standby": (), "warmup": ()}
    for i in range(MEMBERS):
        at = CONTEXT if i == MEMBERS - 1 else Context(at_ms=0, topics=BROKER)
        joins = _beat(f"m{i}", 0, at, topology=APPLICATION, process=f"p{i}", rebalance_timeout_ms=60_000, **none)
        state = MACHINES[type(state)].decide(state, joins).state
    while state.phase is not Phase.STABLE:
        for member_id in tuple(state.members):
            assert isinstance(state, StreamsGroup)
            member = state.members[member_id]
            step = _beat(member_id, member.epoch, CONTEXT, **(none | {"active": member.tasks.active}))
            state = MACHINES[StreamsGroup].decide(state, step).state
    assert isinstance(state, StreamsGroup)
    return state


def main() -> None:
    """Print the figures."""
    old, group = classic_group(), settled()
    beat = Heartbeat(request=1, member="consumer-0500", generation=1)
    idle = _beat("m500", group.epoch, CONTEXT)
    assert changes_nothing(group, idle)
    sides = (lambda: classic.decide(old, beat)), (lambda: MACHINES[StreamsGroup].decide(group, idle))
    rounds = [[cpu_us(side, BEATS) for side in sides] for _ in range(ROUNDS)]
    classic_us, idle_us = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(mine / other for other, mine in rounds)
    tasks = len(group.members["m500"].active)
    print(f"heartbeats: classic {classic_us:,.1f} us, of a streams member with {tasks} tasks {idle_us:,.1f} us,")
    print(f"ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
