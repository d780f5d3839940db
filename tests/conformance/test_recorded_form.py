"""The definitions of a recording, computed from its events, give its own figures; differences are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.cli.main import status
from groupsim.conformance.timelines import equivalence, intervals
from groupsim.conformance.timelines.deviation import deviation
from groupsim.conformance.timelines.ownership import ObservedRun, summary
from groupsim.conformance.timelines.recording import BadRecording, parse
from groupsim.conformance.timelines.reenact import existing
from groupsim.simulation.latencies import LATENCIES, SHARES
from tests.conformance.runs import NAMES, path, recording

CLOSING = "S03-one-closes__range__d0__r1"
COUNTED = ("records_read_twice", "first_record_after_assigned_ms_median")
"""Figures that need offsets; they are not derived from ownership."""


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_figures_follow_from_the_recorded_events(name: str) -> None:
    recorded = recording(name)
    run = ObservedRun(
        recorded["events"],
        recorded["broker"],
        recorded["actions"],
        recorded["frozen"],
        existing(parse(recorded)),
        recorded["run_end_ms"],
    )
    derived = summary(run, opens_at=recorded["summary"]["window_ms"][0])
    expected = {key: value for key, value in recorded["summary"].items() if key not in COUNTED}
    assert derived["summary"] == expected
    for key in ("ownership", "unavailable", "frozen", "two_live_owners", "removed_but_still_owning"):
        assert derived[key] == recorded[key]


INTERVALS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda p: sorted(p)), max_size=8)


def _instants(listed: intervals.Intervals) -> set[int]:
    return {at for start, end in listed for at in range(start, end)}


@settings(deadline=None)  # a busy machine is no error
@given(INTERVALS, INTERVALS)
def test_intervals_are_sets_of_instants(one: intervals.Intervals, other: intervals.Intervals) -> None:
    assert _instants(intervals.union(one)) == _instants(one)
    assert _instants(intervals.without(one, other)) == _instants(one) - _instants(other)
    assert _instants(intervals.within(one, other)) == _instants(one) & _instants(other)
    depth = {at: sum(start <= at < end for start, end in one) for at in range(61)}
    assert _instants(intervals.twice(one)) == {at for at, count in depth.items() if count >= 2}
    assert intervals.most_at_once(one) == max(depth.values())
    assert intervals.length(intervals.union(one)) == len(_instants(one))


def test_every_distribution_has_a_value_for_every_share_and_never_falls() -> None:
    for latencies in LATENCIES.values():
        for name in latencies.__dataclass_fields__:
            drawn = getattr(latencies, name)
            if not isinstance(drawn, int | float):
                assert len(drawn.quantiles_ms) == len(SHARES), name
                assert list(drawn.quantiles_ms) == sorted(drawn.quantiles_ms), name


def _changed(key: str) -> dict[str, Any]:
    recorded = recording(CLOSING)
    if key == "generations":
        recorded["broker"] = [
            b for b in recorded["broker"] if b.get("generation") != 2 or b["kind"] != "join_completed"
        ]
    elif key == "callback":
        event = next(e for e in recorded["events"] if e["kind"] == "revoked" and e["t_ms"] > 8000)
        event["kind"] = "lost"
    else:
        recorded["unavailable"].pop("orders-7")
    return recorded


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("generations", "generations (number, members): recorded 1:1 3:2, seed 0 "),
        ("callback", "callback 2 of m2.0: recorded lost(orders-4, orders-5, orders-6, orders-7), seed "),
        ("unavailable", "unavailable: recorded orders-0, orders-1, orders-10"),
    ],
)
def test_a_planted_difference_is_the_first_that_is_named(key: str, says: str) -> None:
    found = deviation(_changed(key), range(12))
    assert found.difference is not None
    assert found.difference.startswith(says)


def test_the_error_of_a_duration_is_the_medians() -> None:
    recorded = recording(CLOSING)
    found = deviation(recorded, range(6))
    assert (
        found.total.recorded_ms == equivalence.unavailable_ms(recorded) == sum(d.recorded_ms for d in found.partitions)
    )
    assert [d.partition for d in found.partitions] == [f"orders-{p}" for p in range(12)]
    for duration in (found.total, *found.partitions):
        assert duration.least_ms <= duration.median_ms <= duration.most_ms
        assert duration.error_ms == duration.median_ms - duration.recorded_ms


def test_a_recording_without_what_was_recorded_has_nothing_to_compare_with() -> None:
    recorded = recording(CLOSING)
    del recorded["broker"]
    with pytest.raises(BadRecording, match="broker missing"):
        deviation(recorded, range(1))


@pytest.mark.parametrize(("key", "value"), [("unavailable", {"generation": []}), ("broker", [1]), ("events", None)])
def test_what_was_observed_and_makes_no_sense_is_one_sentence(key: str, value: object) -> None:
    with pytest.raises(BadRecording, match=f"recording {CLOSING}: "):
        deviation(recording(CLOSING) | {key: value}, range(1))


def test_reenact_prints_a_line_per_seed(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["conformance", "reenact", str(path(CLOSING)), "--seeds", "3:5"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["id"], line["seed"]) for line in lines] == [(CLOSING, 3), (CLOSING, 4)]
    assert {"events", "ownership", "unavailable", "summary"} <= set(lines[0])


def test_check_shows_equal_or_different_by_its_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(_changed("callback")))
    assert status(["conformance", "check", str(path(CLOSING)), "--seeds", "0:8"]) == 0
    said = capsys.readouterr().out
    assert "equal  agreement over 8 seeds" in said
    assert "unavailable, orders-4: 258 ms recorded" in said
    assert status(["conformance", "check", str(bad), "--seeds", "0:8"]) == 1
    assert "first difference: callback 2 of m2.0" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "[]", '{"id": 1}', '{"steps": []}'])
def test_what_is_no_recording_is_one_sentence_and_status_2(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.json"
    file.write_text(content)
    assert status(["conformance", "reenact", str(file)]) == 2
    said = capsys.readouterr().err
    assert "x.json" in said
    assert len(said.strip().splitlines()) == 1
