"""How far an advice on an incident can be trusted is what a what-if says of the same draws."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from groupsim.advice.trust import reliance
from groupsim.replay.trust import Trust

NAMES = ("p95_partition_ms", "rebalances", "max_partitions", "unsafe_ms", "founding_ms")


def rows(costs: Sequence[int], unpolled: int = 0) -> list[dict[str, float]]:
    return [{"partition_ms": cost, "unpolled_ms": unpolled, **dict.fromkeys(NAMES, 0)} for cost in costs]


def trusted(replayed_ms: int = 20_000, recorded_ms: int = 20_000, **more: object) -> Trust:
    given = {"recorded_ms": recorded_ms, "recorded_at_most_ms": recorded_ms, "replayed_ms": replayed_ms, "matched": 1.0}
    return Trust(**{**given, **more})  # type: ignore[arg-type]


BASE = [20_000, 21_000, 19_500, 20_500, 20_000, 19_000] * 2


@pytest.mark.parametrize(
    ("best", "trust", "verdict", "words"),
    [
        (
            [9_000] * 12,
            trusted(),
            "better",
            "the choice is sure to cost less; expect 8.1 to 9.9 partition-seconds",
        ),
        (
            [9_000] * 11 + [19_500],
            trusted(),
            "likely better",
            "the choice is likely to cost less (11 of 12 simulations)",
        ),
        ([17_000] * 12, trusted(replayed_ms=24_000), "not sure", "trust none of these figures"),
        ([25_000] * 12, trusted(), "worse", "the choice is sure to cost more"),
    ],
)
def test_direction_and_amount(best: Sequence[int], trust: Trust, verdict: str, words: str) -> None:
    found = reliance(rows(best), rows(BASE), trust, "partition_ms")
    assert found.verdict == verdict
    assert found.how_far.startswith(words)


def test_a_replay_that_is_far_off_is_of_low_fidelity() -> None:
    found = reliance(rows([9_000] * 6), rows(BASE), trusted(replayed_ms=40_000), "partition_ms")
    assert found.warning == "Low fidelity"
    assert found.verdict == "not sure"


def test_what_speaks_against_every_direction_is_named() -> None:
    found = reliance(rows([9_000] * 6), rows(BASE), trusted(stopped=("m2",)), "partition_ms")
    assert found.warning.startswith("It is not sure that it helps: m2 was probably stopped")
    assert found.verdict == "not sure"


def test_what_the_logs_do_not_show_is_named_with_the_option_that_helps() -> None:
    open_ = {"session.timeout.ms": (6_000, 22_629)}
    found = reliance(rows([9_000] * 6), rows(BASE), trusted(open_settings=open_), "rebalances")
    assert "session.timeout.ms (drawn from 6000 to 22629): --assume session.timeout.ms=..." in found.not_in_the_logs
    assert not found.verdict  # the record is compared in partition time alone


def test_what_only_moves_time_to_members_that_are_stuck_saves_nothing() -> None:
    found = reliance(rows([500] * 6, unpolled=20_000), rows(BASE), trusted(), "partition_ms")
    assert found.only_moves


def test_an_unknown_total_is_said_first() -> None:
    found = reliance(rows([9_000] * 6), rows(BASE), trusted(unknown="no log of a broker"), "partition_ms")
    assert found.warning.startswith("The record's total is unknown (no log of a broker)")
