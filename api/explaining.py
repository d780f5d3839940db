"""`groupsim.explain`: what happened, why, and what to change, from logs or from a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groupsim.api import html
from groupsim.api.errors import BadRequest
from groupsim.api.progress import bar
from groupsim.api.values import one_or_more

if TYPE_CHECKING:
    import pandas as pd

    from groupsim.analysis.runs import Run
    from groupsim.diagnosis import explain as diagnosed
    from groupsim.diagnosis.finding import Diagnosis, Remedy
    from groupsim.events.types import RunId

EXPLAINED = {
    "group": "string",
    "code": "string",
    "certainty": "string",
    "what": "string",
    "times": "int64",
    "members": "object",
    "stopped_at_least_ms": "Int64",
    "stopped_at_most_ms": "Int64",
    "do": "object",
    "settings": "object",
}
"""One row a finding. `certainty`: shown, likely or possible; `stopped_at_least`, `stopped_at_most`: so long nobody in
the group could read; `members`, `do` (what to change), `settings` (Kafka's names of it): lists."""


@dataclass(frozen=True, repr=False)
class Explanation:
    """The answer to some logs, or to a run: `.answer` is its first sentence, `.groups` what it rests on.

    `print(explanation)` shows what `groupsim explain` shows.
    """

    found: diagnosed.Explanation
    run: RunId | None = None
    files: Mapping[str, Path] = field(default_factory=dict)

    @property
    def answer(self) -> str:
        """The first sentence: cause, cost, remedy."""
        return self.found.answer

    @property
    def groups(self) -> tuple[Diagnosis, ...]:
        """Each group with its findings, worst first: `group`, `type`, `findings`, `stopped_ms` (at least, at most)."""
        return self.found.groups

    @property
    def codes(self) -> list[str]:
        """The codes of all findings, the main one first: `["poll-timeout", …]`; `docs/causes/` has a page for each."""
        return list(dict.fromkeys(str(finding.code) for group in self.groups for finding in group.findings))

    def to_dict(self) -> dict[str, Any]:
        """What `groupsim explain --format json` prints."""
        from groupsim.diagnosis.to_json import as_json

        return as_json(self.found, self.run)

    def to_frame(self) -> pd.DataFrame:
        """One row a finding, worst first: columns `EXPLAINED`."""
        from groupsim.analysis.tables.frames import table

        rows = []
        for group in self.groups:
            for finding in group.findings:
                least, most = finding.cost.group_stopped_ms or (None, None)
                do = [remedy.what for remedy in finding.do]
                settings = list(dict.fromkeys(name for remedy in finding.do for name in remedy.settings))
                head = (group.group, str(finding.code), str(finding.certainty), finding.what, finding.times)
                rows.append(
                    dict(zip(EXPLAINED, (*head, list(finding.members), least, most, do, settings), strict=True))
                )
        return table(rows, EXPLAINED)

    def __str__(self) -> str:
        from groupsim.diagnosis.to_text import as_text

        return "\n".join(as_text(self.found, self.files))

    def __repr__(self) -> str:
        return f"<Explanation: {self.answer}>"

    def _repr_html_(self) -> str:
        from groupsim.diagnosis.to_text import measured

        groups = []
        for group in self.groups:
            rows = [
                (finding.code, finding.certainty, finding.what, "; ".join(_with_effect(r) for r in finding.do))
                for finding in group.findings
            ]
            named = "" if group.group is None else f"<p>group <b>{escape(group.group)}</b></p>"
            cost = "".join(html.line(text.strip()) for text in measured(group))
            groups.append(named + cost + html.table(("cause", "certainty", "what happened", "what to change"), rows))
        return html.page(self.answer, *groups)


def _with_effect(remedy: Remedy) -> str:
    """What to change, and what a simulation of it showed."""
    return remedy.what if remedy.effect is None else f"{remedy.what} ({remedy.effect.strip()})"


def explain(
    what: str | PathLike[str] | Iterable[str | PathLike[str]] | Run,
    *,
    groups: str | Iterable[str] = (),
    tz: str | None = None,
    date: str | None = None,
    simulate: bool = True,
    progress: bool = False,
) -> Explanation:
    """What happened to a group, why, and what to change: of logs of clients and brokers, or of a run.

    Args:
        what: one log or several (files, folders; .gz and others, too), or a run.
        groups: only these groups; default: all.
        tz: the time zone of times without one, such as "Europe/Berlin"; default: UTC.
        date: the date of times without one, such as "2026-03-01".
        simulate: play the remedies, where the lines are enough for it, and say what they change; some seconds.
        progress: show a bar.

    Raises:
        GroupsimError: if no line is about a group, and for a file that can't be read.

    >>> import groupsim
    >>> groupsim.explain(groupsim.run("everybody_too_slow")).codes[0]
    'poll-timeout'
    """
    from groupsim.analysis.runs import Run

    wanted = one_or_more(groups)
    if isinstance(what, Run):
        return of_run(what, wanted, simulate=simulate)
    places = places_of(what)
    return _of_logs(places, wanted, tz=tz, date=date, simulate=simulate, progress=progress)


def places_of(logs: str | PathLike[str] | Iterable[str | PathLike[str]]) -> list[Path]:
    """The files and folders that are meant. Raises BadRequest for one that does not exist."""
    places = [Path(place) for place in ([logs] if isinstance(logs, str | PathLike) else logs)]
    if not places:
        raise BadRequest("no log is given")
    for place in places:
        if not place.exists():
            raise BadRequest(f"{place}: there is no such file")
    return places


def _of_logs(
    places: list[Path], groups: list[str], *, tz: str | None, date: str | None, simulate: bool, progress: bool
) -> Explanation:
    from groupsim.diagnosis.explain import explain_reading
    from groupsim.diagnosis.trying import with_trials
    from groupsim.incidents.logs.given_files import given_files, inside
    from groupsim.incidents.logs.reading import read_files

    with given_files(inside(places)) as files:
        with bar("reading", progress) as update:
            reading = read_files(files, progress=update, tz=tz, date=date)
        with bar("explaining", progress) as update:
            found = explain_reading(reading, groups, update)
        if found is None:
            raise BadRequest(nothing_about(", ".join(map(str, places)), groups))
        with bar("simulating", progress):
            found = with_trials(found, reading, simulate=simulate, compare=True)
        return Explanation(found, files={str(path): path for path in files})


def of_run(run: Run, groups: list[str], *, simulate: bool) -> Explanation:
    """The explanation of a run. Raises BadRequest if no fact is about a group."""
    from groupsim.diagnosis.kept import explanation_of
    from groupsim.diagnosis.trying import with_trials_of_run

    info = run.info
    found = explanation_of(run.store, info, groups)
    if found is None:
        raise BadRequest(nothing_about(f"run {info.id}", groups))
    found = with_trials_of_run(found, run.store, info, simulate=simulate, compare=True)
    return Explanation(found, run=info.id)


def nothing_about(where: str, groups: list[str]) -> str:
    """What is said where no line is about a group, or about those that were asked for."""
    which = f"group {groups[0]!r}" if groups else "a consumer group"
    return f"{where}: no line is about {which}; give the log of a Kafka client (at level INFO) or of a broker"
