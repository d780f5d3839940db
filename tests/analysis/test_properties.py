"""Properties of any log, sensible or not: time is covered once, sums agree, order and noise do not matter."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.size import story
from groupsim.analysis.availability import conditions, view
from groupsim.analysis.availability.intervals import Interval, intervals
from groupsim.analysis.availability.rules import decide
from groupsim.analysis.availability.view import Changes, GroupView
from groupsim.analysis.tables.summary import unavailable
from groupsim.analysis.timelines.builder import rebalances
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Event, Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupEmptied
from groupsim.events.network import LinkCut, LinkHealed
from groupsim.events.types import TopicPartition
from groupsim.events.world import PartitionsAdded
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import Scenario, run
from groupsim.storage.memory import MemoryStore
from tests.adversary.compare import facts_of
from tests.analysis.log import Log, offsets, replay, tps
from tests.thinned import examples

NAMES = ("a", "b")
PARTS = ((), (0,), (1,), (0, 1), (2,))


def of_group(name: str, parts: tuple[int, ...], generation: int) -> list[Event]:
    member, rest = f"{name}-id", tuple(n for n in range(3) if n not in parts)
    other = "b-id" if name == "a" else "a-id"
    return [
        GroupCreated(),
        c.MemberAdded(member=member, client_host=name, request=1),
        c.MemberRemoved(member=member, cause="session-expired"),
        c.MemberReplaced(instance_id=name, old=member, member=member + "2", client_host=name),
        c.RebalanceStarted(generation=generation, cause="member-joined", reason="", member=member),
        c.JoinPhaseCompleted(generation=generation, members=(member, other), size=2),
        c.JoinPhaseCompleted(generation=generation, members=(member,), size=1, dropped=(other,)),
        c.AssignmentStored(generation=generation, assignment={member: tps(*parts), other: tps(*rest)}),
        c.AssignmentStored(generation=generation, assignment={member: tps(*parts)}),
        c.AssignmentStored(generation=generation),
        GroupEmptied(generation=generation),
        CoordinatorUnloaded(),
        CoordinatorLoaded(),
    ]


def of_client(x: str, parts: tuple[int, ...], generation: int) -> list[Event]:
    return [
        p.ProcessStarted(process=x, client_id=x),
        p.Crashed(process=x),
        p.Frozen(process=x),
        p.Thawed(process=x),
        p.JoinSent(process=x, member=f"{x}-id"),
        p.SyncOk(process=x, member=f"{x}-id", generation=generation),
        p.GenerationReset(process=x, reason="", member_id_too=bool(parts)),
        p.RevocationPending(process=x, partitions=tps(*parts)),
        p.CallbackStart(process=x, kind="revoked", partitions=tps(*parts)),
        p.CallbackEnd(process=x, kind="revoked"),
        p.ViewChanged(process=x, partitions=tps(*parts)),
        p.PositionReady(process=x, offsets=offsets(*parts)),
        p.RestoreStart(process=x, partitions=tps(*parts)),
        p.Paused(process=x, partitions=tps(*parts)),
        p.Resumed(process=x, partitions=tps(*parts)),
        p.Closed(process=x),
        LinkCut(a=x, b="data"),
        LinkHealed(a=x, b="data"),
    ]


WORLD: list[Event] = [PartitionsAdded(topic="orders", partitions=3)]
NOISE: list[Event] = [c.HeartbeatReceived(member="a-id", generation=1, error="NONE"), p.PollStart(process="a")]


@st.composite
def logs(draw: st.DrawFn) -> Log:
    """Any facts of two processes and their group, at any instants, simulated or recorded."""
    log = Log(source=draw(st.sampled_from([None, None, "x.log:1"])))
    now = 0
    for _ in range(draw(st.integers(0, 40))):
        now += draw(st.sampled_from([0, 0, 1, 7]))
        name, parts = draw(st.sampled_from(NAMES)), draw(st.sampled_from(PARTS))
        kinds = of_group(name, parts, draw(st.integers(1, 4))) + of_client(name, parts, 1) + WORLD
        put(log, now, draw(st.sampled_from(kinds)))
    return log.end(now + draw(st.sampled_from([0, 5])))


def put(log: Log, at_ms: int, event: Event) -> None:
    if isinstance(event, p.ClientEvent):
        log.client(at_ms, event)
    elif isinstance(event, LinkCut | LinkHealed):
        log.network(at_ms, event)
    elif isinstance(event, PartitionsAdded):
        log.world(at_ms, event)
    else:
        log.group(at_ms, event)


@given(logs())
@settings(max_examples=examples(50, 150), deadline=None)
def test_intervals_cover_the_time_of_each_partition_once_and_are_maximal(log: Log) -> None:
    end = log.facts[-1].at_ms
    lines = defaultdict(list)
    for i in intervals(log.facts):
        assert i.from_ms < i.to_ms
        lines[i.group, i.topic, i.partition].append(i)
    for line in lines.values():
        assert line[-1].to_ms == end
        for one, next_one in itertools.pairwise(line):
            assert one.to_ms == next_one.from_ms
            assert (one.label, one.sub_label, one.member, one.cause) != (
                next_one.label,
                next_one.sub_label,
                next_one.member,
                next_one.cause,
            )
    if log.source is None and end > 0:
        assert all(lines["billing", "orders", n][0].from_ms == 0 for n in (0, 1))


class Thorough(GroupView):
    """Asks for the verdict of each partition by itself, after each millisecond that has a fact."""

    def condition(self, tp: TopicPartition) -> TopicPartition:
        return tp

    def take_changes(self) -> Changes:
        changes = super().take_changes() or Changes([], set(), False)
        return changes._replace(all_affected=True)


def thoroughly(facts: list[Recorded]) -> Sequence[Interval]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conditions, "GroupView", Thorough)
        return intervals(facts)


@given(logs())
@settings(max_examples=examples(80, 300), deadline=None)
def test_a_verdict_that_is_not_computed_again_has_not_changed(log: Log) -> None:
    assert intervals(log.facts) == thoroughly(log.facts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["accidental_range_consumer", "cut_from_coordinator", "rolling_restart", "swarm", "zombie_member"]
)
def test_nor_has_it_in_a_scenario(name: str) -> None:
    store = MemoryStore()
    facts = list(store.read(run(find(name), store, record="facts").info.id, types=STATE_CHANGING))
    assert intervals(facts) == thoroughly(facts)


@pytest.mark.parametrize(("seed", "faults"), [(910_015, "15"), (910_016, "30"), (910_017, "5"), (910_018, "15")])
def test_nor_has_it_in_a_drawn_consumer_group(seed: int, faults: str) -> None:
    """In the first one a classic member in a consumer group reconciles while an older id of it has a partition."""
    shares = {"classic_share": "0.3", "static_share": "0.3", "pattern_share": "0.6", "faults": faults}
    facts = facts_of("consumer_swarm", seed, shares)
    assert intervals(facts) == thoroughly(facts)


def decided(facts: list[Recorded]) -> int:
    """How often a verdict is computed."""
    with pytest.MonkeyPatch.context() as patch:
        counted = Mock(wraps=decide)
        patch.setattr(view, "decide", counted)
        intervals(facts)
    return counted.call_count


def test_a_member_that_reconciles_leaves_the_verdicts_of_the_others_alone() -> None:
    """As many members reconcile in a rebalance as there are: to ask all partitions after each is quadratic."""
    asked = []
    for members in (20, 80):
        store = MemoryStore()
        script = story(members, members, {"protocol": "consumer", "assignor": "uniform"})
        asked.append(decided(list(store.read(run(Scenario("many", script, 1, 30_000), store, record="facts").info.id))))
    assert asked[1] / asked[0] < 6  # four times the members; 692 and 7,216 if all are asked


@given(logs())
@settings(max_examples=examples(30, 100), deadline=None)
def test_the_parts_by_label_add_up_to_the_whole(log: Log) -> None:
    found = intervals(log.facts)
    figures = unavailable(found)
    served = sum(i.duration_ms for i in found if i.available)
    assert sum(figures["by_label"].values()) == figures["partition_ms"]
    assert figures["partition_ms"] + served + figures["unknown_ms"] == sum(i.duration_ms for i in found)
    assert figures["max_partitions"] <= 3


@given(logs(), st.integers(0, 60))
@settings(max_examples=examples(30, 100), deadline=None)
def test_the_past_does_not_depend_on_the_future_of_a_simulated_run(log: Log, until_ms: int) -> None:
    if log.source is not None:
        return
    early = intervals(log.facts, until_ms=until_ms)
    late = [i for i in intervals(log.facts) if i.from_ms < until_ms]
    assert [(i.partition, i.label, i.from_ms) for i in early] == [(i.partition, i.label, i.from_ms) for i in late]


@given(logs())
@settings(max_examples=examples(20, 50), deadline=None)
def test_noise_changes_nothing(log: Log) -> None:
    noisy = Log(source=log.source)
    noisy.facts.clear()
    for fact in log.facts:
        noisy.add(fact.at_ms, fact.stream, fact.event)
        noisy.group(fact.at_ms, NOISE[0])
    assert intervals(noisy.facts) == intervals(log.facts) or log.source is not None
    assert rebalances(noisy.facts) == rebalances(log.facts)
    assert replay(noisy.facts) == replay(log.facts)


@given(logs())
@settings(max_examples=examples(30, 100), deadline=None)
def test_rebalances_never_overlap_in_one_group(log: Log) -> None:
    rows = rebalances(log.facts)
    for one, next_one in itertools.pairwise(rows):
        assert one.ended_ms is not None
        assert one.started_ms <= one.ended_ms <= next_one.started_ms
