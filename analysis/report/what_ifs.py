"""What-ifs that were run on an incident, as data of its report and as HTML without scripts: the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from groupsim.analysis.what_ifs import StoredWhatIf
from groupsim.wording.names import shown
from groupsim.wording.numbers import seconds, with_range

_LONGEST = 1_000
BASIS = {
    "given": "Given with the question",
    "inferred": "Inferred from the logs",
    "drawn": "Unknown, so each seed draws a value",
    "assumed": "Assumed, because the logs do not show it",
}
"""What an answer rests on, by its key: titles."""
TO_DO = "To do and to know, for the change of protocol"
FOUNDING = "Start-up, in no comparison: "
_TITLES = (
    "",
    "Seconds with at least one partition down, median (least to greatest)",
    "Partition-seconds that no process held",
    "Rebalances",
    "Partitions at once",
    "",
)


def what_ifs(kept: Sequence[StoredWhatIf]) -> list[dict[str, Any]]:
    """Each with its answer, the window (ms of the run), a row per choice (`as recorded` first), and assumptions."""
    return [_what_if(what_if) for what_if in reversed(kept)]


def _what_if(what_if: StoredWhatIf) -> dict[str, Any]:
    choices = [
        {
            "choice": shown(choice.choice),
            "answer": shown(choice.answer, _LONGEST),
            "verdict": "" if number == 0 else choice.verdict,
            "median_ms": choice.median_ms,
            "least_ms": choice.least_ms,
            "most_ms": choice.most_ms,
            "rebalances": choice.rebalances,
            "max_partitions": choice.max_partitions,
            "outage_ms": choice.outage_ms,
        }
        for number, choice in enumerate(what_if.choices)
    ]
    return {
        "group": shown(what_if.group),
        "headline": shown(what_if.headline, _LONGEST),
        "from_ms": what_if.from_ms,
        "to_ms": what_if.to_ms,
        "seeds": max((choice.seeds for choice in what_if.choices), default=0),
        "recorded_ms": what_if.recorded_ms,
        "recorded_between_ms": what_if.recorded_between_ms or (what_if.recorded_ms, what_if.recorded_ms),
        "choices": choices,
        "rests_on": _texts(what_if.rests_on),
        "founding": shown(what_if.founding, _LONGEST),
        "migration": _texts(what_if.migration),
        "to_do": _texts(what_if.to_do),
        "given": _texts(what_if.given),
        "inferred": _texts(what_if.inferred),
        "drawn": _texts(what_if.drawn),
        "assumed": _texts([text for text in what_if.assumed if text not in (*what_if.inferred, *what_if.drawn)]),
    }


def _texts(texts: Sequence[str]) -> list[str]:
    return [shown(text, _LONGEST) for text in texts]


def as_html(answers: Sequence[dict[str, Any]]) -> str:
    """The same data for readers without JavaScript; empty without what-ifs."""
    older = "<h4>An older answer</h4>"
    return "".join(f"{older if number else ''}{_as_html(answer)}" for number, answer in enumerate(answers))


def _as_html(answer: dict[str, Any]) -> str:
    first, *others = answer["choices"]
    sentences = [choice["answer"] for choice in others]
    least, most = answer["recorded_between_ms"]
    record = {"choice": "the record", "median_ms": answer["recorded_ms"], "least_ms": least, "most_ms": most}
    record = {} if answer["recorded_ms"] is None else record
    rows = [row for row in (record, first, *others) if row]
    parts = [
        "<h3>What would have helped</h3>",
        f"<p><strong>{escape(answer['headline'])}</strong></p>",
        f"<table><thead><tr>{_cells('th', _TITLES)}</tr></thead><tbody>",
        *(f"<tr>{_cells('td', _row(row))}</tr>" for row in rows),
        "</tbody></table>",
        _list("", [*sentences, *answer["rests_on"]]),
        f"<p>{escape(FOUNDING)}{escape(answer['founding'])}.</p>" if answer["founding"] else "",
        _list("", answer["migration"]),
        _list(TO_DO, answer["to_do"]),
        *(_list(title, answer[name]) for name, title in BASIS.items()),
    ]
    return "".join(parts)


def _row(of: dict[str, Any]) -> list[str]:
    """The cells of a choice."""
    if of["median_ms"] is None:
        return [of["choice"], "", "", "", "", of["verdict"]]
    ms = [of["median_ms"], of.get("least_ms", of["median_ms"]), of.get("most_ms", of["median_ms"])]
    counts = [of.get(name) for name in ("rebalances", "max_partitions")]
    shown = ["" if values is None else with_range(*(f"{value:,}" for value in values)) for values in counts]
    outage = with_range(*map(seconds, of["outage_ms"])) if of.get("outage_ms") else ""
    return [of["choice"], outage, with_range(*map(seconds, ms)), *shown, of.get("verdict", "")]


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)


def _list(title: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    return f"{f'<p>{escape(title)}</p>' if title else ''}<ul>{_cells('li', texts)}</ul>"
