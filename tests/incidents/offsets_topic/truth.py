"""What dumps of `__consumer_offsets` say, compared with the logs and the truth of the same runs.

`python -m tests.incidents.offsets_topic.truth [BATCH...]` prints a table and the sums. The recordings lie beside the
checkout, not in it: without them this prints one sentence.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.tables.bounds import Support, support
from groupsim.analysis.timelines.builder import rebalances
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import Wanted, read_files
from groupsim.incidents.logs.times import instant, iso
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.storage.memory import MemoryStore
from tests.incidents.offsets_topic.said import differences, table_differences
from tests.incidents.recordings import SHARED, began

_NEAR = 0.05
TOPICS, RECORDINGS = SHARED / "offsets-topic", SHARED / "recordings-848"


class Measured(NamedTuple):
    """A run's unavailable time in a period, partition-milliseconds: what it rests on, and the sum of its labels.

    `rebalances`: those of the whole run. `begins`, `ends`: of the record, UTC milliseconds since 1970.
    """

    rests_on: Support
    labelled_ms: int
    rebalances: list[Rebalance]
    begins: int
    ends: int


def measure(
    files: Sequence[Path], group: str, until: int, window: tuple[int, int], session_ms: int | None = None
) -> tuple[Measured, dict[str, GroupHistory]]:
    """Import some files of one incident, and measure a window of it (UTC milliseconds since 1970).

    `session_ms`: the session's length, if the user gives it.
    """
    reading = read_files(files, wanted=Wanted(frozenset([group]), None, iso(until)))
    store = MemoryStore()
    run = import_run(reading, store, name=None, topics={}, session_timeout_ms=session_ms).run
    origin = instant(str(run.origin))
    facts = list(store.read(run.id))
    found = list(clipped(intervals(facts), window[0] - origin, window[1] - origin))
    labelled = sum(each.duration_ms for each in found if each.unavailable)
    ends = origin + (run.simulated_ms or 0)
    return Measured(support(run.summary, found), labelled, rebalances(facts), origin, ends), reading.topic


def clipped(found: Iterable[Interval], from_ms: int, to_ms: int) -> Iterator[Interval]:
    """The parts of intervals in a period."""
    for each in found:
        begin, end = max(each.from_ms, from_ms), min(each.to_ms, to_ms)
        if begin < end:
            yield Interval(
                each.group,
                each.topic,
                each.partition,
                each.label,
                each.sub_label,
                each.member,
                each.cause,
                begin,
                end,
            )


def truths(record: dict[str, Any]) -> tuple[int, int, int]:
    """Partition-milliseconds unavailable in the window: by ownership, with callbacks, and with removed owners."""
    summary = record["summary"]
    spans: dict[str, list[list[int]]] = {tp: list(found) for tp, found in record["unavailable"].items()}
    for tp, held in record["removed_but_still_owning"].items():
        spans.setdefault(tp, []).extend(held)
    begin, end = summary["window_ms"]
    removed = 0
    for found in spans.values():
        reached = begin
        for from_ms, to_ms in sorted((max(a, begin), min(b, end)) for a, b in found):
            removed += max(0, to_ms - max(from_ms, reached))
            reached = max(reached, to_ms)
    owned, callbacks = summary["unavailable_partition_ms"], summary["unavailable_partition_ms_counting_callbacks"]
    return owned, callbacks, removed


HEADS = ("truth", "callbacks", "removed", "logs", "least", "most", "clients", "differ")


class Result(NamedTuple):
    """One recording: partition-milliseconds unavailable by several truths, by the topic, and what differs.

    `truths` as `truths` gives them. `logs`: by the broker's and the clients' logs. `clients`: by the topic and the
    clients' logs, which rests on `both`. `tables`: where the rebalances of the logs and of logs and topic differ.
    """

    name: str
    truths: tuple[int, int, int]
    logs: int
    least: int
    most: int | None
    clients: int
    both: Support
    differ: list[str]
    tables: list[str]

    def inside(self, truth: int) -> bool:
        """Whether a truth is within the bounds."""
        return self.least <= truth and (self.most is None or truth <= self.most)


def result(dump: Path, name: str) -> Result:
    """Measure one recording."""
    record = read_record(RECORDINGS / name)
    start, group = began(record), record["config"]["group_id"]
    begin, end = record["summary"]["window_ms"]
    window, until = (start + begin, start + end), start + record["run_end_ms"]
    logs = sorted((RECORDINGS / name / "logs").iterdir())
    topic, history = measure([dump], group, until, window)
    whole, _ = measure(logs, group, until, window)
    both, _ = measure([dump, *(log for log in logs if not log.name.startswith("broker"))], group, until, window)
    everything, _ = measure([dump, *logs], group, until, window)
    return Result(
        name,
        truths(record),
        whole.labelled_ms,
        topic.rests_on.at_least_ms,
        topic.rests_on.at_most_ms,
        both.labelled_ms,
        both.rests_on,
        list(differences(history[group], record, start, until)),
        list(table_differences(whole.rebalances, everything.rebalances)),
    )


def main(batches: Sequence[str]) -> int:
    """Print the table."""
    if not TOPICS.is_dir():
        print("the dumps (../shared/offsets-topic) are not here")
        return 1
    print(f"{'recording':62} {' '.join(f'{head:>9}' for head in HEADS)}")
    found: list[Result] = []
    for about in sorted(TOPICS.glob("*.json")):
        if batches and about.stem not in batches:
            continue
        for name in json.loads(about.read_text(encoding="utf-8"))["recordings"]:
            one = result(about.with_suffix(".dump.txt.gz"), name)
            found.append(one)
            most = "none" if one.most is None else one.most
            figures = (*one.truths, one.logs, one.least, most, one.clients, len(one.differ))
            truth = zip(HEADS[:4], (*one.truths, one.logs), strict=True)
            wrong = "".join(f" OUTSIDE:{head}" for head, each in truth if not one.inside(each))
            print(f"{name:62} {' '.join(f'{each:>9}' for each in figures)}{wrong}", flush=True)
            for sentence in (*one.differ, *one.tables):
                print(f"    {sentence}")
    _print_sums(found)
    return int(any(one.differ or not one.inside(one.truths[2]) for one in found))


def _print_sums(found: Sequence[Result]) -> None:
    number = len(found)
    for place, head in enumerate(HEADS[:4]):
        inside = sum(one.inside((*one.truths, one.logs)[place]) for one in found)
        print(f"within the bounds, by {head}: {inside} of {number}")
    widths = [one.most - one.least for one in found if one.most is not None]
    print(f"width of the bounds: median {median(widths):,.0f} partition-ms; no upper bound: {number - len(widths)}")
    beside = [o.both.at_most_ms - o.both.at_least_ms for o in found if o.both.at_most_ms is not None]
    known = sum(o.both.unknown is None for o in found)
    print(
        f"width of the bounds of topic and clients: median {median(beside):,.0f}, 90 % within"
        f" {sorted(beside)[len(beside) * 9 // 10]:,.0f} partition-ms; no upper bound: {number - len(beside)}; the total"
        f" is known in {known}"
    )
    apart = [abs(one.clients - one.logs) / max(1, one.logs) for one in found]
    near = sum(each <= _NEAR for each in apart)
    print(
        f"topic and clients against broker and clients: median {median(apart):.1%} apart, {near} of {number} within 5 %"
    )
    held = sum(o.both.at_least_ms <= 1.01 * o.logs and 0.99 * o.logs <= (o.both.at_most_ms or o.logs) for o in found)
    print(f"broker and clients within the bounds of topic and clients (1 %): {held} of {number}")
    print(f"rebalances of topic and logs as those of the logs: {sum(not one.tables for one in found)} of {number}")
    print(
        f"generations, epochs, members and assignments as the logs say: {sum(not o.differ for o in found)} of {number}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
