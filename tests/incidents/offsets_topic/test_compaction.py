"""Compacted topics: of each key the last record is there, offsets have holes; nothing that was lost counts as known."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from groupsim import analysis
from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Label
from groupsim.analysis.runs import Run
from groupsim.events import classic as c
from groupsim.events.base import Recorded
from groupsim.incidents.facts.importer import ImportResult, import_run
from groupsim.incidents.logs.reading import Wanted, read_files
from groupsim.incidents.logs.times import instant, iso
from groupsim.incidents.offsets_topic.batches import BatchReader
from groupsim.incidents.offsets_topic.entries import entries
from groupsim.incidents.offsets_topic.reader import Form
from groupsim.incidents.offsets_topic.reading import read_topic
from groupsim.incidents.offsets_topic.segments import SegmentReader
from groupsim.storage.memory import MemoryStore
from tests.incidents.drawn_groups import GROUP, drawn, simulated
from tests.incidents.offsets_topic.segment_files import Entry, batch, fields
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.test_truth import GOLDEN, _records
from tests.incidents.offsets_topic.truth import truths
from tests.incidents.recordings import began
from tests.incidents.written_logs import BEGINS_MS

SEGMENT = Path(__file__).parents[3] / "examples/offsets-topic/__consumer_offsets-0/00000000000000000000.log.gz"
_A_COMMIT_MS = 2
"""A commit proves that its partition was served at an instant."""
_KEY = re.compile(r" key: (\{.*?\}) payload: ")


def compacted(dump: str, share: float) -> str:
    """The dump after compaction of the first `share` of its lines: only the last record of each key is left of them.

    The rest is the active segment, which is never compacted. A record is superseded by one in there, too.
    """
    lines = dump.splitlines()
    last = {found[1]: number for number, line in enumerate(lines) if (found := _KEY.search(line)) is not None}
    clean = round(len(lines) * share)
    return "\n".join(
        line
        for number, line in enumerate(lines)
        if number >= clean or (found := _KEY.search(line)) is None or last[found[1]] == number
    )


def _imported(dump: Path, wanted: Wanted = Wanted()) -> tuple[Run, ImportResult]:  # noqa: B008
    store = MemoryStore()
    result = import_run(read_files([dump], wanted=wanted), store, name=None, topics={})
    return analysis.load(store, result.run.id), result


def _times(found: list[Interval], begins_ms: int) -> dict[tuple[int, int], list[tuple[int, int]]]:
    spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for each in found:
        spans.setdefault((each.partition, each.unavailable), []).append(
            (begins_ms + each.from_ms, begins_ms + each.to_ms)
        )
    return spans


def _overlap(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> int:
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in other)


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("seed", range(6))
def test_nothing_that_compaction_removed_counts_as_known(seed: int, share: float, tmp_path: Path) -> None:
    group = drawn(seed)
    facts: list[Recorded] = simulated(group)
    dump = write_dump(facts, GROUP, tmp_path / "dump.txt")
    dump.write_text(compacted(dump.read_text(), share))
    run, result = _imported(dump)
    true = _times(list(intervals(facts)), BEGINS_MS)
    begins = instant(str(result.run.origin))
    known = _times([each for each in run.intervals if each.label != Label.UNKNOWN], begins)
    for (partition, unavailable), spans in known.items():
        wrong = _overlap(spans, true.get((partition, not unavailable), []))
        assert wrong <= (0 if unavailable else _A_COMMIT_MS), (partition, unavailable, spans)


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize(
    "name", ["M03-mixed-kills__range-and-kip848__d0__r1", "S15-partitions-grow__cooperative-sticky__d0__r1"]
)
def test_a_real_topic_s_true_outage_is_within_the_bounds_also_when_it_is_compacted(
    name: str, share: float, tmp_path: Path
) -> None:
    record = _records()[name]
    group, start = record["config"]["group_id"], began(record)
    with gzip.open(GOLDEN / f"{record['batch']}.dump.txt.gz", "rt") as text:
        lines = [line for line in text if line.startswith("baseOffset") or f'"{group}"' in line]
    (tmp_path / "dump.txt").write_text(compacted("Dumping 0.log\n" + "".join(lines), share))
    until = iso(start + record["run_end_ms"])
    run, result = _imported(tmp_path / "dump.txt", Wanted(frozenset([group]), None, until))
    shift = instant(str(result.run.origin)) - start
    begin, end = (at - shift for at in record["summary"]["window_ms"])
    rests_on = run.support_between((begin, end))
    assert rests_on is not None
    assert rests_on.at_least_ms <= truths(record)[2]
    if min((each.from_ms for each in run.intervals), default=end) <= begin:  # else the window is not in the topic
        assert truths(record)[2] <= (rests_on.at_most_ms or 0)


def test_generations_that_compaction_removed_are_named(tmp_path: Path) -> None:
    facts = simulated(drawn(2))
    stored = [fact.event.generation for fact in facts if isinstance(fact.event, c.AssignmentStored)]
    assert len(stored) > 2
    dump = write_dump(facts, GROUP, tmp_path / "dump.txt")
    whole = _imported(dump)[1].notes
    dump.write_text(compacted(dump.read_text(), 1.0))
    notes = _imported(dump)[1].notes
    assert not [note for note in whole if "not in the topic" in note]
    assert [
        note for note in notes if f"generations 1 to {stored[-1] - 1} are not in the topic: compaction removed" in note
    ]


def test_segments_that_were_compacted_are_read_with_their_holes(tmp_path: Path) -> None:
    batches = list(BatchReader(SEGMENT))
    last = {found.key: found.offset for each in batches for found in entries(each)}
    folder = tmp_path / "__consumer_offsets-0"
    folder.mkdir()
    with (folder / "00000000000000000000.log").open("wb") as file:
        for each in batches:
            kept = [Entry(e.offset, e.key, e.value, e.timestamp) for e in entries(each) if last[e.key] == e.offset]
            if kept:
                file.write(batch(kept, base=each.base_offset))
    whole, some = SegmentReader([SEGMENT]), SegmentReader([folder / "00000000000000000000.log"])
    before, after = [fields(record) for record in whole], [fields(record) for record in some]
    assert 0 < len(after) < len(before)
    assert [each for each in after if each not in before] == []
    assert some.damage == []
    history = read_topic(
        [(folder / "00000000000000000000.log", Form.SEGMENT)], frozenset(["s04-kill9.range.d0.r1.a50"])
    )
    ledger = history.groups["s04-kill9.range.d0.r1.a50"].ledger
    assert any("generations" in note and "are not in the topic" in note for note in ledger.notes)
