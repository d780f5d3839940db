"""Static figures: a matplotlib Figure of its own, without pyplot and without anything global being set."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter

from groupsim.analysis.plots.palette import HATCHES, Theme
from groupsim.wording.names import shown

FONT = "DejaVu Sans"
"""Comes with matplotlib, so that a picture looks alike everywhere."""
SIZE = 9.0
HATCH = 3


class Picture(Figure):
    """A figure that a notebook shows as it is."""

    def _repr_png_(self) -> bytes:
        written = io.BytesIO()
        self.savefig(written, format="png", dpi=110)
        return written.getvalue()


@cache
def _drawable() -> frozenset[int]:
    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties(family=[FONT])))
    return frozenset(font.get_charmap())


def drawn(value: object, longest: int = 60) -> str:
    """A name as this font can draw it: characters without a glyph are shown as escapes."""
    text = shown(value, longest)
    return "".join(c if ord(c) in _drawable() else c.encode("unicode_escape").decode() for c in text)


def figure(theme: Theme, width: float, height: float) -> tuple[Picture, Axes]:
    """An empty picture, inches wide and high, with one pair of axes."""
    made = Picture(figsize=(width, height), facecolor=theme.paper, layout="constrained")
    axes = made.add_subplot()
    axes.set_facecolor(theme.paper)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.grid)
    axes.tick_params(colors=theme.faint, labelsize=SIZE - 1, labelfontfamily=FONT)
    axes.set_axisbelow(True)
    return made, axes


def titled(axes: Axes, title: str, theme: Theme) -> None:
    """A heading at the left."""
    axes.set_title(drawn(title, 120), loc="left", color=theme.ink, fontsize=SIZE + 2, fontfamily=FONT, parse_math=False)


def named(axes: Axes, theme: Theme, x: str = "", y: str = "") -> None:
    """What the axes measure."""
    axes.set_xlabel(drawn(x), color=theme.faint, fontsize=SIZE - 1, fontfamily=FONT, parse_math=False)
    axes.set_ylabel(drawn(y), color=theme.faint, fontsize=SIZE - 1, fontfamily=FONT, parse_math=False)


def moment(ms: float, origin: datetime | None = None) -> str:
    """A place on the time axis: `12.5 s`, `4:05`, `1:04:05`; with an origin, the time of day in UTC."""
    if origin is not None:
        text = (origin + timedelta(milliseconds=ms)).strftime("%H:%M:%S.%f")
        return text[:8] if text.endswith("000000") else text[:-3].rstrip("0").rstrip(".")
    if abs(ms) < 60_000:
        return f"{ms / 1_000:g} s"
    minutes, seconds = divmod(ms / 1_000, 60)
    if minutes < 60:
        return f"{minutes:.0f}:{seconds:04.1f}".removesuffix(".0")
    return f"{minutes // 60:.0f}:{minutes % 60:02.0f}:{seconds:02.0f}"


_STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000]
_STEPS_MS += [600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000]


def ticks(from_ms: float, to_ms: float, origin: datetime | None = None, most: int = 10) -> list[float]:
    """Marks of a round length apart; with an origin at round times of day."""
    least = (to_ms - from_ms) / most
    step = next((step_ms for step_ms in _STEPS_MS if step_ms >= least), _STEPS_MS[-1])
    while step < least:
        step *= 2
    past = 0.0
    if origin is not None:
        midnight = origin.replace(hour=0, minute=0, second=0, microsecond=0)
        past = (origin - midnight) / timedelta(milliseconds=1)
    first = -(-(from_ms + past) // step) * step - past
    return [first + n * step for n in range(int((to_ms - first) // step) + 1)]


def time_axis(axes: Axes, theme: Theme, from_ms: float, to_ms: float, origin: datetime | None = None) -> None:
    """Time along the bottom, with faint lines."""
    axes.set_xlim(from_ms, max(to_ms, from_ms + 1))
    axes.xaxis.set_major_locator(FixedLocator(ticks(from_ms, to_ms, origin)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda ms, _: moment(ms, origin)))
    axes.grid(axis="x", color=theme.grid, linewidth=0.6)
    named(axes, theme, "time of day, UTC" if origin is not None else "time since the start of the run")


def row_names(axes: Axes, names: list[str], theme: Theme, height: float) -> None:
    """Row 0 at the top; as many names as there is room for."""
    every = max(1, -(-len(names) * 11 // max(1, int(height * 72 * 0.82))))
    kept = range(0, len(names), every)
    axes.set_ylim(len(names) - 0.5, -0.5)
    labels = [drawn(names[place], 36) for place in kept]
    axes.set_yticks(list(kept), labels=labels, fontsize=SIZE - 1.5, color=theme.faint, parse_math=False)
    axes.tick_params(axis="y", length=0)


def hatched(label: str, theme: Theme, tiny: bool = False) -> dict[str, Any]:
    """How a label is drawn: its colour faintly, and its hatch strongly; too small for a hatch, its colour alone."""
    strong = theme.labels.get(label, theme.faint)
    if tiny:
        return {"facecolor": strong, "edgecolor": "none"}
    return {"facecolor": (strong, 0.3), "edgecolor": strong, "linewidth": 0.5, "hatch": HATCHES.get(label, "/") * HATCH}


def legend(axes: Axes, patches: list[Patch], theme: Theme, note: str = "") -> Legend | None:
    """At the right of the axes, outside; none where there is nothing to distinguish."""
    if not patches:
        return None
    made = axes.legend(
        handles=patches,
        loc="upper left",
        bbox_to_anchor=(1.005, 1.0),
        frameon=False,
        labelcolor=theme.ink,
        prop={"family": FONT, "size": SIZE - 1},
        handleheight=1.3,
        title=drawn(note, 40) or None,
        title_fontproperties={"family": FONT, "size": SIZE - 1},
        alignment="left",
    )
    texts: list[Text] = [*made.get_texts(), made.get_title()]
    for text in texts:
        text.set_parse_math(False)
    made.get_title().set_color(theme.faint)
    return made
