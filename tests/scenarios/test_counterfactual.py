"""Recorded incidents played again: as they were, from their logs alone, and with other choices."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import pytest

from groupsim.coordinator.config import BadSetting
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.fidelity import Fidelity, fidelity, within
from groupsim.replay.player import AS_RECORDED, GROUP, Choice, play, tail_ms
from groupsim.replay.reconstruct.incident import Incident, plot
from groupsim.replay.reconstruct.member_history import BUSY
from groupsim.replay.what_if import Verdict, compare
from groupsim.scenarios import catalogue
from groupsim.storage.memory import MemoryStore

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"
SEEDS = range(6)
ALL = ("kill9-range", "max-poll-range", "rolling-restart-cooperative", "rolling-restart-range", "static-restart-range")


@cache
def story(name: str, logs: str = "*.log.gz") -> Incident:
    """The plot of an example."""
    store = MemoryStore()
    run = import_run(read_files(sorted((EXAMPLES / name).glob(logs))), store, name=None, topics={"orders": 12}).run
    facts = list(store.read(run.id))
    (group,) = {fact.stream for fact in facts if fact.stream.startswith("group:")}
    return plot(facts, group.removeprefix("group:"))


def replayed(name: str) -> Fidelity:
    """How near the example's story comes, played exactly."""
    told = story(name)
    return fidelity(told.generations, [play(told, AS_RECORDED, seed, exact=True) for seed in range(3)])


def verdicts(name: str, *choices: Choice) -> list[Verdict]:
    """As recorded, then the choices."""
    told = story(name)
    return compare(partial(play, told, tail_ms=tail_ms(told, choices)), choices, SEEDS)


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
    told = story("kill9-range")
    (killed,) = [life for life in told.lives if life.ending == "kill"]
    assert (killed.name, killed.expired_ms) == ("m2.0", 13_279)
    removed = next(g for g in told.generations if g.cause == "session-expired")
    played = next(g for g in within(play(told, AS_RECORDED, 1, exact=True)) if g.cause == "session-expired")
    assert played.started_ms is not None
    assert removed.started_ms is not None
    assert abs(played.started_ms - removed.started_ms) <= 20


def test_an_overlong_batch_begins_one_poll_interval_before_the_member_left() -> None:
    told = story("max-poll-range")
    (stall,) = [stall for life in told.lives for stall in life.stalls]
    assert stall.kind == BUSY
    assert told.settings["max.poll.interval.ms"] == 10_000
    assert (stall.expired_ms, stall.to_ms) == (17_909, 21_959)


def test_timeouts_are_read_off_the_records_own_times() -> None:
    settings = story("kill9-range").settings
    assert settings["heartbeat.interval.ms"] == 1_000
    assert settings["session.timeout.ms"] == 6_000
    assert settings["group.initial.rebalance.delay.ms"] == 0
    assert story("static-restart-range").settings["session.timeout.ms"] == 6_000


def test_a_longer_session_leaves_a_dead_members_partitions_longer_alone() -> None:
    before, after = verdicts("kill9-range", Choice(name="10 s", settings={"session.timeout.ms": "10000"}))
    assert before.unavailable_partition_ms.median > 24_000
    longer = after.unavailable_partition_ms.median - before.unavailable_partition_ms.median
    assert 10_000 <= longer <= 22_000  # four partitions for four more seconds, give or take the heartbeats
    assert after.versus_recorded is not None
    assert after.versus_recorded > 1.2


def test_a_choice_is_paid_for_even_beyond_the_end_of_the_record() -> None:
    told = story("kill9-range")
    long = Choice(name="60 s", settings={"session.timeout.ms": "60000"})
    cut, whole = [
        compare(partial(play, told, tail_ms=tail), [long], range(2))[1] for tail in (0, tail_ms(told, [long]))
    ]
    assert whole.unavailable_partition_ms.least > cut.unavailable_partition_ms.most + 4 * 40_000


def test_static_members_that_restart_in_time_cause_no_rebalance() -> None:
    before, after = verdicts("rolling-restart-range", Choice(name="static", static=True))
    assert before.rebalances.least >= 7
    assert after.rebalances.most <= 3  # those of the start


def test_a_dynamic_restart_rebalances_where_a_static_one_did_not() -> None:
    before, after = verdicts("static-restart-range", Choice(name="dynamic", static=False))
    assert after.rebalances.median > before.rebalances.median


def test_a_quicker_restart_of_static_members_costs_less() -> None:
    _, quick, slow = verdicts(
        "rolling-restart-range",
        Choice(name="quick", static=True, restart_ms=500),
        Choice(name="slow", static=True, restart_ms=3_000),
    )
    assert quick.unavailable_partition_ms.most < slow.unavailable_partition_ms.least


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    told = story("kill9-range")
    one, again, other = [play(told, AS_RECORDED, seed).facts for seed in (3, 3, 4)]
    assert [(f.at_ms, f.event) for f in one] == [(f.at_ms, f.event) for f in again]
    assert [f.at_ms for f in one] != [f.at_ms for f in other]


def test_a_session_that_the_broker_would_refuse_is_an_error() -> None:
    with pytest.raises(BadSetting, match=r"below the broker's group\.min\.session\.timeout\.ms=6000"):
        play(story("kill9-range"), Choice(name="x", settings={"session.timeout.ms": "3000"}), 0)
    both = {"session.timeout.ms": "3000", "group.min.session.timeout.ms": "3000"}
    assert within(play(story("kill9-range"), Choice(name="x", settings=both), 0), GROUP)


def test_the_coordinators_log_alone_tells_the_same_story_and_what_it_leaves_open() -> None:
    told = story("kill9-range", "broker.log.gz")
    assert len(told.actors) == 3
    assert any("known from the coordinator alone" in note for note in told.notes)
    assert any("partition.assignment.strategy=range is assumed" in note for note in told.notes)
    found = fidelity(told.generations, [play(told, AS_RECORDED, seed, exact=True) for seed in range(3)])
    assert [pair.recorded.size for pair in found.pairs if pair.recorded] == [1, 2, 3, 2]
    assert found.recorded - 1 <= found.played <= found.recorded + 1


def test_what_a_counterfactual_is_made_of_is_no_built_in_story() -> None:
    parts = {"acts", "counterfactual", "fidelity", "recorded_delays", "replayed", "rhythm", "whatif"}
    assert not parts & set(catalogue.names())
