"""The answers of a what-if as rows of JSON, one a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groupsim.wording.numbers import counted

if TYPE_CHECKING:
    from groupsim.replay.ask import Answer
    from groupsim.replay.fidelity import Fidelity, PhaseDurations
    from groupsim.replay.replayable import ReplayableRun


def rows_of(incident: ReplayableRun, answer: Answer) -> list[dict[str, Any]]:
    """One row per choice, the first as recorded, with the answer, the record, the fidelity and what was assumed."""
    rows: list[dict[str, Any]] = [
        {**result.row(), "verdict": answer.verdict(result), "answer": text}
        for result, text in zip(answer.results, answer.sentences, strict=True)
    ]
    rows[0] |= {
        "answer": answer.headline,
        "rests_on": list(answer.rests_on),
        "recorded": _recorded(incident, answer),
        "fidelity": _fidelity(answer),
        "assumed": list(answer.assumed),
        "assumptions": list(answer.assumed),
        "given": list(answer.basis.given),
        "inferred": list(answer.basis.inferred),
        "drawn": list(answer.basis.drawn),
    }
    return rows


def _recorded(incident: ReplayableRun, answer: Answer) -> dict[str, Any]:
    cost, known = incident.cost, incident.partitions_known
    return {
        "group": incident.group,
        "generations": len(incident.generations),
        "rebalances": cost.rebalances,
        "outage_ms": cost.outage_ms if answer.trust.unknown is None else None,
        "unavailable_partition_ms": cost.unavailable_partition_ms if answer.trust.unknown is None else None,
        "at_least_partition_ms": cost.range_ms[0] if known else None,
        "unknown_ms": cost.unknown_ms,
        "bounds_partition_ms": list(cost.bounds_ms) if cost.bounds_ms is not None and known else None,
        "unknown": answer.trust.unknown,
        "longest_partition_ms": cost.longest_partition_ms if answer.trust.unknown is None else None,
        "max_partitions": cost.max_partitions if known else None,
        "founding_partition_ms": cost.founding_ms if known else None,
        **({} if incident.window.given else {"unavailable": incident.unavailable}),
        "from_ms": incident.window.from_ms,
        "to_ms": incident.window.to_ms,
    }


def _fidelity(answer: Answer) -> dict[str, Any]:
    close, trusted = answer.close, answer.trust
    known = trusted.unknown is None and trusted.error is not None
    return {
        "recorded_generations": close.recorded,
        "played_generations": close.played,
        "matched_generations": close.matched,
        "median_error_ms": close.median_error_ms,
        "p95_error_ms": close.p95_error_ms,
        "played_unavailable_partition_ms": trusted.replayed_ms,
        "error": round(trusted.error or 0, 4) if known else None,
        "low": trusted.low,
        "holds": close.holds,
        "generations": generations_of(close),
    }


def generations_of(close: Fidelity) -> list[dict[str, Any]]:
    """The generations of the recording and of the simulation side by side."""
    rows = []
    for pair in close.pairs:
        known = pair.recorded or pair.played
        assert known is not None
        note = "" if pair.same else "only recorded" if pair.played is None else "only simulated"
        if pair.recorded is not None and pair.played is not None and not pair.same:
            note = f"simulated: {pair.played.cause}, {counted(pair.played.size, 'member')}"
        elif not all(phase is None or phase.met for phase in (pair.join, pair.sync)):
            note = "differs"
        recorded = pair.recorded
        rows.append(
            {
                "generation": recorded.number if recorded else None,
                "cause": known.cause,
                "members": known.size,
                "join_recorded_ms": recorded.join_ms if recorded else None,
                "join_ms": _played(pair.join),
                "sync_recorded_ms": recorded.sync_ms if recorded else None,
                "sync_ms": _played(pair.sync),
                "note": note,
            }
        )
    return rows


def _played(phase: PhaseDurations | None) -> int | None:
    return phase.played_ms if phase is not None else None
