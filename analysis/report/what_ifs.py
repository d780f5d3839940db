"""What-ifs that were run on an incident, as data of its report: the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from groupsim.analysis.display_names import shown
from groupsim.analysis.what_ifs import StoredWhatIf

_LONGEST = 1_000


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
        "choices": choices,
        "given": _texts(found.given),
        "inferred": _texts(found.inferred),
        "drawn": _texts(found.drawn),
        "assumed": _texts([text for text in found.assumed if text not in (*found.inferred, *found.drawn)]),
    }


def _texts(found: Sequence[str]) -> list[str]:
    return [shown(text, _LONGEST) for text in found]
