"""`groupsim.import_logs`: the logs of a recorded incident become a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groupsim.api.errors import BadRequest
from groupsim.api.explaining import places_of
from groupsim.api.progress import bar
from groupsim.api.running import opened
from groupsim.api.values import counts_of, one_or_more

if TYPE_CHECKING:
    from datetime import datetime

    from groupsim.analysis.runs import Run as StoredRun
    from groupsim.api.run import Run
    from groupsim.diagnosis.explain import Explanation
    from groupsim.incidents.facts.importer import ImportResult
    from groupsim.incidents.logs.reading import Wanted
    from groupsim.incidents.logs.rows import Reading
    from groupsim.storage.store import EventStore


@dataclass(frozen=True)
class Imported:
    """How a run was imported: what was read and assumed, and what it shows; None where no line is about a group."""

    result: ImportResult
    reading: Reading
    explanation: Explanation | None

    def numbers(self, run: StoredRun) -> dict[str, Any]:
        """What `groupsim import --format json` prints."""
        from groupsim.analysis.availability.intervals import intervals
        from groupsim.analysis.tables.summary import summarise
        from groupsim.api.numbers import explanation_of_import, of_import

        facts = list(run.read())
        known = intervals(facts)
        numbers = of_import(self.result, summarise(facts, known), known, self.reading)
        total_known = numbers["unavailable"]["partition_ms"] is not None
        explanation = self.explanation
        return {**numbers, "explanation": explanation and explanation_of_import(explanation, facts, total_known)}


def import_logs(
    logs: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    name: str | None = None,
    topics: Mapping[str, int] | None = None,
    groups: str | Iterable[str] = (),
    between: tuple[str | datetime | None, str | datetime | None] = (None, None),
    tz: str | None = None,
    date: str | None = None,
    skews: Mapping[str, int] | None = None,
    session_timeout_ms: int | None = None,
    store: str | Path | EventStore | None = None,
    progress: bool = False,
) -> Run:
    """Turn the logs of brokers and clients into a run, as `groupsim import` does.

    Args:
        logs: files or folders; packed ones and exports of log platforms, too.
        name: the run's name; default: from the files.
        topics: partitions of topics that the logs don't show: `{"orders": 12}`.
        groups: only these groups; default: all.
        between: only lines from and up to these UTC instants, such as "2026-03-01T10:00"; None: open.
        tz, date: of times without one; default: UTC.
        skews: milliseconds to add to the times of a file, by its name.
        session_timeout_ms: dates the last heartbeat of members that fell silent, where the logs don't show it.
        store: where the run is kept; None: in memory.
        progress: show a bar.

    Returns:
        The run. `run.unknown` says why its total is unknown, if it is; `run.notes` what was assumed.

    Raises:
        GroupsimError: if no line about a group has a time, and for a file that can't be read.
    """
    from groupsim.analysis.availability.intervals import intervals
    from groupsim.api.run import Run
    from groupsim.diagnosis.explain import explain_reading
    from groupsim.diagnosis.kept import with_lines
    from groupsim.diagnosis.outages import keep_with_outages
    from groupsim.incidents.facts.importer import import_run
    from groupsim.incidents.logs.given_files import given_files, inside
    from groupsim.incidents.logs.reading import read_files

    places, counts = places_of(logs), counts_of(topics)
    wanted = wanted_lines(one_or_more(groups), *between)
    with given_files(inside(places)) as files:
        with bar("reading", progress) as update:
            reading = read_files(files, tz=tz, date=date, skews=dict(skews or {}), wanted=wanted, progress=update)
        with bar("explaining", progress) as update:
            explanation = explain_reading(reading, progress=update)
        explanation = with_lines(explanation, {str(path): path for path in files})
        kept = opened(store)
        with bar("importing", progress) as update:
            result = import_run(
                reading, kept, name=name, topics=counts, session_timeout_ms=session_timeout_ms, progress=update
            )
    explanation = keep_with_outages(kept, result.run, explanation, intervals(kept.read(result.run.id)))
    return Run(kept, result.run, imported=Imported(result, reading, explanation))


def wanted_lines(groups: list[str], since: str | datetime | None, until: str | datetime | None) -> Wanted:
    """The lines to read: of these groups, from one instant to another. Raises BadRequest, LogError."""
    from groupsim.incidents.logs.reading import Wanted
    from groupsim.incidents.logs.times import moment

    names = ("between (from)", "between (to)")
    texts = [None if each is None else each if isinstance(each, str) else each.isoformat() for each in (since, until)]
    ends = [None if text is None else moment(text, at) for at, text in zip(names, texts, strict=True)]
    if ends[0] is not None and ends[1] is not None and ends[1] <= ends[0]:
        raise BadRequest(f"between: {texts[1]} is not later than {texts[0]}")
    return Wanted(frozenset(groups), *ends)
