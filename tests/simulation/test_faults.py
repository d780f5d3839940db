"""Arbitrary troubles for two simulated minutes, then peace: safety always, liveness after healing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.coordinator.classic import ClassicGroup, evolve
from groupsim.events import classic as c
from groupsim.events.base import group_stream
from groupsim.events.group import CommitAccepted, CoordinatorLoaded
from groupsim.scenarios.dsl import Application, MemberHandle, World, seconds
from groupsim.simulation.clients.config import JAVA, REFUSED
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.traits import not_of
from tests.simulation.finished_run import FinishedRun, play
from tests.thinned import examples

SHORT = {
    "session.timeout.ms": 6_000,
    "heartbeat.interval.ms": 1_000,
    "max.poll.interval.ms": 15_000,
    "request.timeout.ms": 4_000,
}
SERVER = {
    "group.consumer.min.session.timeout.ms": 1_000,
    "group.consumer.session.timeout.ms": 6_000,
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.heartbeat.interval.ms": 1_000,
}
"""The same for a consumer group, whose broker decides."""
TROUBLE_MS, PEACE_MS = seconds(120), seconds(120)
MEMBERS = ["kill", "restart", "freeze", "slow-batch", "join", "close", "start", "enforce"]
NETWORK = ["cut", "cut-data", "slow", "lose", "duplicate"]
BROKER = ["crash", "move"]


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
        action=st.sampled_from(MEMBERS + NETWORK + BROKER),
        member=st.integers(0, 5),
        length=st.sampled_from([1, 300, 2_000, 7_000, 20_000, 40_000]),
    ),
    max_size=12,
)
SLOW_CALLBACKS = Application(callback_ms={"assigned": 300, "revoked": 500, "lost": 200}, assignor_ms=400)
APPLICATIONS = st.sampled_from(
    [
        Application(),
        Application(process_ms=200),
        Application(process_ms=200, commit_sync=True),
        SLOW_CALLBACKS,
    ]
)


class Trouble:
    """Plays faults against one group of a world, and remembers how to end them."""

    def __init__(
        self, world: World, application: Application, kind: dict[str, Any], assignor: str, protocol: str = "classic"
    ) -> None:
        self.world = world
        self.orders = world.topic("orders", partitions=5)
        if protocol == "consumer":
            world.configure_broker(SERVER)
        config = {name: value for name, value in SHORT.items() if name not in REFUSED[protocol]}
        self.group = world.group("billing", assignor=assignor, protocol=protocol, config=config)
        self.kind = {**kind, "topics": [self.orders], "application": application}
        self.group.join(3, spread=500, **self.kind)
        self.down_until = 0
        self.away: list[MemberHandle] = []

    def play(self, fault: Fault) -> Script:
        """Wait for its time, then do it."""
        yield self.world.sleep(fault.at)
        if fault.action == "join":
            if len(self.group.members) < 6:
                self.group.join(1, **self.kind)
            return
        if fault.action in BROKER:
            self._fail_over(fault)
            return
        member = self.group.members[fault.member % len(self.group.members)]
        if fault.action == "start":
            yield from self._back(member)
        elif member.running:
            yield from (self._disturb if fault.action in NETWORK else self._harm)(fault, member)

    def _fail_over(self, fault: Fault) -> None:
        """One at a time: a broker that is down can't fail again."""
        length = min(fault.length, 20_000)
        if self.world.now <= self.down_until:
            return
        self.down_until = self.world.now + length
        if fault.action == "crash":
            self.world.broker.crash(length // 2, loading_ms=length - length // 2)
        else:
            self.world.broker.move(loading_ms=length)

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
            case _:
                end = (network.lose if fault.action == "lose" else network.duplicate)(member, broker, 0.3)
                yield self.world.sleep(fault.length)
                end()

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
            case "enforce":
                member.enforce_rebalance()
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
            if not member.running:
                yield member.start()
        yield self.group.stable(members=len(self.group.members), within=seconds(90))


def _live_state_is_the_folded_log(finished: FinishedRun, world: World) -> None:
    facts = [fact.event for fact in finished.log if fact.stream == group_stream("billing")]
    live = world.broker.group("billing")
    assert isinstance(live, ClassicGroup)
    folded = reduce(evolve, facts, ClassicGroup(id="billing"))
    assert folded == live
    state = ClassicGroupState()
    for fact in facts:
        state.apply(fact)
    assert (state.state, state.generation, state.leader) == (live.phase.value, live.generation, live.leader)
    assert dict(state.plan()) == live.assignment


BUSY_COMMITTING = Application(process_ms=200, commit_sync=True)
RDKAFKA = {"static": False, "client": "librdkafka"}


@example([Fault(59_616, "freeze", 1, 7_000)], SLOW_CALLBACKS, RDKAFKA, "cooperative-sticky", 69)  # it span on the spot
@example([Fault(106_814, "slow-batch", 0, 20_000)], BUSY_COMMITTING, RDKAFKA, "roundrobin", 76)  # its callbacks starved
@example(
    [Fault(78_137, "crash", 0, 20_000), Fault(91_004, "lose", 1, 20_000)],
    BUSY_COMMITTING,
    RDKAFKA,
    "cooperative-sticky",
    70,
)  # it waited for a poll that had come
@settings(max_examples=examples(12, 30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    faults=FAULTS,
    application=APPLICATIONS,
    kind=st.fixed_dictionaries({"static": st.booleans(), "client": st.sampled_from(["java", "java", "librdkafka"])}),
    assignor=st.sampled_from(["range", "cooperative-sticky", "sticky", "roundrobin"]),
    seed=st.integers(0, 99),
)
def test_whatever_happens_the_invariants_hold_and_the_group_converges(
    faults: list[Fault], application: Application, kind: dict[str, Any], assignor: str, seed: int
) -> None:
    worlds: list[World] = []
    client = JAVA if not_of(kind["client"], [assignor]) else kind["client"]

    def chaos(world: World) -> Script:
        worlds.append(world)
        yield from Trouble(world, application, {**kind, "client": client}, assignor).story(faults)

    finished = play(chaos, TROUBLE_MS + seconds(60) + PEACE_MS, seed=seed, green=False)
    note(f"failure: {finished.result.failure}; violations: {finished.result.violations}")
    assert finished.result.failure is None
    assert finished.result.ok
    _live_state_is_the_folded_log(finished, worlds[0])
    _what_a_member_may_do(finished)


def _what_a_member_may_do(finished: FinishedRun) -> None:
    """No commit of an id that was removed or fenced is accepted any more."""
    gone: dict[str, int] = {}
    for fact in finished.log:
        match fact.event:
            case c.MemberRemoved(member=member):
                gone[member] = fact.seq
            case c.MemberReplaced(old=old):
                gone[old] = fact.seq
            case CoordinatorLoaded():
                gone.clear()  # a removal that was never written is forgotten
            case CommitAccepted(member=member):
                assert member not in gone
            case _:
                pass
