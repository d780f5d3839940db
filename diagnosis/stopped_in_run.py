"""How long nobody in a group could take records, by the facts of a run: when none of its partitions was available."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from groupsim.analysis.availability.intervals import Intervals, intervals
from groupsim.analysis.availability.labels import Label, is_available
from groupsim.analysis.availability.outages import Span, joined
from groupsim.analysis.availability.start_up import FirstWorked, after_start, first_worked
from groupsim.analysis.log_coverage import RELEVANT
from groupsim.diagnosis.finding import Bounds
from groupsim.diagnosis.waits_in_run import Wait, waits_of
from groupsim.events.base import Recorded
from groupsim.events.catalogue import CATALOGUE
from groupsim.events.world import RunEnded

NEEDED = frozenset(tag for tag, kind in CATALOGUE.items() if kind in RELEVANT or kind is RunEnded)
"""Tags of the facts that it rests on."""
_NOBODY = frozenset([Label.UNOWNED, Label.OWNER_DEAD])
_Step = tuple[int, str, int]


class InRun(NamedTuple):
    """By group: how long nobody could take records, in bounds; how long one partition or more was unavailable; all
    their time together (partition-milliseconds); from when on the group worked (ms of the run, None: never); and what
    partitions waited for that no log shows (None: that is not known). `end_ms`: where the run ends.
    """

    stopped_ms: Mapping[str, Bounds] = {}
    outage_ms: Mapping[str, int] = {}
    partition_ms: Mapping[str, int] = {}
    worked_ms: Mapping[str, int | None] = {}
    waits: Mapping[str, tuple[Wait, ...]] | None = None
    end_ms: int | None = None


def stopped_in_run(facts: Sequence[Recorded]) -> InRun:
    """As the labels of `groupsim unavailable` say it; UNKNOWN of a recorded run counts above only.

    Not the start-up, nor, where nobody could take records, the time after the last member.
    """
    found = intervals(facts)
    worked = first_worked(found)
    stopped = {group: _bounds(steps, worked.get(group), found.end_ms) for group, steps in _steps(found).items()}
    counted = [piece for piece in after_start(found, worked) if piece.unavailable]
    partition_ms = Counter(dict.fromkeys(worked, 0))
    for piece in counted:
        partition_ms[piece.group] += piece.duration_ms
    waits = waits_of(facts, counted, found.end_ms)
    return InRun(stopped, _outage_ms(found, worked), partition_ms, worked, waits, found.end_ms)


def _steps(found: Intervals) -> dict[str, list[_Step]]:
    """By group and in order: from when on how many partitions more have a label."""
    steps: dict[str, Counter[tuple[int, str]]] = {}
    for group, _, verdict, from_ms, to_ms in found.rows():
        label = str(Label.OK) if is_available(verdict.label, verdict.sub_label) else verdict.label
        own = steps.setdefault(group, Counter())
        own[from_ms, label] += 1
        own[to_ms, label] -= 1
    return {
        group: sorted(((at, label, step) for (at, label), step in own.items()), key=itemgetter(0))
        for group, own in steps.items()
    }


def _bounds(steps: Sequence[_Step], worked: int | None, end_ms: int) -> Bounds:
    begin = end_ms if worked is None else worked
    spans = [span for span in _without_any(steps) if span[1] > begin]
    while spans and spans[-1][1] == end_ms and spans[-1][2] <= _NOBODY:
        end_ms = spans.pop()[0]
    least = sum(to - max(since, begin) for since, to, labels in spans if Label.UNKNOWN not in labels)
    most = sum(to - max(since, begin) for since, to, _ in spans)
    return least, most


def _outage_ms(found: Intervals, worked: FirstWorked) -> dict[str, int]:
    """How long one partition or more was not available, by group, from when it first worked."""
    spans: dict[str, list[Span]] = {}
    for group, _, verdict, from_ms, to_ms in found.rows():
        own, begin = spans.setdefault(group, []), worked.get(group)
        if begin is not None and to_ms > begin and not is_available(verdict.label, verdict.sub_label):
            own.append((max(from_ms, begin), to_ms))
    return {group: sum(to - since for since, to in joined(own)) for group, own in spans.items()}


def _without_any(steps: Sequence[_Step]) -> Iterator[tuple[int, int, frozenset[str]]]:
    """When no partition is available, with the labels that they have."""
    now: Counter[str] = Counter()
    since = steps[0][0] if steps else 0
    for at, label, step in steps:
        if at > since:
            labels = frozenset(each for each, count in now.items() if count)
            if labels and Label.OK not in labels:
                yield since, at, labels
            since = at
        now[label] += step
