"""The swim-lanes of a report: what each member did during a rebalance and just after it, and the critical path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groupsim.analysis.blame.steps import Step
from groupsim.analysis.report.packing import Names, packed
from groupsim.analysis.timelines.group_timeline import GroupTimeline
from groupsim.analysis.timelines.process_timeline import Activity
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.wording.names import shown

_ENDED = (Activity.DEAD, Activity.FAILED, Activity.CLOSING)
_UNRELATED = (Activity.AWAITING_HEARTBEAT, Activity.NOT_STARTED)
_TAIL_MS = 1_000
"""After the end members still fetch their assignment and run callbacks: shown for this long, or half the rebalance."""


@dataclass(frozen=True, slots=True)
class Span:
    """A process (None: the initial delay) was at this step; `kind` is the listener's in a callback."""

    process: str | None
    step: str
    kind: str | None
    from_ms: int
    to_ms: int
    critical: bool = False
    saved_ms: int | None = None


def window(row: Rebalance, until_ms: int, end_ms: int) -> tuple[int, int]:
    """From the start of a rebalance to a little after its end, not beyond `until_ms`, where the next one starts."""
    if row.ended_ms is None:
        return row.started_ms, max(end_ms, row.started_ms)
    tail = max(_TAIL_MS, (row.ended_ms - row.started_ms) // 2)
    return row.started_ms, max(min(row.ended_ms + tail, until_ms), row.ended_ms)


def starts(rows: Sequence[Rebalance], end_ms: int) -> list[int]:
    """Per rebalance, when the next one of its group starts (the end of the run after the last)."""
    next_ms = []
    for i, row in enumerate(rows):
        follows = rows[i + 1] if i + 1 < len(rows) else None
        next_ms.append(follows.started_ms if follows is not None and follows.group == row.group else end_ms)
    return next_ms


def all_spans(
    rows: Sequence[Rebalance], timelines: Mapping[str, GroupTimeline], steps: Iterable[Step], end_ms: int
) -> Iterator[list[Span]]:
    """Each rebalance's spans; `steps` come from `critical_path`, what follows them is from the timelines."""
    of_round: dict[tuple[str, int], list[Step]] = {}
    for step in steps:
        of_round.setdefault((step.group, step.round), []).append(step)
    numbers: dict[str, int] = {}
    for row, until_ms in zip(rows, starts(rows, end_ms), strict=True):
        number = numbers.get(row.group, 0)
        numbers[row.group] = number + 1
        from_ms, to_ms = window(row, until_ms, end_ms)
        spans = [
            Span(s.member, s.step, s.kind, s.from_ms, s.to_ms, s.critical, s.saved_ms)
            for s in of_round.get((row.group, number), ())
        ]
        after = from_ms if not spans else row.ended_ms
        timeline = timelines.get(row.group)
        if timeline is not None and after is not None:
            spans += _activities(timeline, after, to_ms, {s.process for s in spans})
        yield spans


def _activities(timeline: GroupTimeline, from_ms: int, to_ms: int, drawn: set[str | None]) -> Iterator[Span]:
    """What each process does from `from_ms` on, up to the last activity that concerns the rebalance."""
    for name, process in timeline.processes.items():
        activities = list(process.during(from_ms, to_ms))
        ended = all(span.activity in _ENDED for span in activities)
        relevant = [i for i, span in enumerate(activities) if span.activity not in _UNRELATED]
        if relevant and not (ended and name not in drawn):
            for start, end, activity, kind in activities[: relevant[-1] + 1]:
                if activity != Activity.NOT_STARTED:
                    yield Span(name, activity, kind, start, end)


def packed_lanes(rows: Sequence[Rebalance], spans: Sequence[Sequence[Span]]) -> dict[str, Any]:
    """All spans, rebalance after rebalance: `first[i]` is the number of the first one of rebalance i.

    `from_ms` counts from the rebalance's start; `process`, `step` and `kind` are places in lists of names (process 0 is
    none); `saved_ms` is 0 where nothing is said, else one more than the saving.
    """
    processes, steps, kinds = Names(), Names(), Names()
    for names in (processes, kinds):
        names.number(None)
    first, begun = [0], list[int]()
    flat: list[Span] = []
    for row, of_row in zip(rows, spans, strict=True):
        flat += of_row
        begun += [row.started_ms] * len(of_row)
        first.append(len(flat))
    return {
        "first": packed(first),
        "process": packed(processes.number(s.process) for s in flat),
        "step": packed(steps.number(s.step) for s in flat),
        "kind": packed(kinds.number(s.kind) for s in flat),
        "from_ms": packed(max(0, s.from_ms - start) for s, start in zip(flat, begun, strict=True)),
        "length_ms": packed(s.to_ms - s.from_ms for s in flat),
        "critical": packed(int(s.critical) for s in flat),
        "saved_ms": packed(0 if s.saved_ms is None else s.saved_ms + 1 for s in flat),
        "processes": [shown(name) for name in processes.all],
        "steps": steps.all,
        "kinds": [shown(name) for name in kinds.all],
    }
