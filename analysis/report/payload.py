"""All data of a report about one run, as plain JSON values: names made printable, numbers packed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from groupsim.analysis.availability.labels import Label
from groupsim.analysis.report import provenance, settings
from groupsim.analysis.report.advices import advices
from groupsim.analysis.report.answer import Answer, answer_data
from groupsim.analysis.report.bars import bars
from groupsim.analysis.report.lanes import all_spans, packed_lanes
from groupsim.analysis.report.lead import between_of, lead_of
from groupsim.analysis.report.reasons import reasons
from groupsim.analysis.report.what_ifs import what_ifs
from groupsim.analysis.runs import Run
from groupsim.analysis.timelines.rebalance import Rebalance
from groupsim.storage.store import RunSource
from groupsim.wording.names import shown
from groupsim.wording.start_up import start_up
from groupsim.wording.times import duration

VIOLATIONS = 100
"""At most so many of one invariant are listed; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one invariant: its name and remark, and `(at_ms, sentence)` where it was broken."""

    name: str
    note: str
    violations: tuple[tuple[int, str], ...] = ()


class Assessment(NamedTuple):
    """What the layers above tell of a run: analysis may import neither assignors, which invariants need, nor causes."""

    verdicts: Sequence[Verdict] = ()
    answer: Answer | None = None


Assess = Callable[[Run], Assessment]

_OUTAGES = ("outage_ms", "longest_partition_ms")
COLUMNS = (
    "generation",
    "cause",
    "started_ms",
    "duration_ms",
    "members",
    "moved",
    "revoked",
    "rounds",
    "slowest_member",
)


def report_data(run: Run, assessment: Assessment) -> dict[str, Any]:
    """Everything about one run. Keys are what `analysis/report/*.js` reads; times in ms since the run's start."""
    facts, intervals, info, answer = run.state_changing, run.intervals, run.info, assessment.answer
    folder = provenance.folder(info)
    end_ms = facts[-1].at_ms if facts else 0
    rows = run.rebalance_rows
    spans = list(all_spans(rows, run.timelines, run.steps, end_ms))
    summary = run.summary()
    notes = info.summary.get("notes", [])
    lead = lead_of(run, summary, run.intervals_after_start)
    unknown = None
    support = run.support_after_start
    if support is not None and support.unknown is not None:
        unknown = f"unknown (at least {duration(support.at_least_ms)})" if support.at_least_ms else "unknown"
    return {
        "id": info.id,
        "name": shown(info.name),
        "source": info.source,
        "seed": info.seed,
        "status": info.status,
        "origin": info.origin,
        "facts": info.facts,
        "digest": info.digest,
        "end_ms": end_ms,
        "repeat": folder.left_out(settings.repeat_command(info)),
        "repeat_in": folder.of if folder.path else None,
        "next": settings.next_commands(info, run.reasons, () if answer is None else answer.questions),
        "answer": answer_data(answer, folder.left_out),
        "lead": lead.first,
        "strong": lead.strong,
        "sentences": lead.rest,
        "what_ifs": what_ifs(run.what_ifs),
        "advices": advices(run.advices),
        "numbers": {
            **_numbers(run, summary, rows),
            "unknown": unknown,
            "between": between_of(run.support_after_start, run.intervals_after_start),
            "coarse": support is not None and support.precision.resolution_ms > 0,
        },
        "groups": _groups(run, summary),
        "bars": bars(intervals),
        "rebalances": [_rebalance(row) for row in rows],
        "lanes": packed_lanes(rows, spans),
        "reasons": reasons(run.reasons_after_start),
        "given": [[name, folder.left_out(value)] for name, value in settings.requested(info)],
        "settings": settings.client_settings(facts),
        "invariants": [] if info.source == RunSource.RECORDED else _invariants(assessment.verdicts),
        "notes": [folder.left_out(shown(note, 600)) for note in notes] if isinstance(notes, list) else [],
        "files": provenance.files(info, facts, folder.left_out),
        "lines": provenance.lines(rows, facts, end_ms, folder.left_out),
    }


def _numbers(run: Run, summary: dict[str, Any], rows: Sequence[Rebalance]) -> dict[str, Any]:
    """None where the logs show nothing: a zero is something that is known."""
    unavailable, recorded = summary["unavailable"]["after_start"], run.info.source == RunSource.RECORDED
    lengths = [row.duration_ms for row in rows if row.duration_ms is not None]
    moved = [row.moved for row in rows if row.moved is not None]
    known, bounds = run.support is None or run.support.unknown is None, run.outages_after_start
    return {
        **{key: unavailable[key] for key in ("partition_ms", "share", "by_label", "unknown_ms")},
        "double_ms": sum(i.duration_ms for i in run.intervals_after_start if i.label == Label.DOUBLE),
        "start_up": start_up(summary["unavailable"]),
        "max_partitions": unavailable["max_partitions"] or (0 if known else None),
        "partitions": len({i.where for i in run.intervals}),
        **{name: unavailable[name] or (0 if known else None) for name in _OUTAGES},
        "ends": {name: [bounds[f"at_least_{name}"], bounds[f"at_most_{name}"]] for name in _OUTAGES} if bounds else {},
        "rebalances": len(rows),
        "rebalancing_ms": sum(lengths) if lengths or not rows else None,
        "moved": sum(moved) if len(moved) == len(rows) else None,
        "accepted": None if recorded else summary["commits"]["accepted"],
        "refused": None if recorded else summary["commits"]["refused"],
        "unsafe_ms": summary["commits"]["unsafe_ms"],
        "reprocessed": None if recorded else summary["reprocessed_records"],
    }


def _groups(run: Run, summary: dict[str, Any]) -> list[dict[str, Any]]:
    """`partition_ms` is None for a group of which nothing unavailable is known, though the total is not known."""
    known = run.support is None or run.support.unknown is None
    shares: dict[str, int] = {}
    for interval in run.intervals_after_start:
        shares[interval.group] = shares.get(interval.group, 0) + (interval.duration_ms if interval.unavailable else 0)
    return [
        {"name": shown(name), **group, "partition_ms": shares.get(name, 0) or (0 if known else None)}
        for name, group in summary["groups"].items()
    ]


def _rebalance(row: Rebalance) -> list[Any]:
    """`[group, ended_ms, *COLUMNS]`."""
    values = (getattr(row, name) for name in COLUMNS)
    return [shown(row.group), row.ended_ms, *(shown(v) if isinstance(v, str) else v for v in values)]


def _invariants(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    return [
        {
            "name": shown(v.name),
            "note": shown(v.note),
            "broken": len(v.violations),
            "violations": [[at_ms, shown(sentence, 400)] for at_ms, sentence in v.violations[:VIOLATIONS]],
        }
        for v in verdicts
    ]
