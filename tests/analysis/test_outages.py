"""How long something was unavailable, and one partition at the longest; `naive_outages` counts again for all scenarios
(`tests/scenarios/test_builtin.py`), swarms, drawn logs, recordings and sweeps."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Label, SubLabel
from groupsim.analysis.availability.outages import Outage, outage
from groupsim.analysis.availability.without_holder import unheld
from groupsim.analysis.tables.summary import totals_of
from groupsim.events import client as p
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.adversary.compare import facts_of
from tests.analysis.log import GROUP, Log
from tests.analysis.naive_outages import differences, differences_simulated
from tests.analysis.test_held import callback
from tests.analysis.test_properties import logs
from tests.thinned import examples, some


def of(partition: int, label: Label, from_ms: int, to_ms: int, group: str = "g", sub: str | None = None) -> Interval:
    return Interval(group, "t", partition, label, sub, None, "crash a", from_ms, to_ms)


def numbers(found: list[Interval]) -> tuple[int, int, int]:
    shown = totals_of(found, frozenset()).unavailable()
    return shown["outage_ms"], shown["longest_partition_ms"], shown["max_partitions"]


def test_time_with_something_unavailable_counts_once_however_many_partitions_and_groups() -> None:
    found = [
        of(0, Label.OWNER_DEAD, 10, 20),
        of(1, Label.WITHHELD, 15, 30),
        of(0, Label.UNOWNED, 25, 40, "h"),
        of(2, Label.WITHHELD, 50, 60),
    ]
    assert numbers(found) == (40, 15, 2)
    shown = totals_of(found, frozenset()).with_shares({})
    assert {name: (group["outage_ms"], group["longest_partition_ms"]) for name, group in shown.items()} == {
        "g": (30, 15),
        "h": (15, 15),
    }


def test_an_outage_of_one_partition_goes_on_under_another_label_and_ends_where_nothing_is_known() -> None:
    found = [
        of(0, Label.OWNER_DEAD, 10, 20),
        of(0, Label.WITHHELD, 20, 30),
        of(0, Label.DOUBLE, 30, 35, sub=SubLabel.NONE_ENTITLED),
        of(0, Label.DOUBLE, 35, 40, sub=SubLabel.ZOMBIE_AND_OWNER),
        of(0, Label.UNOWNED, 40, 50),
        of(0, Label.UNKNOWN, 50, 90),
        of(0, Label.UNOWNED, 90, 95),
    ]
    assert numbers(found) == (40, 25, 1)


@given(logs(), st.randoms())
@settings(max_examples=examples(60, 300), deadline=None)
def test_drawn_logs_agree_with_a_count_of_milliseconds_in_any_order(log: Log, chance: random.Random) -> None:
    found = list(intervals(log.facts))
    chance.shuffle(found)
    assert differences(found) == []
    assert differences(found, frozenset()) == []
    if log.source is None and all(each.sub_label is not SubLabel.NO_LOG for each in found):  # it simulates all members
        assert differences_simulated(log.facts, intervals(log.facts)) == []


@pytest.mark.parametrize("seed", some(range(100, 130), 6))
@pytest.mark.parametrize("name", ["swarm", "consumer_swarm"])
def test_swarms_agree_with_a_count_of_milliseconds(name: str, seed: int) -> None:
    facts = facts_of(name, seed)
    assert differences_simulated(facts, intervals(facts)) == []


def test_a_group_that_never_worked_has_an_outage_after_start_up_only_of_another_cause() -> None:
    store = MemoryStore()
    result = run(find("steady_state"), store, settings={"duration.ms": 2_000}, record="facts")
    facts = list(store.read(result.info.id))
    assert totals_of(intervals(facts)).unavailable()["after_start"]["outage_ms"] == 0
    assert differences_simulated(facts, intervals(facts)) == []


def test_the_time_without_a_holder_has_the_same_measures() -> None:
    log = callback(Log(2), 0, 100, "a.0", "assigned", 0)
    callback(log, 0, 200, "b.0", "assigned", 1)
    callback(log, 400, 400, "b.0", "revoked", 1)
    callback(log, 450, 450, "b.0", "assigned", 1)
    callback(log, 450, 480, "b.0", "revoked", 1)  # held for no time
    log.client(460, p.Frozen(process="a.0")).client(500, p.Thawed(process="a.0"))
    found = unheld(log.facts, GROUP, 600)
    assert found.outage(200, 600) == Outage(200, 200)
    assert found.outage(470, 490) == Outage(20, 20)
    assert found.outage(0, 300) == Outage(200, 200)
    assert outage([]) == Outage(0, 0)
