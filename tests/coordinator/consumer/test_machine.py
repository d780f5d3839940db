"""Properties of both machines and of conversions under arbitrary commands of both protocols, legal and illegal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from groupsim.coordinator.classic.commands import Heartbeat, Join, Leave, Leaving
from groupsim.coordinator.commands import DeleteGroup, Load, Unload
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.topics import Topic
from groupsim.events.types import Partitions, Protocol, Subscription
from tests.coordinator.consumer.clockwork import Clockwork
from tests.coordinator.consumer.driven import parts
from tests.coordinator.consumer.healing import converged, follow, heal, sync

INSTANCES = st.sampled_from([None, None, None, "ia", "ib"])
NUMBERS = st.integers(0, 30)
TOPICS = st.sampled_from([("a",), ("a",), ("a", "b"), ("b", "c"), (), ("nowhere",)])
EXPRESSIONS = st.sampled_from(["", "", "", "a|b", "[bc]", "("])
ASSIGNORS = st.sampled_from([None, None, "uniform", "range", "none"])
PROTOCOLS = st.sampled_from([("range",), ("range",), ("cooperative-sticky",), ("range", "sticky"), ("own",)])
POLICIES = st.sampled_from(["bidirectional", "bidirectional", "upgrade", "downgrade", "disabled"])
SETTINGS = st.fixed_dictionaries(
    {
        "broker_version": st.sampled_from(["4.4", "4.4", "4.4", "4.0"]),
        "group_consumer_migration_policy": POLICIES,
        "group_consumer_assignment_interval_ms": st.sampled_from(["0", "0", "1000"]),
        "group_consumer_max_size": st.sampled_from(["3", "100", "100"]),
        "group_initial_rebalance_delay_ms": st.just("0"),
    }
)


class GroupMachine(RuleBasedStateMachine):
    """Members of both protocols come, speak out of turn, fall silent; topics change; the coordinator moves."""

    @initialize(chosen=SETTINGS, first=st.lists(st.sampled_from(["native", "static", "classic"]), max_size=4))
    def begin(self, chosen: dict[str, str], first: list[str]) -> None:
        self.clock = Clockwork(**chosen)
        self.requests = 0
        self.names = 0
        for kind in first:
            if kind == "classic":
                self._join("", None, ("range",), Subscription(topics=("a",)), 3)
                self.everybody_follows()
            else:
                self._beat(self._new(), 0, "ia" if kind == "static" else None)

    def _request(self) -> int:
        self.requests += 1
        return self.requests

    def _new(self) -> str:
        self.names += 1
        return f"n{self.names}"

    def _member(self, number: int) -> str:
        """A present member, or now and then a former one or nobody."""
        known = [*self.clock.members * 4, "n1", "nobody"]
        return known[number % len(known)]

    def _known(self, member: str) -> Any:
        return self.clock.state.members.get(member)

    @rule(instance=INSTANCES, topics=TOPICS, expression=EXPRESSIONS, assignor=ASSIGNORS)
    def native_joins(
        self, instance: str | None, topics: tuple[str, ...], expression: str, assignor: str | None
    ) -> None:
        self._beat(self._new(), 0, instance, topics=topics, expression=expression, assignor=assignor)

    @rule(number=NUMBERS, topics=TOPICS, instance=INSTANCES)
    def member_joins_again(self, number: int, topics: tuple[str, ...], instance: str | None) -> None:
        self._beat(self._member(number), 0, instance, topics=topics)

    @rule(
        number=NUMBERS,
        behind=st.sampled_from([0, 0, 0, 0, 1, -1]),
        owns=st.sampled_from(["all", "all", "assigned", "assigned", "nothing", "silent", "foreign"]),
        says=st.fixed_dictionaries({}, optional={"topics": TOPICS, "expression": EXPRESSIONS, "assignor": ASSIGNORS}),
    )
    def native_heartbeats(self, number: int, behind: int, owns: str, says: dict[str, Any]) -> None:
        member = self._member(number)
        epoch = getattr(self._known(member), "epoch", 1) - behind
        before = self.clock.state
        if epoch <= 0:
            return
        answered = self._beat(member, epoch, self._instance(member), owned=self._owned(member, owns), **says)
        if answered.error.name not in ("NONE", "UNKNOWN_SERVER_ERROR"):
            assert self.clock.state == before, "a refused heartbeat changes nothing"

    @rule(number=NUMBERS, epoch=st.sampled_from([-2, -2, -1]))
    def native_leaves(self, number: int, epoch: int) -> None:
        member = self._member(number)
        self._beat(member, epoch, self._instance(member))

    @rule(instance=INSTANCES, topics=TOPICS, protocols=PROTOCOLS, version=st.sampled_from([3, 9]))
    def classic_joins(
        self, instance: str | None, topics: tuple[str, ...], protocols: tuple[str, ...], version: int
    ) -> None:
        self._join("", instance, protocols, Subscription(topics=topics), version)

    @rule(number=NUMBERS, protocols=PROTOCOLS, topics=TOPICS, owns=st.sampled_from(["assigned", "all", "nothing"]))
    def classic_joins_again(self, number: int, protocols: tuple[str, ...], topics: tuple[str, ...], owns: str) -> None:
        """Also under the id of a native member."""
        member = self._member(number)
        owned = self._owned(member, owns) or ()
        self._join(member, self._instance(member), protocols, Subscription(topics=topics, owned=owned), 9)

    @rule(number=NUMBERS)
    def classic_syncs(self, number: int) -> None:
        sync(self.clock, self._member(number))

    @rule(number=NUMBERS)
    def classic_heartbeats(self, number: int) -> None:
        member = self._member(number)
        beat = Heartbeat(
            request=self._request(),
            member=member,
            generation=self._generation(member),
            instance_id=self._instance(member),
        )
        self.clock.do(beat)

    @rule(numbers=st.lists(NUMBERS, max_size=2), instance=INSTANCES)
    def classic_leave(self, numbers: list[int], instance: str | None) -> None:
        """Nobody, members of either protocol, or the holder of an instance id."""
        entries = tuple(Leaving(self._member(n), self._instance(self._member(n))) for n in numbers)
        named = (Leaving("", instance),) if instance is not None else ()
        self.clock.do(Leave(request=self._request(), members=entries + named))

    @rule()
    def everybody_follows(self) -> None:
        """Everybody does what a client would, twice."""
        for member in self.clock.members * 2:
            follow(self.clock, member)

    @rule(number=NUMBERS)
    def a_topic_changes(self, number: int) -> None:
        """It grows, is deleted, or is created again under its name."""
        name = "abc"[number % 3]
        known = self.clock.topics.by_name.get(name)
        if known is None:
            fresh = f"{name}#{self._request()}"
            self.clock.topics = self.clock.topics.with_topic(Topic(fresh, name, 2))
        elif number % 2 and known.partitions < 6:
            self.clock.topics = self.clock.topics.with_topic(replace(known, partitions=known.partitions + 1))
        else:
            self.clock.topics = self.clock.topics.without(name)

    @rule(ms=st.sampled_from([500, 1500, 11_000]))
    def time_passes(self, ms: int) -> None:
        """Without an alarm."""
        self.clock.now += ms

    @rule(times=st.integers(1, 3))
    def alarms_ring(self, times: int) -> None:
        for _ in range(times):
            self.clock.ring()

    @rule(how=st.integers(0, 8))
    def the_coordinator_moves(self, how: int) -> None:
        """Rarely it stops; another starts at once, or one starts after a crash."""
        if how == 1:
            self.clock.do(Unload())
        if how in (1, 2):
            self.clock.do(Load())

    @rule(how=st.integers(0, 8))
    def somebody_deletes_the_group(self, how: int) -> None:
        """Rarely while it is empty."""
        if how == 1 or self.clock.members:
            self.clock.do(DeleteGroup(request=self._request()))

    def _beat(self, member: str, epoch: int, instance: str | None, **sent: Any) -> Any:
        joins = {"owned": (), "rebalance_timeout_ms": 20_000, "topics": ("a",)} if epoch == 0 else {}
        fields: dict[str, Any] = {"request": self._request(), "member": member, "epoch": epoch, "instance_id": instance}
        return self.clock.do(ConsumerHeartbeat(**fields | joins | sent)).replies[-1].answer

    def _join(
        self, member: str, instance: str | None, protocols: tuple[str, ...], subscription: Subscription, version: int
    ) -> None:
        fresh = self._new()
        sent = {"member": member, "new_member": fresh, "instance_id": instance, "version": version}
        offers = tuple(Protocol(name, subscription) for name in protocols)
        self.clock.do(Join(request=self._request(), protocols=offers, rebalance_timeout_ms=30_000, **sent))  # type: ignore[arg-type]

    def _generation(self, member: str) -> int:
        known = self._known(member)
        return known.epoch if isinstance(self.clock.state, ConsumerGroup) and known else self.clock.state.generation

    def _instance(self, member: str) -> str | None:
        known = self._known(member)
        return None if known is None else known.instance_id

    def _owned(self, member: str, owns: str) -> Partitions | None:
        if owns == "foreign":
            return parts(a=range(9), b=0)
        known = self.clock.state.members.get(member) if isinstance(self.clock.state, ConsumerGroup) else None
        if owns == "silent" or known is None:
            return None
        pending = known.pending if owns == "all" else ()
        return () if owns == "nothing" else tuple(sorted((*known.assigned, *pending)))

    def teardown(self) -> None:
        if hasattr(self, "clock"):
            heal(self.clock)
            assert converged(self.clock), "left in peace, everybody comes to the target"
            self.clock.finish()


TestGroup = GroupMachine.TestCase
TestGroup.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)


def test_a_classic_group_that_is_deleted_takes_the_records_of_its_predecessor_with_it() -> None:
    """Found by the machine: replaying the tombstone of GroupMetadata removes whatever group has that name
    (GroupMetadataManager.replay), also the records of an empty consumer group that it took over.
    """
    machine = GroupMachine()
    machine.begin(
        chosen={
            "broker_version": "4.4",
            "group_consumer_migration_policy": "bidirectional",
            "group_consumer_assignment_interval_ms": "0",
            "group_consumer_max_size": "3",
            "group_initial_rebalance_delay_ms": "0",
        },
        first=["native"],
    )
    machine.alarms_ring(times=1)
    machine.classic_joins_again(number=0, owns="assigned", protocols=("range",), topics=("a",))
    machine.classic_joins(instance=None, protocols=("range",), topics=("a",), version=9)
    machine.somebody_deletes_the_group(how=1)
    machine.teardown()
