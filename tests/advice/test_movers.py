"""What only moves time to members that are stuck in a batch is left out where another choice does more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from groupsim.advice.advice import Advice, Record
from groupsim.advice.advising import advised
from groupsim.advice.as_data import as_data
from groupsim.advice.choices import Choice
from groupsim.advice.current_settings import of_values
from groupsim.advice.refused import left_out
from groupsim.advice.selection import Goal, Row, Sample
from groupsim.advice.sentences import answer, rests_on
from groupsim.advice.time_shifting import without_movers
from groupsim.advice.trust import reliance
from groupsim.advice.unknown import Unknown
from groupsim.replay.rests_on import Basis
from groupsim.replay.trust import Trust

OTHERS = ("p95_partition_ms", "rebalances", "max_partitions", "unsafe_ms", "founding_ms", "detection_ms")
NOW = {"max.poll": "6000", "assignor": "range"}


class Stuck:
    """Choices with what they cost, and how long partitions were held by members that did not poll, by choice."""

    def __init__(self, costs: Mapping[str, tuple[int, int]]) -> None:
        self._costs = costs

    def sample(self, choices: Sequence[Choice], unknown: Unknown, held: Mapping[str, str] | None = None) -> Sample:
        del unknown, held
        return lambda asked: [self._row(choices[i] or NOW, seed) for i, seed in asked]

    def _row(self, choice: Choice, seed: int) -> Row:
        own, stuck = self._costs["/".join(choice.values())]
        varies = seed * 37 % 11
        return {"partition_ms": own and own + varies, "unpolled_ms": stuck + varies, **dict.fromkeys(OTHERS, 0.0)}


def asked(costs: Mapping[str, tuple[int, int]], stopped: tuple[str, ...] = ()) -> Advice:
    def answered(choices: Sequence[Choice]) -> Advice:
        found = advised(Stuck(costs), choices, Goal(), {}, 50 * len(choices), of_values(NOW, choices))
        base = round(found.now[0]["partition_ms"])
        trusted = Trust(recorded_ms=base, recorded_at_most_ms=base, replayed_ms=base, matched=1.0, stopped=stopped)
        record = Record(
            reliance=reliance(found.selection.chosen_rows, found.now, trusted, "partition_ms"),
            basis=Basis(given=(), inferred=(), drawn=(), assumed=()),
            needs=[()] * len(choices),
        )
        return replace(found, record=record)

    return without_movers(answered, [dict(zip(NOW, each.split("/"), strict=True)) for each in costs])


COSTS = {
    "6000/range": (20_000, 40_000),
    "30000/range": (0, 60_000),
    "300000/range": (0, 70_000),
    "6000/sticky": (9_000, 40_000),
}


@pytest.mark.parametrize("stopped", [(), ("m2",)])  # also where the direction is not sure
def test_the_best_of_the_others_is_taken(stopped: tuple[str, ...]) -> None:
    found = asked(COSTS, stopped)
    said, more = answer(found), " ".join(rests_on(found))
    assert "ake max.poll=6000 and assignor=sticky: about 9.0 partition-seconds; with the present settings 20. " in said
    assert "sure that this is the best of the 2 choices, or as good as the best (within 5 %)." in said
    assert "2 choices that only move time are left out: partitions are held instead by processes that are" in more
    assert found.runs > found.selection.runs == 2 * 6
    assert f"It used {found.runs} of 200 runs." in more
    (line,) = left_out(found.refused)
    assert line.startswith(
        "max.poll=30000..300000 assignor=range (2 choices) only move time, for example max.poll=30000"
    )
    assert {each["verdict"] for each in as_data(found)["refused"]} == {"held, but not polled"}


def test_where_all_only_move_time_what_is_set_is_kept() -> None:
    found = asked({key: COSTS[key] for key in ("30000/range", "300000/range")} | {"6000/range": COSTS["6000/range"]})
    assert answer(found).startswith("Keep max.poll=6000 and assignor=range, as the record has it: about 20 ")
    alone = asked({**{key: COSTS[key] for key in ("30000/range", "300000/range")}, "6000/range": (300, 40_000)})
    assert answer(alone).startswith("Keep ")
    assert as_data(alone)["take"] is None


def test_a_choice_that_saves_more_than_it_moves_is_taken() -> None:
    found = asked({"6000/range": (20_000, 5_000), "30000/range": (0, 9_000)})
    assert answer(found).startswith("Take max.poll=30000 and assignor=range: ")
    assert not found.refused


def test_a_little_more_without_a_poll_is_chance_and_moves_nothing() -> None:
    found = asked({"6000/range": (20_000, 40_000), "30000/range": (19_000, 41_000)})
    assert not found.refused
    assert found.other_runs == 0
