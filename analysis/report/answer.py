"""The answer that a report begins with: what happened, why, and what to do, as the layers above found it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

from groupsim.wording.names import shown

_LONGEST = 2_000
_LONGEST_LINE = 600


class AnswerFinding(NamedTuple):
    """One cause: its code with how certain it is, its sentence, and what to do. `group`: its name, if it is said.

    `lines`: those of the logs (or facts) that show it, each with its place.
    """

    title: str
    what: str
    do: tuple[str, ...] = ()
    group: str | None = None
    lines: tuple[tuple[str, str], ...] = ()


class Answer(NamedTuple):
    """The first sentence, the findings in order, what stands after them, and the what-ifs to ask next: each command
    with what it shows.
    """

    sentence: str
    findings: tuple[AnswerFinding, ...] = ()
    after: tuple[str, ...] = ()
    questions: tuple[tuple[str, str], ...] = ()


def answer_data(answer: Answer | None, named: Callable[[str], str] = str) -> dict[str, Any] | None:
    """The same as data of a report, with names made printable; None where nothing is said. `named`: files in it."""
    if answer is None:
        return None
    return {
        "sentence": shown(answer.sentence, _LONGEST),
        "findings": [
            {
                "title": shown(finding.title),
                "what": shown(finding.what, _LONGEST),
                "do": _printable(finding.do),
                "lines": [[shown(named(place)), shown(text, _LONGEST_LINE)] for place, text in finding.lines],
                "group": None if finding.group is None else shown(finding.group),
            }
            for finding in answer.findings
        ],
        "after": _printable(answer.after),
    }


def as_html(answer: dict[str, Any] | None) -> str:
    """The same data for readers without JavaScript; empty of none."""
    if answer is None:
        return ""
    findings = "".join(f"<li>{_finding(finding)}</li>" for finding in answer["findings"])
    after = "".join(f"<p>{escape(text)}</p>" for text in answer["after"])
    return f"<p><strong>{escape(answer['sentence'])}</strong></p><ul>{findings}</ul>{after}"


def _finding(finding: dict[str, Any]) -> str:
    group = "" if finding["group"] is None else f"{escape(finding['group'])}: "
    do = "".join(f"<li>{escape(text)}</li>" for text in finding["do"])
    return f"{group}<b>{escape(finding['title'])}</b> {escape(finding['what'])}{f'<ul>{do}</ul>' if do else ''}"


def _printable(texts: Sequence[str]) -> list[str]:
    return [shown(text, _LONGEST) for text in texts]
