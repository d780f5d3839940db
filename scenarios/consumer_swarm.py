"""The same faults as in `swarm` for members of the consumer protocol, beside classic members or alone."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from groupsim.scenarios.dsl import GroupHandle, MemberHandle, World, minutes, scenario, seconds
from groupsim.scenarios.swarm import (
    FAULTS_UNTIL_MS,
    LONGEST_MS,
    QUIET_MS,
    STABLE_WITHIN_MS,
    Fault,
    FaultKind,
    Swarm,
    draw_application,
    draw_fault,
    draw_timeouts,
)
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, REFUSED, Library
from groupsim.simulation.clients.process import Script

LONGEST_SESSION_MS, AGAIN_MS = seconds(10), seconds(20)


@scenario(
    seed=1,
    lasts=FAULTS_UNTIL_MS + LONGEST_MS + LONGEST_SESSION_MS + AGAIN_MS + STABLE_WITHIN_MS + QUIET_MS + minutes(0.25),
)
def consumer_swarm(
    world: World, faults: int = 10, classic_share: float = 0.3, static_share: float = 0.2, pattern_share: float = 0.1
) -> Script:
    """Members of both protocols, drawn like their timeouts and up to ten faults, become stable in the end.

    `classic_share` of the members speak the classic protocol; half of the members that restart change theirs then, so
    that groups are converted. `static_share` are static: one that was killed is refused for its session, and started
    again. `pattern_share` subscribe by an expression.

    Source: KIP-848.
    """
    shares = Shares(classic_share, static_share, pattern_share)
    swarm = ConsumerSwarm(world, world.rng.stream("swarm"), shares)
    for fault in [draw_fault(swarm.chance) for _ in range(swarm.chance.randint(min(2, faults), faults))]:
        world.env.process(swarm.inject(fault))
    yield world.sleep(FAULTS_UNTIL_MS + LONGEST_MS + seconds(1))

    yield from swarm.start_all()
    yield swarm.group.stable(members=len(swarm.group.members), within=STABLE_WITHIN_MS)
    yield world.sleep(QUIET_MS)


class Shares(NamedTuple):
    """Which part of the members, 0-1, speaks the classic protocol, is static, subscribes by an expression."""

    classic: float
    static: float
    pattern: float


class ConsumerSwarm(Swarm):
    """One consumer group with drawn settings."""

    def __init__(self, world: World, chance: Random, shares: Shares) -> None:
        self.world, self.chance, self.shares = world, chance, shares
        self.timeouts = draw_timeouts(chance)
        world.configure_broker(
            {
                "group.initial.rebalance.delay.ms": 0,
                "group.consumer.min.session.timeout.ms": 1_000,
                "group.consumer.session.timeout.ms": self.timeouts["session.timeout.ms"],
                "group.consumer.min.heartbeat.interval.ms": 100,
                "group.consumer.heartbeat.interval.ms": self.timeouts["heartbeat.interval.ms"],
                "group.consumer.assignment.interval.ms": chance.choice((0, 1_000)),
                "broker.version": chance.choice(("4.0", "4.4")),
            }
        )
        world.network.latency_ms = (1, chance.choice((1, 5, 200)))
        self.some_list_one = self.stream_join = False
        names = ("orders", "clicks")[: chance.choice((1, 1, 2))]
        self.topics = [world.topic(name, partitions=chance.randint(1, 9)) for name in names]
        config = {name: value for name, value in self.timeouts.items() if name not in REFUSED[CONSUMER]}
        self.group: GroupHandle = world.group(
            "billing", protocol=CONSUMER, assignor=chance.choice(("uniform", "range")), config=config
        )
        self.down_until = -1
        for _ in range(chance.randint(1, 5)):
            self._join()

    def _join(self) -> None:
        """One more member, with drawn settings."""
        chance, shares = self.chance, self.shares
        classic = chance.random() < shares.classic
        by_pattern = not classic and chance.random() < shares.pattern
        self.group.join(
            1,
            topics=() if by_pattern else self.topics,
            pattern=".*" if by_pattern else None,
            static=chance.random() < shares.static,
            client="java" if classic else chance.choice(("java", "java", "librdkafka")),
            config=self._protocol(CLASSIC) if classic else {},
            application=draw_application(chance),
        )

    def _protocol(self, name: str) -> dict[str, int | float | str | bool]:
        """What a member sets that speaks this protocol."""
        timeouts = {key: self.timeouts[key] for key in ("session.timeout.ms", "heartbeat.interval.ms")}
        return {"group.protocol": name, **(timeouts if name == CLASSIC else {})}

    def _fault_process(self, fault: Fault, member: MemberHandle) -> Script:
        settings = member.settings
        if fault.kind is FaultKind.RESTART and self.shares.classic and self.chance.random() < 0.5:
            other = CLASSIC if settings.config.group_protocol == CONSUMER else CONSUMER
            if settings.pattern is None and settings.library is Library.JAVA:
                member.configure(self._protocol(other))
        yield from super()._fault_process(fault, member)

    def start_all(self) -> Script:
        """Start who is not there; who was refused because its former process may live, when its session is over.

        Once more for those that fail now: an upgrade is refused while a classic member joins (`lost-protocol`).
        """
        for wait_ms in (LONGEST_SESSION_MS, AGAIN_MS):
            yield self.world.sleep(wait_ms)
            for member in self.group.members:
                if member.running and member.failed:
                    yield member.close()
            for member in self.group.members:
                if not member.running:
                    yield member.start()
