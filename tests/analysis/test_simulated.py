"""Simulated runs read back: the folded state is the coordinator's own, and the readers agree with each other."""

from __future__ import annotations

from functools import cache

import pandas as pd
import pytest

from groupsim import analysis
from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label
from groupsim.analysis.classic_group_state import EMPTY, STABLE, ClassicGroupState
from groupsim.analysis.runs import Run
from groupsim.coordinator.classic import ClassicGroup, evolve
from groupsim.events.base import group_of, group_stream
from groupsim.invariants import Watch, all_invariants
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import run
from groupsim.simulation.settings import Settings
from groupsim.storage.memory import MemoryStore
from tests.analysis.in_ms import total_ms

COMMANDS: dict[str, tuple[str, Settings]] = {
    "cooperative": ("rolling_restart", {"members": 4, "partitions": 8, "duration.ms": 150_000}),
    "eager": ("rolling_restart", {"members": 3, "partitions": 8, "assignor": "range", "duration.ms": 120_000}),
    "zombie": ("zombie_member", {}),
    "both": ("eager_vs_cooperative", {"duration.ms": 100_000}),
}


@cache
def played(name: str) -> Run:
    scenario, settings = COMMANDS[name]
    store = MemoryStore()
    assert run(find(scenario), store, settings=settings).ok
    return analysis.load(store)


each_run = pytest.mark.parametrize("name", sorted(COMMANDS))


@each_run
def test_the_folded_state_is_the_coordinators_own_state_after_every_fact(name: str) -> None:
    states: dict[str, ClassicGroupState] = {}
    truth: dict[str, ClassicGroup] = {}
    compared = 0
    for fact in played(name).read():
        group = group_of(fact.stream)
        if group is None or fact.stream != group_stream(group):
            continue
        mine = states.setdefault(group, ClassicGroupState())
        mine.apply(fact.event)
        theirs = truth[group] = evolve(truth.get(group, ClassicGroup(id=group)), fact.event)
        assert (mine.state, mine.generation, mine.leader) == (
            theirs.phase.value,
            theirs.generation,
            theirs.leader,
        )
        assert sorted(mine.members) == sorted(theirs.members)
        if mine.state in (STABLE, EMPTY):
            assert dict(mine.plan()) == theirs.assignment
        compared += 1
    assert compared > 50


@each_run
def test_every_invariant_holds_and_says_what_it_saw(name: str) -> None:
    watch = Watch(all_invariants())
    for fact in played(name).read():
        watch.observe(fact)
    watch.finish()
    assert not any(watch.violations.values())
    assert watch.invariants[-1].note.startswith("slowest ")


@each_run
def test_in_the_end_every_partition_is_served_by_its_assigned_owner(name: str) -> None:
    shown = played(name)
    last = {(i.group, i.topic, i.partition): i for i in shown.intervals}
    assert {i.label for i in last.values()} == {Label.OK}
    groups = shown.replay()["groups"]
    for (group, topic, partition), i in last.items():
        (owner,) = [m for m, has in groups[group]["members"].items() if [topic, partition] in has["assigned"]]
        assert i.member is not None
        assert owner.startswith(i.member.rpartition(".")[0])


@each_run
def test_summary_table_and_noise_free_reading_agree(name: str) -> None:
    shown = played(name)
    figures = shown.summary()["unavailable"]
    assert total_ms(shown.unavailable(between=(0, None))["duration"]) == figures["partition_ms"]
    assert total_ms(shown.unavailable()["duration"]) == figures["after_start_ms"]
    assert intervals(shown.read()) == shown.intervals
    assert figures["unknown_ms"] == 0


def test_cooperative_keeps_most_partitions_while_eager_stops_all() -> None:
    rows = played("both").unavailable()
    after = rows[(rows["cause"] != "start") & (rows["label"] == "WITHHELD")]
    assert at_once(after[after["group"] == "cooperative"]) < at_once(after[after["group"] == "eager"]) == 24


def at_once(rows: pd.DataFrame) -> int:
    """The most partitions at one time."""
    return max(int(((rows["start"] <= moment) & (rows["end"] > moment)).sum()) for moment in rows["start"])


def test_a_zombie_works_beside_its_successor_until_it_is_back() -> None:
    shown = played("zombie").availability()
    double = shown[shown["label"] == "DOUBLE"]
    assert set(double["sub_label"]) == {"zombie+owner"}
    assert double["available"].all()
    assert double["duration"].sum() > pd.Timedelta("10 s")
    assert played("zombie").summary()["reprocessed_records"] > 0
