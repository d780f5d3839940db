"""The page: one self-contained file that loads nothing.

The data is JSON without `<`, and gets into the page as text only. A policy in the page's head lets the browser run this
one script and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from html import escape
from importlib.resources import files
from typing import Any

from groupsim.analysis.availability.labels import LABELS
from groupsim.analysis.blame.steps import STEPS
from groupsim.analysis.plots.palette import HATCHES, STEP_HATCHES, THEMES
from groupsim.analysis.report import advices, answer
from groupsim.analysis.report.payload import COLUMNS, Assess, report_data
from groupsim.analysis.report.what_ifs import BASIS, FOUNDING, TO_DO, as_html
from groupsim.analysis.runs import Run

MARK = "<!doctype html><!-- groupsim report -->"
"""How every report begins: a file that begins otherwise is not overwritten."""

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
    "what_ifs.js",
    "advices.js",
    "compare.js",
    "main.js",
)
MEANINGS = {
    "OK": "its owner processes it and may commit",
    "DOUBLE": "two processes process it",
    "ZOMBIE_ONLY": "only a process that is not its owner processes it: its records will be read again",
    "PAUSED_CALLBACK": "its owner runs a rebalance callback, or commits before it revokes",
    "RESTORING": "its owner looks up the offset to start from, or rebuilds state",
    "PAUSED_APP": "the application paused it",
    "OWNER_STALLED": "its owner's process is frozen, cut off, or reaches no broker",
    "OWNER_DEAD": "its owner's process is dead, and the coordinator has not noticed yet",
    "GRANT_IN_FLIGHT": "its new owner has not received or applied the assignment yet",
    "WITHHELD": "no member owns it: a rebalance is running or has yet to start",
    "DELAYED": "no worker has it: Connect waits for the one that had it",
    "UNOWNED": "no member can own it",
    "UNKNOWN": "the log does not say",
}


def render(runs: Sequence[Run], assess: Assess, progress: Callable[[float], None]) -> str:
    """The report of these runs, as the text of an HTML file; equal runs give equal texts."""
    reports = []
    for number, run in enumerate(runs):
        for done in _steps(run):
            progress((number + done) / len(runs))
        reports.append(report_data(run, assess(run)))
        progress((number + 1) / len(runs))
    return page({"runs": reports})


def _steps(run: Run) -> Iterator[float]:
    """Compute what a report is made of, part by part; yields the share of the time that is usually spent."""
    for done, part in (
        (0.3, "state_changing"),
        (0.5, "intervals"),
        (0.55, "timelines"),
        (0.65, "steps"),
        (0.75, "reasons"),
    ):
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
        "basis": BASIS,
        "founding": FOUNDING,
        "toDo": TO_DO,
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
    parts = {
        "mark": MARK,
        "policy": policy,
        "style": style,
        "script": script,
        "lead": "".join(_paragraph(run) for run in data["runs"]),
        "data": embedded({**common, **data}),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _source("page.html"))


def _paragraph(run: dict[str, Any]) -> str:
    """The first sentences about a run, for readers without JavaScript."""
    lead = escape(" ".join(run["lead"]))
    first = f"<h2>{escape(run['name'])}</h2>{answer.as_html(run['answer'])}<p>{lead}</p>"
    return f"{first}{advices.as_html(run['advices'])}{as_html(run['what_ifs'])}"


def embedded(value: object) -> str:
    """JSON of ASCII without `<`, `>` and `&`: nothing in it can end the element that contains it."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _source(name: str) -> str:
    return files("groupsim.analysis.report").joinpath(name).read_text("utf-8")
