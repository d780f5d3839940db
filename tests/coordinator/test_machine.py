"""Properties of the machine under arbitrary commands, legal and illegal, in any order."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from groupsim.coordinator.classic import Phase, evolve
from groupsim.coordinator.classic.commands import Heartbeat, Join, Leave, Leaving, Sync
from groupsim.coordinator.commands import Commit, Load, Unload
from groupsim.coordinator.config import ClassicGroupConfig, CoordinatorKind
from groupsim.events.group import CommitAccepted, CommitRefused, CoordinatorLoaded
from groupsim.events.types import Protocol
from tests.coordinator.clockwork import Clockwork
from tests.coordinator.durable import known, loaded, remnants
from tests.coordinator.given import OFFSETS, offer, tps
from tests.thinned import examples

INSTANCES = st.sampled_from([None, None, "ia", "ib"])
NUMBERS = st.integers(0, 30)
OFFERS = st.sampled_from(
    [offer("range"), offer("range"), offer("range", "sticky"), offer("sticky", "range"), offer("x"), ()]
)
CONFIGS = st.builds(
    ClassicGroupConfig,
    group_initial_rebalance_delay_ms=st.sampled_from([0, 3_000]),
    group_max_size=st.sampled_from([2, 100, 100]),
    coordinator=st.sampled_from(CoordinatorKind),
)


class ClassicGroupMachine(RuleBasedStateMachine):
    """Members come, speak out of turn, fall silent; now and then the coordinator moves."""

    @initialize(config=CONFIGS, instances=st.lists(INSTANCES, max_size=3))
    def begin(self, config: ClassicGroupConfig, instances: list[str | None]) -> None:
        self.clock = Clockwork(config)
        self.requests = 0
        self.ids: list[str] = []
        for instance in instances:
            self.newcomer(instance, offer("range", "sticky"), 3, 45_000)
        self.settle()

    def _request(self) -> int:
        self.requests += 1
        return self.requests

    def _member(self, number: int) -> str:
        """Some id: of a member, of a former one, pending, or of nobody."""
        present = [*sorted(self.clock.group.members), *sorted(self.clock.group.pending)]
        known = [*present * 3, *self.ids, "nobody"]
        return known[number % len(known)]

    def _instance(self, member: str, wrong: str | None, honest: bool) -> str | None:
        known = self.clock.group.members.get(member)
        return known.instance_id if honest and known is not None else wrong

    @rule(
        instance=INSTANCES,
        offers=OFFERS,
        version=st.sampled_from([3, 8, 9, 9]),
        session=st.sampled_from([6_000, 45_000]),
    )
    def newcomer(self, instance: str | None, offers: tuple[Protocol, ...], version: int, session: int) -> None:
        fresh = f"n{len(self.ids)}"
        self.ids.append(fresh)
        command = Join(
            request=self._request(),
            new_member=fresh,
            instance_id=instance,
            protocols=offers,
            version=version,
            session_timeout_ms=session,
            rebalance_timeout_ms=20_000,
        )
        self.clock.do(command)

    @rule(number=NUMBERS, offers=OFFERS, wrong=INSTANCES, honest=st.booleans())
    def known_joins(self, number: int, offers: tuple[Protocol, ...], wrong: str | None, honest: bool) -> None:
        member = self._member(number)
        instance = self._instance(member, wrong if member in self.clock.group.members else None, honest)
        command = Join(
            request=self._request(), member=member, instance_id=instance, protocols=offers, rebalance_timeout_ms=30_000
        )
        self.clock.do(command)

    @precondition(lambda self: self.clock.group.phase is Phase.PREPARING_REBALANCE)
    @rule(offers=st.sampled_from([offer("range"), offer("range", "sticky")]))
    def everybody_joins(self, offers: tuple[Protocol, ...]) -> None:
        for member in sorted({*self.clock.group.members, *self.clock.group.pending}):
            known = self.clock.group.members.get(member)
            instance = known.instance_id if known else None
            self.clock.do(Join(request=self._request(), member=member, instance_id=instance, protocols=offers))

    @rule(number=NUMBERS, late=st.sampled_from([0, 0, 0, 1]), wrong=INSTANCES, honest=st.booleans())
    def syncs(self, number: int, late: int, wrong: str | None, honest: bool) -> None:
        member, group = self._member(number), self.clock.group
        command = Sync(
            request=self._request(),
            member=member,
            generation=group.generation - late,
            instance_id=self._instance(member, wrong, honest),
            protocol_type="consumer",
            protocol=group.protocol or "range",
            assignment=((member, tps(number)),),
        )
        self.clock.do(command)

    @precondition(lambda self: self.clock.group.phase is Phase.COMPLETING_REBALANCE)
    @rule()
    def everybody_syncs(self) -> None:
        group = self.clock.group
        plan = tuple((member, tps(i)) for i, member in enumerate(sorted(group.members)))
        for member in sorted(group.members):
            sync = Sync(request=self._request(), member=member, generation=group.generation, assignment=plan, version=4)
            self.clock.do(sync)

    @rule(number=NUMBERS, late=st.sampled_from([0, 0, 1]), wrong=INSTANCES, honest=st.booleans())
    def beats(self, number: int, late: int, wrong: str | None, honest: bool) -> None:
        member, generation = self._member(number), self.clock.group.generation - late
        instance = self._instance(member, wrong, honest)
        self.clock.do(Heartbeat(request=self._request(), member=member, generation=generation, instance_id=instance))

    @rule(numbers=st.lists(NUMBERS, max_size=3), instances=st.lists(INSTANCES, min_size=3, max_size=3))
    def leave(self, numbers: list[int], instances: list[str | None]) -> None:
        entries = [Leaving(self._member(n), None) for n in numbers]
        entries += [Leaving("", i) for i in instances[: 2 - len(entries)] if i is not None]
        self.clock.do(Leave(request=self._request(), members=tuple(entries)))

    @rule(number=NUMBERS, late=st.sampled_from([0, 0, 1, 99]), transactional=st.booleans(), wrong=INSTANCES)
    def commits(self, number: int, late: int, transactional: bool, wrong: str | None) -> None:
        generation = -1 if late == 99 else self.clock.group.generation - late
        command = Commit(
            request=self._request(),
            offsets=OFFSETS,
            member=self._member(number) if number else "",
            generation=generation,
            instance_id=wrong,
            transactional=transactional,
        )
        outcome = self.clock.do(command)
        assert [type(e) for e in outcome.events][-1] in (CommitAccepted, CommitRefused)

    @rule(times=st.integers(1, 5))
    def time_passes(self, times: int) -> None:
        for _ in range(times):
            self.clock.ring()

    @rule()
    def settle(self) -> None:
        """Everybody does what a client would, until the group is stable or empty."""
        for _ in range(4):
            if self.clock.group.phase is Phase.PREPARING_REBALANCE:
                self.everybody_joins(offer("range", "sticky"))
            if self.clock.group.phase is Phase.PREPARING_REBALANCE:
                self.clock.ring()
            if self.clock.group.phase is Phase.COMPLETING_REBALANCE:
                self.everybody_syncs()

    @rule(how=st.integers(0, 12))
    def the_coordinator_moves(self, how: int) -> None:
        """Rarely: it stops and another starts, one starts after a crash, or it stops twice."""
        if how in (1, 3, 5):
            self.clock.do(Unload())
        if how in (1, 2, 4, 5):
            self.clock.do(Load())

    @precondition(lambda self: self.clock.group.phase is Phase.DEAD)
    @rule()
    def it_comes_back(self) -> None:
        self.clock.do(Load())

    @invariant()
    def a_restart_finds_what_the_durable_facts_say(self) -> None:
        """All other properties are checked by Clockwork.do."""
        restarted = evolve(self.clock.group, CoordinatorLoaded())
        assert loaded(restarted) == known(self.clock.log)
        assert remnants(restarted) == []

    def teardown(self) -> None:
        if hasattr(self, "clock"):
            self.clock.finish()


TestClassicGroup = ClassicGroupMachine.TestCase
TestClassicGroup.settings = settings(max_examples=examples(60, 200), stateful_step_count=30, deadline=None)
