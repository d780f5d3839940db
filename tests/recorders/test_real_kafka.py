"""What a real Kafka 4.4 was recorded to do is what the simulator does; the page says so. No Kafka runs here."""

from __future__ import annotations

import pytest

from groupsim.conformance.scripts.play import play
from groupsim.conformance.timelines.recording import parse
from groupsim.conformance.timelines.reenact import reenact
from recorders.page import conformance_page as pages
from recorders.page import known_differences, timelines_section
from recorders.page.conformance_page import UNRECORDED
from recorders.scripts.classic import failovers
from recorders.scripts.classic.random_scripts import draw, steady
from recorders.timelines import comparison, recorder, scenarios
from recorders.timelines.comparison import outcome
from recorders.timelines.real_group import PlannedRun
from tests.conformance.runs import recording

LEAST = {"cases": 160, "matrix": 1_000, "random": 500, "failover": 12}
"""How many scripts of each family there must be."""
TIMELINES = recorder.read(pages.GOLDEN / "timelines")
FEW_SEEDS = range(6)


@pytest.mark.parametrize("family", pages.FAMILIES)
def test_a_real_brokers_answers_are_ours(family: str) -> None:
    every = pages.compared(family)
    assert len(every) >= LEAST[family]
    assert {name for name, said in every.items() if said is not None} <= {
        *known_differences.EXPLAINED,
        *known_differences.BY_CHANCE,
    }


def test_nothing_is_explained_that_does_not_differ() -> None:
    said = {name: found for family in pages.FAMILIES for name, found in pages.compared(family).items()}
    unstable = {n for names in pages.meta()["unstable"].values() for n in names}
    assert set(known_differences.EXPLAINED) <= {name for name, found in said.items() if found is not None} | unstable
    assert set(known_differences.BY_CHANCE) <= {*said, *unstable}
    never = {f"{row['plot']}__{row['way']}" for row in timelines_section.steady() if not timelines_section.met(row)}
    assert set(known_differences.TIMELINES) == never


def test_every_answer_of_the_releases_own_assignors_is_ours() -> None:
    found = pages.assignors()["assignors"]
    assert sorted(found) == ["cooperative-sticky", "range", "roundrobin", "server-range", "sticky", "uniform-4.1"]
    assert all(each["equal"] == 2_000 and not each["different"] for each in found.values())


def test_the_page_is_current() -> None:
    assert pages.PAGE.read_text("utf-8") == pages.page(), "run: python -m recorders.real page"


def test_every_transition_has_a_script_or_a_reason() -> None:
    without = {transition for transition, names in pages.transitions().items() if not names}
    assert without == set(UNRECORDED)


def test_every_recorded_run_has_its_repetition_and_its_row() -> None:
    runs = {record["id"].rpartition("__r")[0] for record in TIMELINES}
    wanted = {f"{run}__r{n}" for run in runs for n in (1, 2)}
    assert {record["id"] for record in TIMELINES} == wanted == {row["id"] for row in timelines_section.rows()}
    known = {scenario.name for scenario in scenarios.SCENARIOS}
    assert {record["scenario"] for record in TIMELINES} <= known


@pytest.mark.slow
def test_real_timelines_that_repeat_themselves_are_re_enacted() -> None:
    """Few seeds: a run that a twentieth of them shows need not be among them."""
    steady_ids = {row["id"] for row in timelines_section.steady() if row["share"] >= 0.5}
    missed = [
        record["id"]
        for record in TIMELINES
        if record["id"] in steady_ids
        and not any(outcome(reenact(record, seed, recorded_times=True)) == outcome(record) for seed in FEW_SEEDS)
    ]
    assert missed == []


def test_a_comparison_has_repetition_equivalence_and_durations() -> None:
    record = recording("S03-one-closes__range__d0__r1")
    again = {**record, "id": "S03-one-closes__range__d0__r2"}
    rows = comparison.compare([record, again], range(4))
    assert [row["repeats"] for row in rows] == [True, True]
    assert rows[0]["recorded_ms"] == record["summary"]["unavailable_partition_ms"]
    assert rows[0]["least_ms"] <= rows[0]["median_ms"] <= rows[0]["most_ms"]
    assert rows[0]["share"] > 0
    assert len(rows[0]["errors_ms"]) == 12
    other = {**again, "broker": [b for b in again["broker"] if b["kind"] != "join_completed"]}
    assert [row["repeats"] for row in comparison.compare([record, other], range(1))] == [False, False]


@pytest.mark.parametrize("scenario", scenarios.SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_can_be_re_enacted_before_it_is_recorded(scenario: scenarios.TimelineScenario) -> None:
    run = PlannedRun(scenario, scenarios.JAVA, "range", 1)
    actions = [{"action": a, "member": m, "incarnation": 0, "t_ms": at, **more} for at, a, m, more in scenario.actions]
    unrecorded = {
        "id": run.id,
        "assignor": "range",
        "config": {"partitions": {scenarios.TOPIC: 4}, "group.initial.rebalance.delay.ms": 1_000, **run.consumer},
        "members": list(scenario.members),
        "actions": actions,
        "run_end_ms": scenario.end_ms,
    }
    assert parse(unrecorded).members == scenario.members
    assert reenact(unrecorded, 1)["summary"]["last_generation"] >= 1


def test_scripts_are_drawn_from_their_seed_alone_and_depend_on_nothing_else() -> None:
    script = draw(3, 14)
    assert draw(3, 14) == script
    assert draw(3, 15)["steps"] != script["steps"]
    assert steady(script)


def test_a_failover_forgets_what_was_never_written() -> None:
    """The simulator plays the scripts with a failover without any recording."""
    played = {s["name"]: play(s)["steps"] for s in failovers.scripts()}
    last = {name: steps[-1]["response"] for name, steps in played.items()}
    assert last["F.stable"]["state"] == "Stable"
    assert last["F.never-stable"]["state"] == "Empty"
    assert last["F.parked-sync"]["error"] == "UNKNOWN_MEMBER_ID"
