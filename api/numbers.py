"""The numbers of a run, in the form of the command line's contract: of one that was simulated, and of an import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groupsim.diagnosis.explain import explain_run
from groupsim.diagnosis.from_facts import FACTS
from groupsim.diagnosis.to_json import as_json
from groupsim.diagnosis.what_if import COMPARED, with_comparable
from groupsim.events.types import RunId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groupsim.analysis.availability.labels import Interval
    from groupsim.diagnosis.explain import Explanation
    from groupsim.events.base import Recorded
    from groupsim.incidents.facts.importer import ImportResult
    from groupsim.incidents.logs.rows import Reading
    from groupsim.invariants import Violation
    from groupsim.simulation.run import RunResult
    from groupsim.storage import EventStore


def of_simulated(store: EventStore, result: RunResult) -> dict[str, Any]:
    """What `groupsim run --format json` prints."""
    from groupsim.analysis.tables.summary import summarise_simulated

    info = result.info
    summary = summarise_simulated(lambda types: store.read(info.id, types=types))
    explanation = explain_run(store.read(info.id, types=FACTS))
    if explanation is not None:
        explanation = with_comparable(explanation, list(store.read(info.id, types=COMPARED)), total_known=True)
    numbers = summary.numbers | {"groups": summary.totals.with_shares(summary.numbers["groups"])}
    raised = [{"process": failed.process, "error": failed.error} for failed in summary.raised]
    return {
        "run": info.id,
        "scenario": info.name,
        "seed": info.seed,
        "params": info.params,
        "simulated_ms": info.simulated_ms,
        "facts": info.facts,
        "digest": info.digest,
        "status": info.status,
        **({"failure": result.failure} if result.failure else {}),
        **({"raised": raised} if raised else {}),
        **numbers,
        "invariants": [
            {
                "name": name,
                "ok": not broken,
                "violations": [_violation(violation) for violation in broken],
                "note": result.notes[name],
            }
            for name, broken in result.violations.items()
        ],
        "explanation": None if explanation is None else as_json(explanation, info.id),
    }


def _violation(violation: Violation) -> dict[str, Any]:
    return {"at_ms": violation.at_ms, "seq": violation.seq, "sentence": violation.sentence}


def of_import(
    result: ImportResult, numbers: dict[str, Any], known: Sequence[Interval], reading: Reading
) -> dict[str, Any]:
    """What `groupsim import --format json` prints, but for the explanation. `numbers`, `known`: `summarise` of its
    facts, and their intervals."""
    from groupsim.analysis.tables.bounds import supported

    info = result.run
    return {
        "run": info.id,
        "name": info.name,
        "source": info.source,
        "origin": info.origin,
        "simulated_ms": info.simulated_ms,
        "facts": info.facts,
        "digest": info.digest,
        "status": info.status,
        **supported(info.summary, numbers, known),
        "partitions_known": bool(known),
        "lines": msgspec.to_builtins(reading.counts),
        "notes": list(result.notes),
        "damage": list(reading.damage),
        "left_out": [{"file": file, "why": why} for file, why in reading.skipped.items()],
    }


def explanation_of_import(explanation: Explanation, facts: Sequence[Recorded], total_known: bool) -> dict[str, Any]:
    """The explanation in it, with the what-ifs that can be compared with these facts."""
    return as_json(with_comparable(explanation, facts, total_known=total_known), RunId("latest"))
