"""A group, its settings and its faults, drawn from the seed: `groupsim fuzz` looks for bugs with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any

from groupsim.scenarios.dsl import Application, GroupHandle, MemberHandle, World, minutes, scenario, seconds
from groupsim.simulation.clients.config import JAVA, LIBRDKAFKA
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.traits import not_of

FAULTS_UNTIL_MS, LONGEST_MS = seconds(60), seconds(20)
STABLE_WITHIN_MS, QUIET_MS = seconds(75), seconds(35)
STREAM_JOIN = "sticky-stream-join"
STRATEGIES = (
    "range",
    "roundrobin",
    "sticky",
    STREAM_JOIN,
    "fairest-sticky",
    "optimal-sticky",
    "constrained-cooperative-sticky",
    "cooperative-sticky",
    "cooperative-sticky",
    "cooperative-sticky",
)


class FaultKind(StrEnum):
    """What can happen to a member, its links, the broker or a topic."""

    KILL = "kill"
    RESTART = "restart"
    FREEZE = "freeze"
    SLOW_BATCH = "slow-batch"
    CLOSE = "close"
    JOIN = "join"
    START = "start"
    ENFORCE = "enforce"
    RAISE = "raise"
    CUT = "cut"
    CUT_DATA = "cut-data"
    SLOW = "slow"
    LOSE = "lose"
    DUPLICATE = "duplicate"
    CRASH = "crash"
    MOVE = "move"
    GROW = "grow"


K = FaultKind
DRAWN_FROM = (
    *(K.KILL, K.RESTART, K.RESTART, K.FREEZE, K.SLOW_BATCH, K.CLOSE, K.JOIN, K.START, K.ENFORCE, K.RAISE),
    *(K.CUT, K.CUT, K.CUT_DATA, K.SLOW, K.LOSE, K.DUPLICATE),
    *(K.CRASH, K.MOVE, K.GROW),
)
"""A kind that stands here more than once is drawn more often."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at a time (ms), for a duration (ms); `member` is a number, taken modulo the size of the group."""

    at_ms: int
    kind: FaultKind
    member: int
    duration_ms: int


@scenario(seed=1, lasts=FAULTS_UNTIL_MS + LONGEST_MS + STABLE_WITHIN_MS + QUIET_MS + minutes(0.25))
def swarm(world: World, faults: int = 10, assignor: str = "drawn") -> Script:
    """Members, timeouts, assignor and up to ten faults are drawn; when all is healed the group must become stable.

    Kills, restarts, freezes, slow batches, links cut to the coordinator or the data, slow, lossy and duplicating
    links, a broker that crashes or moves, members that join and leave, topics that grow. The invariants watch all
    the time.
    """
    swarm = Swarm(world, world.rng.stream("swarm"), assignor)
    injected = [draw_fault(swarm.chance) for _ in range(swarm.chance.randint(min(2, faults), faults))]
    for fault in injected:
        world.env.process(swarm.inject(fault))
    yield world.sleep(FAULTS_UNTIL_MS + LONGEST_MS + seconds(1))

    for member in swarm.group.members:
        if not member.running:
            yield member.start()
    yield swarm.group.stable(members=len(swarm.group.members), within=STABLE_WITHIN_MS)
    if swarm.may_leave_orphans:
        swarm.group.members[0].enforce_rebalance()
    yield world.sleep(QUIET_MS)


def draw_fault(chance: Random) -> Fault:
    """Any fault, at any time before the group is left in peace."""
    return Fault(
        at_ms=chance.randrange(1_000, FAULTS_UNTIL_MS),
        kind=chance.choice(DRAWN_FROM),
        member=chance.randrange(6),
        duration_ms=chance.choice((1, 300, 2_000, 7_000, LONGEST_MS)),
    )


