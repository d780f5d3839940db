"""A group, its settings and all that befalls it, drawn from the seed: what `groupsim fuzz` looks for bugs with."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from groupsim.scenarios.dsl import Application, GroupHandle, MemberHandle, World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script

TROUBLE_MS, LONGEST_MS = seconds(60), seconds(20)
HEALS_WITHIN_MS, PEACE_MS = seconds(75), seconds(35)
JOINED = "sticky-stream-join"
STRATEGIES = (
    "range",
    "roundrobin",
    "sticky",
    JOINED,
    "fairest-sticky",
    "optimal-sticky",
    "constrained-cooperative-sticky",
    "cooperative-sticky",
    "cooperative-sticky",
    "cooperative-sticky",
)
FAULTS = (
    *("kill", "restart", "restart", "freeze", "slow-batch", "close", "join", "start", "enforce", "raise"),
    *("cut", "cut", "cut-data", "slow", "lose", "duplicate"),
    *("crash", "move", "grow"),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens, when, to the how-many-eth member, for how long (ms)."""

    at: int
    action: str
    who: int
    length: int


@scenario(seed=1, lasts=TROUBLE_MS + LONGEST_MS + HEALS_WITHIN_MS + PEACE_MS + minutes(0.25))
def swarm(world: World, faults: int = 10, assignor: str = "drawn") -> Script:
    """Members, timeouts, assignor and up to ten faults are drawn; when all is healed the group must settle.

    Kills, restarts, freezes, slow batches, cuts from the coordinator or the data, slow, lossy and duplicating links, a
    broker that crashes or moves, members that join and leave, topics that grow. The invariants judge all the while.
    """
    swarm = Swarm(world, world.rng.stream("swarm"), assignor)
    drawn = [_fault(swarm.chance) for _ in range(swarm.chance.randint(min(2, faults), faults))]
    for fault in drawn:
        world.env.process(swarm.befall(fault))
    yield world.sleep(TROUBLE_MS + LONGEST_MS + seconds(1))

    for member in swarm.group.members:
        if not member.running:
            yield member.start()
    yield swarm.group.stable(members=len(swarm.group.members), within=HEALS_WITHIN_MS)
    if swarm.may_leave_orphans:
        swarm.group.members[0].enforce_rebalance()
    yield world.sleep(PEACE_MS)


def _fault(chance: Random) -> Fault:
    return Fault(
        at=chance.randrange(1_000, TROUBLE_MS),
        action=chance.choice(FAULTS),
        who=chance.randrange(6),
        length=chance.choice((1, 300, 2_000, 7_000, LONGEST_MS)),
    )


class Swarm:
    """One group with drawn settings, and the troubles that can befall it."""

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
        self.some_know_one = len(self.strategy) > 1 and chance.random() < 0.5
        names = ("orders", "clicks")[: chance.choice((1, 1, 2))]
        sizes = [chance.randint(1, 9) for _ in names]
        self.joined = JOINED in self.strategy  # what one topic has more than the other, it gives to nobody
        self.topics = [world.topic(n, partitions=sizes[0 if self.joined else i]) for i, n in enumerate(names)]
        self.group: GroupHandle = world.group("billing", assignor=self.strategy, config=_timeouts(chance))
        self.down_until = -1
        for _ in range(chance.randint(1, 5)):
            self._join()

    def _join(self) -> None:
        """One more member, of a kind of its own."""
        chance = self.chance
        alone = len(self.strategy) == 1
        self.group.join(
            1,
            topics=self.topics,
            spread=0,
            static=chance.random() < 0.3,
            client=chance.choice(("java", "java", "librdkafka")) if alone else "java",
            protocol_mode=chance.choice(("static", "dynamic")),
            config={"partition.assignment.strategy": self.strategy[-1]} if self._knows_one() else {},
            application=_application(chance),
        )

    @property
    def may_leave_orphans(self) -> bool:
        """What was to leave a static member while it was away, or grew meanwhile, stays unowned until a rebalance.

        Kafka answers its return at once: see `static_away_leaves_orphans` and `static_leader_misses_growth`.
        """
        return any(m.settings.instance_id for m in self.group.members)

    def _knows_one(self) -> bool:
        return self.some_know_one and self.chance.random() < 0.4

    def befall(self, fault: Fault) -> Script:
        """Wait for its time, then let it happen; what can't happen just now does not."""
        yield self.world.sleep(fault.at)
        member = self.group.members[fault.who % len(self.group.members)]
        match fault.action:
            case "join":
                if len(self.group.members) < 6:
                    self._join()
            case "grow":
                for topic in self.topics if self.joined else [self.topics[fault.who % len(self.topics)]]:
                    self.world.add_partitions(topic, topic.partitions + 1)
            case "crash" | "move":
                self._fail_over(fault)
            case "start":
                if not member.running:
                    yield member.start()
            case _ if member.running:
                yield from self._harm(fault, member)

    def _fail_over(self, fault: Fault) -> None:
        """A broker that is down or loading can't fail again.

        A new coordinator knows of every member only the assignor in use: where some know but one, they may be shut out.
        """
        if self.world.now <= self.down_until or self.some_know_one:
            return
        self.down_until = self.world.now + fault.length
        if fault.action == "crash":
            self.world.broker.crash(fault.length // 2, loading_ms=fault.length - fault.length // 2)
        else:
            self.world.broker.move(loading_ms=fault.length)

    def _harm(self, fault: Fault, member: MemberHandle) -> Script:
        match fault.action:
            case "kill":
                member.kill()
            case "close":
                yield member.close()
            case "restart":
                yield member.close()
                yield self.world.sleep(fault.length)
                if not member.running:
                    yield member.start()
            case "freeze":
                yield member.freeze(fault.length)
            case "slow-batch":
                member.slow_batch(fault.length)
            case "enforce":
                member.enforce_rebalance()
            case "raise":
                member.raise_in(self.chance.choice(("assigned", "revoked", "lost")))
            case _:
                yield from self._disturb(fault, member)

    def _disturb(self, fault: Fault, member: MemberHandle) -> Script:
        network, broker = self.world.network, self.world.broker
        match fault.action:
            case "cut":
                with network.cut(member, broker):
                    yield self.world.sleep(fault.length)
            case "cut-data":
                with network.cut(member, self.world.data):
                    yield self.world.sleep(fault.length)
            case "slow":
                with network.slow(member, broker, min(fault.length, 3_000)):
                    yield self.world.sleep(fault.length)
            case action:
                heal = (network.lose if action == "lose" else network.duplicate)(member, broker, 0.3)
                yield self.world.sleep(fault.length)
                heal()


def _strategy(chance: Random) -> tuple[str, ...]:
    """One assignor; sometimes two, of which some members know only the second."""
    last = chance.choice(STRATEGIES)
    first = chance.choice(STRATEGIES)
    return (first, last) if first != last and chance.random() < 0.3 else (last,)


def _timeouts(chance: Random) -> dict[str, int | float | str | bool]:
    return {
        "session.timeout.ms": chance.choice((6_000, 8_000, 10_000)),
        "heartbeat.interval.ms": chance.choice((500, 1_000, 2_000)),
        "max.poll.interval.ms": chance.choice((8_000, 15_000)),
        "request.timeout.ms": chance.choice((2_000, 5_000)),
        "metadata.max.age.ms": 5_000,
        "enable.auto.commit": chance.random() < 0.8,
        "auto.commit.interval.ms": chance.choice((700, 5_000)),
    }


def _application(chance: Random) -> Application:
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
