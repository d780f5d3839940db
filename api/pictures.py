"""`run.plot`: the pictures of a run, as figures of matplotlib, or of plotly for one that can be moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groupsim.analysis.periods import Between
from groupsim.api.errors import BadRequest
from groupsim.events.extras import needing

if TYPE_CHECKING:
    import pandas as pd

    from groupsim.analysis.runs import Run

_WHOLE = (0, None)


class RunPictures:
    """Each method gives a figure: of matplotlib; of plotly with `interactive=True`. `theme` is "light" or "dark".

    `between`: only this part of the run, as of its tables; default: the whole run, with start-up.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    def timeline(
        self,
        group: str | None = None,
        *,
        between: Between = _WHOLE,
        theme: str = "light",
        interactive: bool = False,
    ) -> Any:
        """Who owned which partition when."""
        return self._drawn("timeline", self._run.timeline(between=between), group, theme, interactive)

    def unavailable(
        self,
        group: str | None = None,
        *,
        between: Between = _WHOLE,
        theme: str = "light",
        interactive: bool = False,
    ) -> Any:
        """How many partitions were unavailable over time, by label."""
        return self._drawn("unavailable", self._run.unavailable(between=between), group, theme, interactive)

    def lag(
        self,
        group: str | None = None,
        *,
        between: Between = _WHOLE,
        theme: str = "light",
        interactive: bool = False,
    ) -> Any:
        """How many records the commits are behind. Raises BadRequest for a run without commits."""
        behind = self._run.behind(between=between)
        if behind.empty:
            raise BadRequest(f"run {self._run.info.id} has no commits, so its lag is not known")
        return self._drawn("lag", behind, group, theme, interactive)

    def rebalance(
        self,
        group: str | None = None,
        *,
        generation: int | None = None,
        theme: str = "light",
        interactive: bool = False,
    ) -> Any:
        """What each member did in one rebalance, that of `generation`; default: the longest."""
        self._check(group, theme)
        paths = self._run.critical_paths()
        return _pictures(interactive).rebalance(paths, group=group, generation=generation, theme=theme)

    def _drawn(self, kind: str, rows: pd.DataFrame, group: str | None, theme: str, interactive: bool) -> Any:
        self._check(group, theme)
        rows = rows if group is None else rows[rows["group"] == group]
        return getattr(_pictures(interactive), kind)(rows, theme=theme)

    def _check(self, group: str | None, theme: str) -> None:
        if theme not in ("light", "dark"):
            raise BadRequest(f"theme must be light or dark, not {theme!r}")
        known = sorted({row.group for row in self._run.intervals})
        if group is not None and group not in known:
            raise BadRequest(f"run {self._run.info.id} has no group {group!r}; it has {', '.join(known) or 'none'}")


def _pictures(interactive: bool) -> Any:
    with needing("plots"):
        from groupsim.analysis import plots
        from groupsim.analysis.plots import interactive as moving

    return moving if interactive else plots
