"""Arbitrary troubles for two simulated minutes, then peace: safety always, liveness after healing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from analysis.books import Books
from coordinator.classic import Group, evolve
from coordinator.config import GroupConfig
from events import classic as c
from events.base import group_stream
from scenarios.dsl import Application, MemberHandle, World, seconds
from simulation.clients.process import Script
from tests.simulation.told import Told, tell

SHORT = {
    "session.timeout.ms": 6_000,
    "heartbeat.interval.ms": 1_000,
    "max.poll.interval.ms": 15_000,
    "request.timeout.ms": 4_000,
}
TROUBLE_MS, PEACE_MS = seconds(120), seconds(120)
ACTIONS = ["kill", "restart", "freeze", "cut", "slow", "slow-batch", "join", "close", "start"]


@dataclass(frozen=True)
class Fault:
    """What happens to which member, when, and for how long (ms)."""

    at: int
    action: str
    member: int
    length: int


FAULTS = st.lists(
    st.builds(
        Fault,
        at=st.integers(1_000, TROUBLE_MS),
        action=st.sampled_from(ACTIONS),
        member=st.integers(0, 5),
        length=st.sampled_from([1, 300, 2_000, 7_000, 20_000, 40_000]),
    ),
    max_size=12,
)
APPLICATIONS = st.sampled_from(
    [
        Application(),
        Application(process_ms=200),
        Application(process_ms=200, commit_sync=True),
        Application(callback_ms={"assigned": 300, "revoked": 500, "lost": 200}, assignor_ms=400),
    ]
)


class Trouble:
    """Plays faults against one group of a world, and remembers how to end them."""

    def __init__(self, world: World, application: Application, static: bool, assignor: str) -> None:
        self.world = world
        self.orders = world.topic("orders", partitions=5)
        self.group = world.group("billing", assignor=assignor, config=SHORT)
        self.application, self.static = application, static
        self.group.join(3, topics=[self.orders], spread=500, static=static, application=application)
        self.away: list[MemberHandle] = []

    def play(self, fault: Fault) -> Script:
        """Wait for its time, then do it."""
        yield self.world.sleep(fault.at)
        if fault.action == "join":
            if len(self.group.members) < 6:
                self.group.join(1, topics=[self.orders], static=self.static, application=self.application)
            return
        member = self.group.members[fault.member % len(self.group.members)]
        if fault.action == "start":
            yield from self._back(member)
        elif member.running:
            yield from self._harm(fault, member)

    def _harm(self, fault: Fault, member: MemberHandle) -> Script:
        match fault.action:
            case "kill":
                member.kill()
                self.away.append(member)
            case "restart":
                yield from self._stop(member)
                yield self.world.sleep(fault.length)
                yield from self._back(member)
            case "freeze":
                yield member.freeze(fault.length)
            case "cut":
                with self.world.network.cut(member, self.world.broker):
                    yield self.world.sleep(fault.length)
            case "slow":
                with self.world.network.slow(member, self.world.broker, min(fault.length, 3_000)):
                    yield self.world.sleep(fault.length)
            case "slow-batch":
                member.slow_batch(fault.length)
            case "close":
                yield from self._stop(member)

    def _stop(self, member: MemberHandle) -> Script:
        yield member.close()
        if member not in self.away and not member.running:
            self.away.append(member)

    def _back(self, member: MemberHandle) -> Script:
        """Start it, unless somebody else has or will."""
        if member in self.away:
            self.away.remove(member)
            yield member.start()

    def story(self, faults: list[Fault]) -> Script:
        """All faults side by side; then everybody is started again, and the group has time to settle."""
        for fault in faults:
            self.world.env.process(self.play(fault))
        yield self.world.sleep(TROUBLE_MS + seconds(60))
        for member in self.group.members:
            yield from self._back(member)
        yield self.group.stable(members=len(self.group.members), within=seconds(90))


def _live_books_are_the_folded_log(told: Told, world: World) -> None:
    facts = [fact.event for fact in told.log if fact.stream == group_stream("billing")]
    live = world.broker.group("billing")
    folded = reduce(evolve, facts, Group(id="billing", config=GroupConfig()))
    assert folded == live
    books = Books()
    for fact in facts:
        books.apply(fact)
    assert (books.state, books.generation, books.leader) == (live.phase.value, live.generation, live.leader)
    assert dict(books.plan()) == live.assignment


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    faults=FAULTS,
    application=APPLICATIONS,
    static=st.booleans(),
    assignor=st.sampled_from(["range", "cooperative-sticky", "sticky", "roundrobin"]),
    seed=st.integers(0, 99),
)
def test_whatever_happens_the_invariants_hold_and_the_group_converges(
    faults: list[Fault], application: Application, static: bool, assignor: str, seed: int
) -> None:
    worlds: list[World] = []

    def chaos(world: World) -> Script:
        worlds.append(world)
        yield from Trouble(world, application, static, assignor).story(faults)

    told = tell(chaos, TROUBLE_MS + seconds(60) + PEACE_MS, seed=seed, green=False)
    note(f"failure: {told.result.failure}; violations: {told.result.violations}")
    assert told.result.failure is None
    assert told.result.ok
    _live_books_are_the_folded_log(told, worlds[0])
    _what_a_member_may_do(told)


def _what_a_member_may_do(told: Told) -> None:
    """No commit of an id that was removed or fenced is accepted any more."""
    gone: dict[str, int] = {}
    for fact in told.log:
        match fact.event:
            case c.MemberRemoved(member=member):
                gone[member] = fact.seq
            case c.MemberReplaced(old=old):
                gone[old] = fact.seq
            case c.CommitAccepted(member=member):
                assert member not in gone
            case _:
                pass
