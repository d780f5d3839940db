"""The report that people open: runs as one HTML file which works offline, by e-mail, on a phone and on paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groupsim.analysis.report.payload import Watched
    from groupsim.analysis.runs import Run

__all__ = ["report"]


def report(
    runs: Sequence[Run], watched: Watched = lambda _: (), progress: Callable[[float], None] = lambda _: None
) -> str:
    """The text of an HTML file about one run, or several side by side. Equal runs give equal texts.

    `watched` tells what became of a run's invariants (without it the report says nothing of them); `progress` is told
    the share of the work that is done.
    """
    from groupsim.analysis.report.page import render

    return render(runs, watched, progress)
