"""Every built-in scenario runs green under other seeds, and at its full length; parameters and settings reach it.

Under its own seed each is played once, in `tests.diagnosis.test_scenarios`.
"""

from __future__ import annotations

import inspect

import pytest

from groupsim import analysis
from groupsim.coordinator.config import BadSetting
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.client import ProcessStarted
from groupsim.events.world import CheckMade
from groupsim.scenarios.catalogue import find, names
from groupsim.simulation.clients.config import Library
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import RunResult, run
from groupsim.storage.memory import MemoryStore
from tests.analysis.naive_outages import differences_simulated
from tests.scenarios.shorter import every_scenario
from tests.thinned import ALL, some


def _run(name: str, seed: int | None = None, **settings: int | float | str | bool) -> tuple[RunResult, MemoryStore]:
    store = MemoryStore()
    named = {key.replace("__", "."): value for key, value in settings.items()}
    return run(find(name), store, seed=seed, settings=named, record="facts"), store


@pytest.mark.parametrize(
    ("name", "seed", "own"),
    [
        *((name, None, {}) for name in names() if ALL),
        *((name, 4711, own) for name, own in some(every_scenario(), 4)),
    ],
    ids=[*(name for name in names() if ALL), *(f"{name}-another seed" for name in some(names(), 4))],
)
def test_every_story_goes_well(name: str, seed: int | None, own: dict[str, str]) -> None:
    result, store = _run(name, seed, **own)
    assert result.info.seed == (find(name).seed if seed is None else seed)
    goes_well(result, store)


def goes_well(result: RunResult, store: MemoryStore) -> None:
    """Check a run and what is computed of it."""
    assert result.failure is None
    assert result.ok, result.violations
    assert result.info.status == "finished"
    assert all(f.event.ok for f in store.read(result.info.id) if isinstance(f.event, CheckMade))
    loaded = analysis.load(store)
    found = loaded.intervals
    assert found
    assert differences_simulated(loaded.state_changing, found) == []
    assert not [i for i in found if i.label == "UNKNOWN"]
    assert not [i for i in found if i.sub_label == "both-entitled"]


@pytest.mark.parametrize("name", names())
def test_every_story_is_documented_by_its_docstring(name: str) -> None:
    story = find(name)
    assert story.name == name
    assert inspect.getdoc(story.story)
    assert story.about.endswith(".")


def test_the_first_four_are_there() -> None:
    assert {"steady_state", "rolling_restart", "zombie_member", "eager_vs_cooperative"} <= set(names())


def test_a_parameter_of_the_story_is_taken() -> None:
    result, store = _run("steady_state", members="5", partitions=7)
    started = [f for f in store.read(result.info.id) if isinstance(f.event, ProcessStarted)]
    assert len(started) == 5
    assert len({i.partition for i in analysis.load(store).intervals}) == 7
    assert result.info.params == {"members": "5", "partitions": 7}


def test_a_setting_of_kafkas_wins_over_what_the_story_says() -> None:
    _, store = _run("zombie_member", session__timeout__ms=20_000)
    configs = [f.event.config for f in store.read(store.runs()[0].id) if isinstance(f.event, ProcessStarted)]
    assert {config["session.timeout.ms"] for config in configs} == {20_000}
    assert {config["heartbeat.interval.ms"] for config in configs} == {3_000}


def test_a_setting_of_the_broker_is_taken() -> None:
    at = {}
    for delay in (0, 3_000):
        _, store = _run("steady_state", group__initial__rebalance__delay__ms=delay)
        at[delay] = next(f.at_ms for f in store.read(store.runs()[0].id) if isinstance(f.event, JoinPhaseCompleted))
    assert at[0] < 1_000 < at[3_000]


def test_a_scenario_lasts_as_long_as_it_is_set() -> None:
    result, _ = _run("steady_state", duration__ms=240_000)
    assert result.info.simulated_ms == 240_000
    short, _ = _run("steady_state", duration__ms=10_000)
    assert short.failure is not None
    assert "give it more with --set duration.ms=" in short.failure
    assert short.info.status == "failed"


def test_a_story_that_fails_is_a_failed_run_with_a_sentence() -> None:
    result, _ = _run("zombie_member", session__timeout__ms=90_000)
    assert not result.ok
    assert result.failure is not None
    assert result.failure.endswith("not true that bob took over")


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("sesion.timeout.ms", r"unknown setting 'sesion.timeout.ms'; near names: session.timeout.ms"),
        ("member", r"unknown setting 'member'; near names: members"),
        ("zzzzzz", r"unknown setting 'zzzzzz'$"),
    ],
)
def test_an_unknown_setting_lists_what_is_near(setting: str, sentence: str) -> None:
    store = MemoryStore()
    with pytest.raises(BadSetting, match=sentence):
        run(find("steady_state"), store, settings={setting: 1})
    assert store.runs() == []


def test_an_unknown_assignor_in_a_parameter_is_reported_before_a_run_begins() -> None:
    store = MemoryStore()
    with pytest.raises(BadSetting, match=r"parameter eager: unknown assignor 'rnage'; near names: range"):
        run(find("eager_vs_cooperative"), store, settings={"eager": "rnage"})
    with pytest.raises(BadSetting, match="parameter assignors: unknown assignor 'stiky'; near names: sticky"):
        run(find("one_departure"), store, settings={"assignors": "range,stiky"})
    assert store.runs() == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("steady_stat", r"unknown scenario 'steady_stat'; near names: steady_state"),
        ("dsl", "unknown scenario 'dsl'"),
        ("catalogue", "unknown scenario 'catalogue'"),
        ("", "unknown scenario ''"),
        ("steady_state::other", "no scenario 'other'"),
    ],
)
def test_an_unknown_scenario_lists_what_is_near(name: str, sentence: str) -> None:
    with pytest.raises(BadScenario, match=sentence):
        find(name)


@pytest.mark.parametrize("client", list(Library))
def test_who_waits_for_a_long_batch_is_as_its_library_says(client: Library) -> None:
    result, store = _run("one_slow_member", seed=3, client=client)
    goes_well(result, store)
