"""Pictures of a run: owners over time, unavailable partitions, lag, one rebalance by member, runs and sweeps compared.

Each function takes a table of `analysis` (`run.ownership().pipe(plots.timeline)` works) and gives a matplotlib Figure,
to be saved as PNG or SVG; `analysis.plots.interactive` has the same as plotly figures. `theme` is `light` or `dark`.
Colour-blind people can distinguish the colours; labels have hatches, too. No global setting of matplotlib is changed.

- `static`: the pictures as matplotlib figures; `canvas`: axes, legends and titles that they share
- `interactive`: the same as plotly figures
- `frames`: columns checked, partitions in rows, counts over time; `sweeps`: comparisons and lines over a parameter
- `palette`: colours, hatches, and the order of names
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["compare", "lag", "pareto", "rebalance", "sweep", "timeline", "unavailable"]


def timeline(frame: pd.DataFrame, *, theme: str = "light", title: str = "") -> Figure:
    """Partitions by time, coloured by member, labels hatched: of `run.timeline()` or `run.ownership()`.

    Of ownership it draws what the coordinator has assigned; filter by `perspective` to see what processes believe. A
    recorded run has the time of day (UTC) along the bottom. Raises AnalysisError if columns are missing.
    """
    from groupsim.analysis.plots import palette, static

    return static.timeline(frame, theme_=palette.theme(theme), title=title)


def unavailable(frame: pd.DataFrame, *, theme: str = "light", title: str = "") -> Figure:
    """Unavailable partitions over time, stacked by label: of `run.unavailable()`. Raises AnalysisError."""
    from groupsim.analysis.plots import palette, static

    return static.unavailable(frame, theme_=palette.theme(theme), title=title)


def lag(frame: pd.DataFrame, *, theme: str = "light", title: str = "") -> Figure:
    """Records behind over time, one line a group: of `run.behind()` or `run.lag()`. Raises AnalysisError."""
    from groupsim.analysis.plots import palette, static

    return static.lag(frame, theme_=palette.theme(theme), title=title)


def rebalance(
    frame: pd.DataFrame,
    *,
    group: str | None = None,
    generation: int | None = None,
    most: int = 40,
    theme: str = "light",
    title: str = "",
) -> Figure:
    """One rebalance of `run.critical_paths()` as a swim-lane, its critical path framed; without choice the longest.

    At most `most` members are drawn, those on the critical path first. Raises AnalysisError if there is no such one.
    """
    from groupsim.analysis.plots import palette, static

    of = palette.theme(theme)
    return static.rebalance(frame, group=group, generation=generation, most=most, theme_=of, title=title)


def compare(frame: pd.DataFrame, *, by: str = "label", theme: str = "light", title: str = "") -> Figure:
    """Unavailable partition-seconds of runs, one bar each: of `analysis.compare(…)`.

    `by`: `label`, `phase`, `configuration`, `member` or `cause`. Raises AnalysisError for another breakdown.
    """
    from groupsim.analysis.plots import palette, static

    return static.compare(frame, by=by, theme_=palette.theme(theme), title=title)


def pareto(
    frame: pd.DataFrame,
    *,
    x: str = "detection_ms",
    y: str = "partition_ms",
    theme: str = "light",
    title: str = "",
) -> Figure:
    """Two measures of the choices of an advice, of `analysis.advices.choices_frame`: which of them no other beats.

    Measures in ms are drawn in seconds. Raises AnalysisError if columns are missing.
    """
    from groupsim.analysis.plots import palette, static

    return static.pareto(frame, x=x, y=y, theme_=palette.theme(theme), title=title)


def sweep(
    frame: pd.DataFrame,
    *,
    x: str | None = None,
    measure: str = "partition_ms",
    hue: str | None = None,
    theme: str = "light",
    title: str = "",
) -> Figure:
    """What a parameter does to a measure: median over the seeds, the band of 5 to 95 %, every run as a point.

    `frame` has one row a run: columns of parameters and measures, or a sweep's summary with its `params`. `x`: the
    parameter along the bottom (without it, the one with the most values); `hue`: one that gives a line for each of its
    values. Measures in ms are drawn in seconds. Raises AnalysisError.
    """
    from groupsim.analysis.plots import palette, static

    return static.sweep(frame, x=x, measure=measure, hue=hue, theme_=palette.theme(theme), title=title)
