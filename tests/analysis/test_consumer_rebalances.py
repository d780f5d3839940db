"""Rebalances, blame and ownership of consumer groups and of groups that change their protocol (KIP-848)."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from groupsim import analysis
from groupsim.analysis.runs import Run
from groupsim.analysis.timelines.rebalance import PhaseEnd, PhaseName, Rebalance
from groupsim.events import client as p
from groupsim.events import consumer as c
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.scenarios.consumer_swarm import consumer_swarm
from groupsim.scenarios.dsl import World, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.run import run as simulate
from groupsim.storage.memory import MemoryStore
from tests.analysis.consumer_stories import HEARTBEAT, SESSION, played
from tests.analysis.test_blame_adds_up import whole
from tests.simulation.finished_run import play
from tests.simulation.test_faults import SERVER


def loaded(name: str) -> Run:
    return analysis.load(played(name).store)


def phases(r: Rebalance) -> dict[str, tuple[int, str | None]]:
    """Each phase's length in ms, and who was waited for."""
    return {phase.name: ((phase.to_ms or 0) - phase.from_ms, phase.waited_for) for phase in r.phases}


def test_a_rebalance_is_a_growth_of_the_epoch_until_all_members_have_reached_it() -> None:
    run = played("grown")
    row = loaded("grown").rebalance_rows[-1]
    bumped, fact = run.each(c.GroupEpochBumped)[-1]
    reached = [at for at, e in run.each(c.MemberReconciled, state=c.MemberState.STABLE) if e.epoch == fact.epoch]
    assert (row.generation, row.started_ms, row.ended_ms) == (fact.epoch, bumped, reached[-1])
    assert (row.cause, row.initiator, row.members, row.slowest_member) == ("member-joined", "late.0", 3, "late.0")
    assert (row.moved, row.revoked) == (2, 2)


def test_its_phases_have_names_and_touch_each_other() -> None:
    row = loaded("grown").rebalance_rows[-1]
    found = phases(row)
    assert list(found) == ["told", "revoking", "acknowledging", "granting"]
    assert 0 < found["told"][0] <= HEARTBEAT  # a member is informed by the answer to its next heartbeat
    assert found["acknowledging"] == (1, found["revoking"][1])  # sent at once, and a millisecond on its way
    assert 0 < found["granting"][0] <= HEARTBEAT
    assert found["granting"][1] == "late.0"
    assert all(one.to_ms == other.from_ms for one, other in pairwise(row.phases))
    assert (row.phases[0].from_ms, row.phases[-1].to_ms) == (row.started_ms, row.ended_ms)


def test_epochs_that_come_before_the_assignment_interval_is_over_have_one_target() -> None:
    first, second, third, _ = loaded("killed").rebalance_rows
    assert first.generation == 2
    assert second.started_ms == third.started_ms
    assert phases(second)[PhaseName.ASSIGNING] == phases(third)[PhaseName.ASSIGNING]
    assert (second.moved, third.moved) == (0, 4)
    assigning = phases(second)[PhaseName.ASSIGNING]
    assert assigning[1] is None
    assert assigning[0] >= 1_000  # group.consumer.assignment.interval.ms


def test_a_dead_member_costs_its_session_and_then_a_heartbeat_of_the_one_who_gets_its_partitions() -> None:
    run = loaded("killed")
    row = run.rebalance_rows[-1]
    assert (row.cause, row.initiator, row.members, row.moved, row.revoked) == ("session-expired", "b.0", 2, 2, 2)
    since = [x for x in run.reasons if x.cause and "b.0" in x.cause]
    by_phase: Counter[tuple[str, str | None]] = Counter()
    for piece in since:
        by_phase[piece.phase.value, piece.configuration] += piece.duration_ms
    assert 0 < by_phase["detecting", "group.consumer.session.timeout.ms"] <= 2 * SESSION
    interval = "group.consumer.heartbeat.interval.ms"
    assert 0 < by_phase["told", interval] + by_phase["assigning", interval] <= 2 * HEARTBEAT
    assert {name for name, _ in by_phase} <= {"detecting", "assigning", "told", "granting", "positioning"}


def test_a_group_that_changes_its_protocol_has_rebalances_of_both() -> None:
    run = loaded("converted")
    rows = run.rebalance_rows
    named = [(row.generation, row.cause, row.by_epoch) for row in rows]
    assert named[:3] == [(1, "member-joined", False), (None, "member-left", False), (2, "member-joined", True)]
    assert named[-2:] == [(6, "member-joined", True), (7, "downgraded", False)]
    end = rows[-1].ended_ms
    granted = run.ownership(between=(0, end)).query("perspective == 'granted'")
    before = granted.groupby("partition")["member"].last()
    assert rows[-1].moved == sum(
        before[tp.partition] != member for tp, member in rows[-1].assignment.items()
    )  # and nothing that moved while it was a consumer group
    assert all(row.ended_ms is not None for row in rows)