class Swarm:
    """One group with drawn settings, and the faults that are injected into it."""

    def __init__(self, world: World, chance: Random, assignor: str) -> None:
        self.world, self.chance = world, chance
        world.configure_broker(
            {
                "group.initial.rebalance.delay.ms": chance.choice((0, 500, 3_000)),
                "coordinator": chance.choice(("java", "java", "scala")),
            }
        )
        world.network.latency_ms = (1, chance.choice((1, 5, 200)))
        self.strategy = _strategy(chance) if assignor == "drawn" else (assignor,)
        self.some_list_one = len(self.strategy) > 1 and chance.random() < 0.5
        names = ("orders", "clicks")[: chance.choice((1, 1, 2))]
        sizes = [chance.randint(1, 9) for _ in names]
        self.stream_join = STREAM_JOIN in self.strategy  # it leaves partitions without a counterpart unowned
        self.topics = [world.topic(n, partitions=sizes[0 if self.stream_join else i]) for i, n in enumerate(names)]
        self.group: GroupHandle = world.group("billing", assignor=self.strategy, config=draw_timeouts(chance))
        self.down_until = -1
        for _ in range(chance.randint(1, 5)):
            self._join()

    def _join(self) -> None:
        """One more member, with drawn settings."""
        chance = self.chance
        alone = len(self.strategy) == 1
        static = chance.random() < 0.3
        client = chance.choice((JAVA, JAVA, LIBRDKAFKA)) if alone else JAVA
        self.group.join(
            1,
            topics=self.topics,
            spread=0,
            static=static,
            client=JAVA if not_of(client, self.strategy) else client,
            protocol_mode=chance.choice(("static", "dynamic")),
            config={"partition.assignment.strategy": self.strategy[-1]} if self._lists_one() else {},
            application=draw_application(chance),
        )

    @property
    def may_leave_orphans(self) -> bool:
        """Whether partitions can stay unowned until the next rebalance: those that a static member missed.

        Kafka answers its return at once: see `static_away_leaves_orphans` and `static_leader_misses_growth`.
        """
        return any(m.settings.instance_id for m in self.group.members)

    def _lists_one(self) -> bool:
        return self.some_list_one and self.chance.random() < 0.4

    def inject(self, fault: Fault) -> Script:
        """Wait for its time, then inject the fault; one that is impossible then is skipped."""
        yield self.world.sleep(fault.at_ms)
        member = self.group.members[fault.member % len(self.group.members)]
        match fault.kind:
            case FaultKind.JOIN:
                if len(self.group.members) < 6:
                    self._join()
            case FaultKind.GROW:
                for topic in self.topics if self.stream_join else [self.topics[fault.member % len(self.topics)]]:
                    self.world.add_partitions(topic, topic.partitions + 1)
            case FaultKind.CRASH | FaultKind.MOVE:
                self._fail_over(fault)
            case FaultKind.START:
                if not member.running:
                    yield member.start()
            case _ if member.running:
                yield from self._fault_process(fault, member)

    def _fail_over(self, fault: Fault) -> None:
        """A broker that is down or loading can't fail again.

        A new coordinator knows only the assignor in use: members that list only another one would be refused.
        """
        if self.world.now <= self.down_until or self.some_list_one:
            return
        self.down_until = self.world.now + fault.duration_ms
        if fault.kind is FaultKind.CRASH:
            self.world.broker.crash(fault.duration_ms // 2, loading_ms=fault.duration_ms - fault.duration_ms // 2)
        else:
            self.world.broker.move(loading_ms=fault.duration_ms)

    def _fault_process(self, fault: Fault, member: MemberHandle) -> Script:
        match fault.kind:
            case FaultKind.KILL:
                member.kill()
            case FaultKind.CLOSE:
                yield member.close()
            case FaultKind.RESTART:
                yield member.close()
                yield self.world.sleep(fault.duration_ms)
                if not member.running:
                    yield member.start()
            case FaultKind.FREEZE:
                yield member.freeze(fault.duration_ms)
            case FaultKind.SLOW_BATCH:
                member.slow_batch(fault.duration_ms)
            case FaultKind.ENFORCE:
                member.enforce_rebalance()
            case FaultKind.RAISE:
                member.raise_in(self.chance.choice(("assigned", "revoked", "lost")))
            case _:
                yield from self._fault_link(fault, member)

    def _fault_link(self, fault: Fault, member: MemberHandle) -> Script:
        network, broker = self.world.network, self.world.broker
        match fault.kind:
            case FaultKind.CUT:
                with network.cut(member, broker):
                    yield self.world.sleep(fault.duration_ms)
            case FaultKind.CUT_DATA:
                with network.cut(member, self.world.data):
                    yield self.world.sleep(fault.duration_ms)
            case FaultKind.SLOW:
                with network.slow(member, broker, min(fault.duration_ms, 3_000)):
                    yield self.world.sleep(fault.duration_ms)
            case kind:
                heal = (network.lose if kind is FaultKind.LOSE else network.duplicate)(member, broker, 0.3)
                yield self.world.sleep(fault.duration_ms)
                heal()


def _strategy(chance: Random) -> tuple[str, ...]:
    """One assignor; sometimes two, of which some members list only the second."""
    last = chance.choice(STRATEGIES)
    first = chance.choice(STRATEGIES)
    return (first, last) if first != last and chance.random() < 0.3 else (last,)


def draw_timeouts(chance: Random) -> dict[str, int | float | str | bool]:
    """Settings of all consumers of one group."""
    return {
        "session.timeout.ms": chance.choice((6_000, 8_000, 10_000)),
        "heartbeat.interval.ms": chance.choice((500, 1_000, 2_000)),
        "max.poll.interval.ms": chance.choice((8_000, 15_000)),
        "request.timeout.ms": chance.choice((2_000, 5_000)),
        "metadata.max.age.ms": 5_000,
        "enable.auto.commit": chance.random() < 0.8,
        "auto.commit.interval.ms": chance.choice((700, 5_000)),
    }


def draw_application(chance: Random) -> Application:
    """Idle, busy, committing by itself, or with slow callbacks."""
    kinds: list[dict[str, Any]] = [
        {},
        {},
        {"process_ms": 200},
        {"process_ms": 500, "commit_sync": True},
        {"process_ms": 300, "commit_async": True},
        {"callback_ms": {"assigned": 300, "revoked": 600, "lost": 200}, "assignor_ms": 400},
        {"restore_ms": 500, "keep_state": True},
    ]
    return Application(**chance.choice(kinds))
