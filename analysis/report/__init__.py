"""The report that people open: runs as one HTML file which works offline, by e-mail, on a phone and on paper.

- `page`: the file: data, scripts and style put together; `page.html`, `style.css` and `*.js` are its parts
- `payload`: all data about one run; `packing`: columns of numbers as base64
- `bars`: the timeline of partitions; `lanes`: what each member did in each rebalance
- `answer`: the diagnosis, which stands first; `lead`: the sentences after it; `sentences`: the summary in words
- `reasons`: unavailable time by what was waited for
- `what_ifs`: what-ifs that were run on a recorded run, as its section "What would have helped"; `advices`: advice that
  was given on it
- `settings`: configuration, and commands to go on with; `provenance`: log files and lines of a recorded incident
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groupsim.analysis.report.payload import Assess
    from groupsim.analysis.runs import Run

__all__ = ["report"]


def report(
    runs: Sequence[Run], assess: Assess | None = None, progress: Callable[[float], None] = lambda _: None
) -> str:
    """The text of an HTML file about one run, or several side by side. Equal runs give equal texts.

    `assess` gives a run's diagnosis and the verdicts of its invariants (without it the report leaves them out);
    `progress` is called with the share of the work that is done.
    """
    from groupsim.analysis.report.page import render
    from groupsim.analysis.report.payload import Assessment

    return render(runs, assess or (lambda _: Assessment()), progress)
