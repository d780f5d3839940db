"""Replays of recorded incidents: as they were, from their logs alone, and with other choices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest

from groupsim import replay
from groupsim.coordinator.config import BadSetting
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.aftermath import tail_ms
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.choice_result import ChoiceResult
from groupsim.replay.cost import Cost, replayed_cost
from groupsim.replay.fidelity import Fidelity, fidelity, generations_within
from groupsim.replay.player import ReplayedRun, replay_incident
from groupsim.replay.reconstruct.incarnation import StallKind
from groupsim.replay.reconstruct.incident import Incident, reconstruct
from groupsim.replay.replayed_group import GROUP
from groupsim.replay.what_if import compare_choices
from groupsim.replay.window import Window
from groupsim.scenarios import catalogue
from groupsim.storage.memory import MemoryStore

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"
SEEDS = range(6)
ALL = ("kill9-range", "max-poll-range", "rolling-restart-cooperative", "rolling-restart-range", "static-restart-range")


@cache
def example(name: str, logs: str = "*.log.gz") -> Incident:
    """The incident of an example."""
    store = MemoryStore()
    run = import_run(read_files(sorted((EXAMPLES / name).glob(logs))), store, name=None, topics={"orders": 12}).run
    facts = list(store.read(run.id))
    (group,) = {fact.stream for fact in facts if fact.stream.startswith("group:")}
    return reconstruct(facts, group.removeprefix("group:"))


def replayed(name: str) -> Fidelity:
    """How near an exact replay of the example is to its record."""
    incident = example(name)
    return fidelity(
        incident.generations, [replay_incident(incident, AS_RECORDED, seed, exact=True) for seed in range(3)]
    )


def results(name: str, *choices: Choice) -> list[ChoiceResult]:
    """As recorded, then the choices."""
    incident = example(name)
    again = partial(replay_incident, incident, tail_ms=tail_ms(incident, choices))
    return compare_choices(again, measure(incident), choices, SEEDS)


def measure(incident: Incident) -> Callable[[ReplayedRun], Cost]:
    """What a replay costs from when the group first worked."""
    window = Window(0, incident.ends_ms)
    return lambda run: replayed_cost(run.facts, GROUP, window, run.from_ms, run.to_ms)


@pytest.mark.parametrize("name", ["kill9-range", "rolling-restart-cooperative", "static-restart-range"])
def test_the_story_out_of_the_logs_gives_the_recorded_generations_and_phases(name: str) -> None:
    found = replayed(name)
    assert found.played == found.recorded == found.matched
    assert found.holds
    assert found.median_error_ms is not None
    assert found.median_error_ms <= 15


@pytest.mark.parametrize("name", ALL)
def test_no_example_is_off_by_more_than_one_generation(name: str) -> None:
    """In the others a join falls within milliseconds of a join phase's end, or of a heartbeat."""
    found = replayed(name)
    assert abs(found.played - found.recorded) <= 1
    assert sum(phase.met for phase in found.phases) >= len(found.phases) - 1


def test_a_killed_member_dies_after_its_last_heartbeat_and_its_session_ends_as_recorded() -> None:
    incident = example("kill9-range")
    (killed,) = [incarnation for incarnation in incident.incarnations if incarnation.ending == "kill"]
    assert (killed.name, killed.expired_ms) == ("m2.0", 13_279)
    removed = next(g for g in incident.generations if g.cause == "session-expired")
    played = next(
        g
        for g in generations_within(replay_incident(incident, AS_RECORDED, 1, exact=True))
        if g.cause == "session-expired"
    )
    assert played.started_ms is not None
    assert removed.started_ms is not None
    assert abs(played.started_ms - removed.started_ms) <= 20


def test_an_overlong_batch_begins_one_poll_interval_before_the_member_left() -> None:
    incident = example("max-poll-range")
    (stall,) = [stall for incarnation in incident.incarnations for stall in incarnation.stalls]
    assert stall.kind == StallKind.BUSY
    assert incident.settings["max.poll.interval.ms"] == 10_000
    assert (stall.expired_ms, stall.to_ms) == (17_909, 21_959)


