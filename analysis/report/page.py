"""The page: one file with everything in it, which asks nobody for anything.

Data stands in it as JSON in which no `<` occurs, and reaches the page as text only. A policy in the page's head lets
the browser run this one script and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from groupsim.analysis.availability.labels import LABELS
from groupsim.analysis.blame.critical_path import STEPS
from groupsim.analysis.plots.palette import HATCHES, STEP_HATCHES, THEMES
from groupsim.analysis.report.payload import COLUMNS, Watched, told
from groupsim.analysis.runs import Run

MARK = "<!doctype html><!-- groupsim report -->"
"""How every report begins: a file that begins otherwise is not ours to overwrite."""

_SCRIPTS = (
    "words.js",
    "data.js",
    "elements.js",
    "colours.js",
    "axis.js",
    "overview.js",
    "rows.js",
    "paint.js",
    "timeline.js",
    "tables.js",
    "lanes.js",
    "rebalances.js",
    "sections.js",
    "compare.js",
    "main.js",
)
MEANINGS = {
    "OK": "somebody serves it and may",
    "DOUBLE": "two processes serve it",
    "ZOMBIE_ONLY": "only a process serves it that is not entitled: its work will be done again",
    "PAUSED_CALLBACK": "its owner is inside a rebalance callback, or commits before giving it up",
    "RESTORING": "its owner does not know where to start, or rebuilds state",
    "PAUSED_APP": "the application paused it",
    "OWNER_STALLED": "its owner's process stands still",
    "OWNER_DEAD": "its owner's process is gone, and the coordinator does not know yet",
    "GRANT_IN_FLIGHT": "its new owner has not heard of it, or not acted on it yet",
    "WITHHELD": "nobody has it, because a rebalance is under way or has yet to begin",
    "UNOWNED": "nobody can have it",
    "UNKNOWN": "the log does not tell",
}


def render(runs: Sequence[Run], watched: Watched, progress: Callable[[float], None]) -> str:
    """The report of these runs, as the text of an HTML file; equal runs give equal texts."""
    found = []
    for number, run in enumerate(runs):
        for done in _steps(run):
            progress((number + done) / len(runs))
        found.append(told(run, watched(run)))
        progress((number + 1) / len(runs))
    return page({"runs": found})


def _steps(run: Run) -> Iterator[float]:
    """Compute what a report is made of, part by part; the shares are of the time they usually take."""
    for done, part in ((0.3, "telling"), (0.5, "intervals"), (0.55, "timelines"), (0.65, "steps"), (0.75, "reasons")):
        getattr(run, part)
        yield done


def page(data: dict[str, Any]) -> str:
    """A page around the data."""
    common = {
        "labels": LABELS,
        "meanings": MEANINGS,
        "steps": STEPS,
        "hatches": HATCHES,
        "stepHatches": STEP_HATCHES,
        "themes": {name: asdict(theme) for name, theme in THEMES.items()},
        "columns": COLUMNS,
    }
    script = '"use strict";\n(() => {\n' + "\n".join(_source(name) for name in _SCRIPTS) + "\n})();\n"
    style = _source("style.css")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return (
        _source("page.html")
        .replace("{{mark}}", MARK)
        .replace("{{policy}}", policy)
        .replace("{{style}}", style)
        .replace("{{script}}", script)
        .replace("{{data}}", embedded({**common, **data}))  # last: nothing in it is taken for a place to fill in
    )


def embedded(value: object) -> str:
    """JSON of ASCII without `<`, `>` and `&`: nothing in it can end the element that it stands in."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _source(name: str) -> str:
    return files("groupsim.analysis.report").joinpath(name).read_text("utf-8")
