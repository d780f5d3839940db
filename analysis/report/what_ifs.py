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
FOUNDING = "Founding of the group, in no comparison: "
_TITLES = (
    "",
    "Partition-seconds that no process held, median (least to greatest)",
    "Rebalances",
    "Partitions at once",
    "",
)


def what_ifs(found: Sequence[StoredWhatIf]) -> list[dict[str, Any]]:
    """Each with its answer, the window (ms of the run), a row per choice (`as recorded` first), and assumptions."""
    return [_what_if(each) for each in reversed(found)]


def _what_if(found: StoredWhatIf) -> dict[str, Any]:
    choices = [
        {
            "choice": shown(each.choice),
            "answer": shown(each.answer, _LONGEST),
            "verdict": "" if number == 0 else each.verdict,
            "median_ms": each.median_ms,
            "least_ms": each.least_ms,
            "most_ms": each.most_ms,
            "rebalances": each.rebalances,
            "max_partitions": each.max_partitions,
        }
        for number, each in enumerate(found.choices)
    ]
    return {
        "group": shown(found.group),
        "headline": shown(found.headline, _LONGEST),
        "from_ms": found.from_ms,
        "to_ms": found.to_ms,
        "seeds": max((each.seeds for each in found.choices), default=0),
        "recorded_ms": found.recorded_ms,
        "recorded_between_ms": found.recorded_between_ms or (found.recorded_ms, found.recorded_ms),
        "choices": choices,
        "founding": shown(found.founding, _LONGEST),
        "migration": _texts(found.migration),
        "to_do": _texts(found.to_do),
        "given": _texts(found.given),
        "inferred": _texts(found.inferred),
        "drawn": _texts(found.drawn),
        "assumed": _texts([text for text in found.assumed if text not in (*found.inferred, *found.drawn)]),
    }


def _texts(found: Sequence[str]) -> list[str]:
    return [shown(text, _LONGEST) for text in found]


def as_html(found: Sequence[dict[str, Any]]) -> str:
    """The same data for readers without JavaScript; empty without what-ifs."""
    older = "<h4>An older answer</h4>"
    return "".join(f"{older if number else ''}{_as_html(each)}" for number, each in enumerate(found))


def _as_html(found: dict[str, Any]) -> str:
    first, *others = found["choices"]
    sentences = [each["answer"] for each in others] if len(others) > 1 else []
    least, most = found["recorded_between_ms"]
    record = {"choice": "the record", "median_ms": found["recorded_ms"], "least_ms": least, "most_ms": most}
    record = {} if found["recorded_ms"] is None else record
    rows = [each for each in (record, first, *others) if each]
    parts = [
        "<h3>What would have helped</h3>",
        f"<p><strong>{escape(found['headline'])}</strong></p>",
        _list("", sentences),
        f"<table><thead><tr>{_cells('th', _TITLES)}</tr></thead><tbody>",
        *(f"<tr>{_cells('td', _row(each))}</tr>" for each in rows),
        "</tbody></table>",
        f"<p>{escape(FOUNDING)}{escape(found['founding'])}.</p>" if found["founding"] else "",
        _list("", found["migration"]),
        _list(TO_DO, found["to_do"]),
        *(_list(title, found[name]) for name, title in BASIS.items()),
    ]
    return "".join(parts)


def _row(of: dict[str, Any]) -> list[str]:
    """The cells of a choice."""
    if of["median_ms"] is None:
        return [of["choice"], "", "", "", of["verdict"]]
    ms = [of["median_ms"], of.get("least_ms", of["median_ms"]), of.get("most_ms", of["median_ms"])]
    counts = [of.get(name) for name in ("rebalances", "max_partitions")]
    shown = ["" if values is None else with_range(*(f"{value:,}" for value in values)) for values in counts]
    return [of["choice"], with_range(*map(seconds, ms)), *shown, of.get("verdict", "")]


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)


def _list(title: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    return f"{f'<p>{escape(title)}</p>' if title else ''}<ul>{_cells('li', texts)}</ul>"