def test_timeouts_are_read_off_the_records_own_times() -> None:
    settings = example("kill9-range").settings
    assert settings["heartbeat.interval.ms"] == 1_000
    assert settings["session.timeout.ms"] == 6_000
    assert settings["group.initial.rebalance.delay.ms"] == 0
    assert example("static-restart-range").settings["session.timeout.ms"] == 6_000


def test_a_longer_session_leaves_a_dead_members_partitions_longer_alone() -> None:
    incident = replace(example("kill9-range"), open_settings={})  # as if the likeliest session were given
    choice = Choice(name="10 s", settings={"session.timeout.ms": "10000"})
    again = partial(replay_incident, incident, tail_ms=tail_ms(incident, [choice]))
    before, after = compare_choices(again, measure(incident), [choice], SEEDS)
    assert before.unavailable_partition_ms.median > 24_000
    longer = after.unavailable_partition_ms.median - before.unavailable_partition_ms.median
    assert 10_000 <= longer <= 22_000  # four partitions for four more seconds, give or take the heartbeats
    assert after.versus_baseline is not None
    assert after.versus_baseline > 1.2
    assert after.direction == 1


def test_a_choice_is_paid_for_even_beyond_the_end_of_the_record() -> None:
    incident = example("kill9-range")
    long = Choice(name="60 s", settings={"session.timeout.ms": "60000"})
    cut, whole = [
        compare_choices(partial(replay_incident, incident, tail_ms=tail), measure(incident), [long], range(2))[1]
        for tail in (0, tail_ms(incident, [long]))
    ]
    assert whole.unavailable_partition_ms.least > cut.unavailable_partition_ms.most + 4 * 40_000


def test_static_members_that_restart_in_time_cause_no_rebalance() -> None:
    before, after = results("rolling-restart-range", Choice(name="static", static=True))
    assert before.rebalances.least >= 6
    assert after.rebalances.most <= 2  # those of the start


def test_a_dynamic_restart_rebalances_where_a_static_one_did_not() -> None:
    before, after = results("static-restart-range", Choice(name="dynamic", static=False))
    assert after.rebalances.median > before.rebalances.median


def test_a_quicker_restart_of_static_members_costs_less() -> None:
    _, quick, slow = results(
        "rolling-restart-range",
        Choice(name="quick", static=True, restart_ms=500),
        Choice(name="slow", static=True, restart_ms=3_000),
    )
    assert quick.unavailable_partition_ms.most < slow.unavailable_partition_ms.least


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    incident = example("kill9-range")
    one, again, other = [replay_incident(incident, AS_RECORDED, seed).facts for seed in (3, 3, 4)]
    assert [(f.at_ms, f.event) for f in one] == [(f.at_ms, f.event) for f in again]
    assert [f.at_ms for f in one] != [f.at_ms for f in other]


def test_a_session_below_the_limit_that_the_choice_names_is_an_error() -> None:
    own = {"session.timeout.ms": "3000", "group.min.session.timeout.ms": "6000"}
    with pytest.raises(BadSetting, match=r"below the broker's group\.min\.session\.timeout\.ms=6000"):
        replay_incident(example("kill9-range"), Choice(name="x", settings=own), 0)
    both = {"session.timeout.ms": "3000", "group.min.session.timeout.ms": "3000"}
    assert generations_within(replay_incident(example("kill9-range"), Choice(name="x", settings=both), 0), GROUP)


def test_the_coordinators_log_alone_tells_the_same_story_and_what_it_leaves_open() -> None:
    incident = example("kill9-range", "broker.log.gz")
    assert len(incident.members) == 3
    assert any("known from the coordinator alone" in note for note in incident.notes)
    assert any("partition.assignment.strategy=range is assumed" in note for note in incident.notes)
    found = fidelity(
        incident.generations, [replay_incident(incident, AS_RECORDED, seed, exact=True) for seed in range(3)]
    )
    assert [pair.recorded.size for pair in found.pairs if pair.recorded] == [1, 2, 3, 2]
    assert found.recorded - 1 <= found.played <= found.recorded + 1


def test_the_modules_of_a_replay_are_no_built_in_scenarios() -> None:
    parts = {path.stem for path in Path(replay.__file__).parent.glob("*.py")} - {"__init__"}
    assert not parts & set(catalogue.names())