def test_who_is_removed_before_it_has_reached_the_epoch_is_waited_for_until_then() -> None:
    def story(world: World) -> Script:
        world.configure_broker(SERVER)
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", protocol="consumer")
        a, b = group.join("a", "b", topics=[orders])
        yield group.stable(members=2, within=seconds(8))
        yield world.sleep(seconds(10) - world.now)
        b.freeze()
        group.join("late", topics=[orders])
        yield world.sleep(seconds(12))
        b.thaw()
        yield group.stable(members=3, within=seconds(15))
        world.check(a.running, "a was there all the time")

    run = play(story, seconds(45))
    row = next(r for r in analysis.load(run.store).rebalance_rows if r.initiator == "late.0")
    removed = run.one(c.ConsumerMemberRemoved)[0]
    (informed,) = [phase for phase in row.phases if phase.name is PhaseName.TOLD]
    assert (informed.waited_for, informed.to_ms, informed.ended_by) == ("b.0", removed, PhaseEnd.REMOVAL)
    assert row.ended_ms is not None
    assert row.ended_ms >= removed


def test_a_static_member_that_is_away_is_waited_for_by_an_epoch_that_grows_meanwhile() -> None:
    def story(world: World) -> Script:
        world.configure_broker(SERVER)
        orders = world.topic("orders", partitions=4)
        group = world.group("billing", protocol="consumer")
        a, _ = group.join("a", "b", topics=[orders], static=True)
        yield group.stable(members=2, within=seconds(8))
        yield world.sleep(seconds(10) - world.now)
        yield a.close()
        group.join("late", topics=[orders])
        yield world.sleep(seconds(3))
        yield a.start()
        yield group.stable(members=3, within=seconds(15))

    run = play(story, seconds(40))
    found = analysis.load(run.store)
    row = next(r for r in found.rebalance_rows if r.initiator == "late.0")
    back = run.one(c.StaticMemberReplaced)[0]
    assert row.ended_ms is not None
    assert row.ended_ms >= back
    away = [x for x in found.reasons if x.phase == "away"]
    assert sum(x.duration_ms for x in away) == 2 * (back - run.one(p.Closed, process="a.0")[0])
    assert {x.configuration for x in away} == {"group.instance.id"}


def test_granted_ownership_is_what_members_may_use_or_have_to_give_up() -> None:
    run = loaded("grown")
    granted = run.ownership().query("perspective == 'granted' and member == 'late.0'")
    believed = run.ownership().query("perspective == 'believed' and member == 'late.0'")
    assert len(granted) == len(believed) == 2
    assert (granted["start"].to_numpy() <= believed["start"].to_numpy()).all()


def test_the_summary_counts_epochs_and_members() -> None:
    group = loaded("grown").summary()["groups"]["billing"]
    assert group == {"protocol": "consumer", "rebalances": 3, "generation": 4, "members": 3}


@pytest.mark.parametrize("name", ["grown", "killed", "converted"])
def test_paths_lead_from_the_start_of_a_rebalance_to_its_end(name: str) -> None:
    run = loaded(name)
    for number, row in enumerate(run.rebalance_rows):
        if not row.by_epoch or row.duration_ms == 0:
            continue
        steps = sorted((s for s in run.steps if s.round == number and s.critical), key=lambda s: s.from_ms)
        assert (steps[0].from_ms, max(s.to_ms for s in steps)) == (row.started_ms, row.ended_ms)
        assert all(one.to_ms == other.from_ms for one, other in pairwise(steps))
        assert all(s.saved_ms is None or 0 <= s.saved_ms <= (row.duration_ms or 0) for s in steps)


EXAMPLES = Path(__file__).parents[2] / "examples" / "consumer-groups"
Recorded = tuple[int | None, str, int | None, int | None]


@pytest.mark.parametrize(
    ("name", "logs", "expected"),
    [
        ("kill9-uniform", "*.log.gz", [(2, "member-joined", 1, 0), (5, "session-expired", 2, 4)]),
        ("kill9-librdkafka", "*.log.gz", [(2, "member-joined", 1, 0), (5, "session-expired", 2, 4)]),
        ("kill9-uniform", "broker.log.gz", [(2, "member-joined", None, None), (5, "session-expired", None, None)]),
    ],
)
def test_recorded_epochs_end_where_the_logs_of_all_members_show_it(
    name: str, logs: str, expected: list[Recorded]
) -> None:
    store = MemoryStore()
    import_run(read_files(sorted((EXAMPLES / name).glob(logs))), store, name=None, topics={})
    run = analysis.load(store)
    rows = run.rebalance_rows
    found = [(row.generation, row.cause, row.members, row.moved) for row in rows]
    assert [found[0], found[-1]] == expected
    assert [row.generation for row in rows] == [2, 3, 4, 5]
    complete = logs != "broker.log.gz"
    assert all((row.ended_ms is not None) == complete for row in rows)
    assert all((row.duration_ms or 0) < 2_500 for row in rows)  # heartbeats of half a second
    whole(run.reasons, run.intervals)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 9_999), share=st.sampled_from([0.0, 0.4]))
@example(seed=230, share=0.4)
def test_whatever_happens_parts_add_up_and_rebalances_are_whole(seed: int, share: float) -> None:
    store = MemoryStore()
    simulate(consumer_swarm, store, seed=seed, settings={"classic_share": share}, record="facts")
    run = analysis.load(store)
    whole(run.reasons, run.intervals)
    assert "unknown" not in {piece.phase for piece in run.reasons}
    for row in run.rebalance_rows:
        assert all(one.to_ms == other.from_ms for one, other in pairwise(row.phases))
        assert all(phase.to_ms is not None for phase in row.phases[:-1])
    assert all(step.from_ms < step.to_ms for step in run.steps)
    assert all(step.saved_ms is None or step.saved_ms >= 0 for step in run.steps)
