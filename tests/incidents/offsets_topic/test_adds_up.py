"""What is known, unknown and bounded of an imported topic adds up, in every table and for every part of the run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim import analysis
from groupsim.analysis.availability.labels import Interval, Label
from groupsim.analysis.runs import Run
from groupsim.analysis.tables.bounds import Supported, supported
from groupsim.analysis.tables.summary import summarise
from groupsim.events.base import Recorded
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import Wanted, read_files
from groupsim.incidents.logs.times import iso
from groupsim.storage.log_gaps import Doubt, log_gaps
from groupsim.storage.memory import MemoryStore
from tests.analysis.in_ms import total_ms
from tests.incidents.drawn_groups import GROUP, drawn, simulated
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.test_truth import GOLDEN, NAMES, _records
from tests.incidents.recordings import began

EVERY = ("OK", "DOUBLE", "WITHHELD", "OWNER_DEAD", "PAUSED_CALLBACK", "UNOWNED", "UNKNOWN", "ZOMBIE_ONLY")


def _imported(files: Sequence[Path], wanted: Wanted = Wanted()) -> Run:  # noqa: B008
    store = MemoryStore()
    run = import_run(read_files(files, wanted=wanted), store, name=None, topics={}).run
    return analysis.load(store, run.id)


def _golden(name: str) -> Run:
    record = _records()[name]
    until = began(record) + record["run_end_ms"]
    wanted = Wanted(frozenset([record["config"]["group_id"]]), None, iso(until))
    return _imported([GOLDEN / f"{record['batch']}.dump.txt.gz"], wanted)


def _assert_adds_up(run: Run) -> None:
    """Every figure of a run of the topic alone, by the tables and by the headline."""
    rests_on, rows, pieces = run.support, run.unavailable(between=(0, None)), run.blame(between=(0, None))
    assert rests_on is not None
    total = sum(each.duration_ms for each in run.intervals)
    dark = run.timeline().query("label == 'UNKNOWN'")
    unknown = total_ms(dark["end"] - dark["start"])
    assert total_ms(pieces["duration"]) == total_ms(rows["duration"]) == rests_on.at_least_ms
    assert rests_on.at_most_ms == rests_on.at_least_ms + unknown <= total
    assert rests_on.known_share == round(1 - unknown / total, 9)
    said = supported(run.info.summary, summarise(run.state_changing), run.intervals)["unavailable"]
    assert (said["unknown_ms"], said["known_share"]) == (unknown, rests_on.known_share)
    assert (said["unknown_ms"] == 0) == (said["known_share"] == 1)
    assert (said["at_least_partition_ms"], said["at_most_partition_ms"]) == (rests_on.at_least_ms, rests_on.at_most_ms)
    assert run.summary()["unavailable"]["partition_ms"] == rests_on.at_least_ms
    _assert_parts_add_up(run)


def _assert_parts_add_up(run: Run) -> None:
    """The bounds of parts of a run are those of the parts, and add up to those of the whole."""
    end = run.info.simulated_ms or 0
    cuts = [0, end // 5, end // 2, end]
    parts = [run.support_between((begin, until)) for begin, until in pairwise(cuts)]
    whole = run.support
    assert whole is not None
    for (begin, until), part in zip(pairwise(cuts), parts, strict=True):
        assert part is not None
        assert part.at_least_ms == total_ms(run.unavailable(between=(begin, until))["duration"])
    assert sum(part.at_least_ms for part in parts if part is not None) == whole.at_least_ms
    assert sum(part.at_most_ms or 0 for part in parts if part is not None) == whole.at_most_ms


@pytest.mark.parametrize("name", NAMES)
def test_the_figures_of_a_real_topic_add_up(name: str) -> None:
    _assert_adds_up(_golden(name))


@pytest.mark.parametrize("seed", range(6))
def test_the_figures_of_a_simulated_topic_add_up(seed: int, tmp_path: Path) -> None:
    facts: list[Recorded] = simulated(drawn(seed))
    _assert_adds_up(_imported([write_dump(facts, GROUP, tmp_path / "dump.txt")]))


@st.composite
def _lines(draw: st.DrawFn) -> list[Interval]:
    """The time of two partitions in intervals."""
    found: list[Interval] = []
    for partition in range(2):
        at = 0
        for length in draw(st.lists(st.integers(1, 400), min_size=1, max_size=6)):
            label = draw(st.sampled_from(EVERY))
            found.append(Interval("g", "t", partition, label, None, "m1", None, at, at + length))
            at += length
    return found


@given(
    _lines(),
    st.lists(st.tuples(st.integers(0, 900), st.integers(1, 500), st.sampled_from([None, 0, 1]), st.booleans())),
)
def test_known_unknown_and_bounds_add_up_for_any_doubts(
    found: list[Interval], drawn_doubts: list[tuple[int, int, int | None, bool]]
) -> None:
    doubts = [
        Doubt("g", at, at + length, None if number is None else (("t", number),), "why", inexact=inexact)
        for at, length, number, inexact in drawn_doubts
    ]
    by_logs = Supported(log_gaps([], doubts, []), found)
    shown, rests_on = by_logs.intervals, by_logs.support()
    total = sum(each.duration_ms for each in found)
    unknown = sum(each.duration_ms for each in shown if each.label == Label.UNKNOWN)
    unavailable = sum(each.duration_ms for each in shown if each.unavailable)
    assert sum(each.duration_ms for each in shown) == total
    assert rests_on.known_share == round(1 - unknown / total, 9)
    assert rests_on.at_most_ms is not None
    assert 0 <= rests_on.at_least_ms <= unavailable <= unavailable + unknown <= rests_on.at_most_ms <= total
    certain = rests_on.at_least_ms == rests_on.at_most_ms
    assert not certain or unknown == 0
    assert rests_on.unknown is None or unknown > 0


def test_the_member_that_was_killed_is_named_and_what_it_held_is_in_doubt_until_it_was_gone() -> None:
    run = _golden("M05-last-new-member-killed__range-and-kip848__d0__r1")
    assert run.gone
    for gone in run.gone:
        last = [
            each
            for each in run.intervals
            if each.member == gone.member and each.to_ms == gone.at_ms and each.label == Label.UNKNOWN
        ]
        assert len(last) == gone.partitions > 0
        assert sum(each.duration_ms for each in last) == gone.at_most_ms
    assert {json.dumps(row) for row in run.blame()["configuration"].dropna()} <= {
        '"group.consumer.heartbeat.interval.ms"'
    }
