"""The pictures for paper: matplotlib figures to be saved as PNG or SVG."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch

from groupsim.analysis.availability.labels import Label
from groupsim.analysis.plots import frames, sweeps
from groupsim.analysis.plots.canvas import (
    FONT,
    HATCH,
    SIZE,
    Picture,
    drawn,
    figure,
    hatched,
    legend,
    named,
    row_names,
    time_axis,
    titled,
)
from groupsim.analysis.plots.palette import STEP_HATCHES, Theme, member_colour, places
from groupsim.wording.numbers import counted

WIDTH = 12.0
NAMED_MEMBERS = 14
"""The most members in a legend; where there are more, only the bars have names."""
MOST_HATCHED, MOST_BOXES = 150, 2_000
"""With more rows, they are too low for a hatch; with more boxes, hatching takes too long."""


def timeline(frame: pd.DataFrame, *, theme_: Theme, title: str) -> Picture:
    """Partitions by time, coloured by member; what is not served is hatched by label."""
    rows = frames.rows(frame)
    height = float(np.clip(0.19 * len(rows.names) + 1.2, 2.6, 15.0))
    made, axes = figure(theme_, WIDTH, height)
    placed = places(rows.members)
    tiny = len(rows.names) > MOST_HATCHED
    high = 1.0 if tiny else 0.86
    for label in [Label.OK, *rows.labels]:
        chosen = np.array([row_label == label for row_label in rows.label], dtype=bool)
        row = rows.row[chosen]
        boxes = _boxes(rows.from_ms[chosen], rows.to_ms[chosen], row - high / 2, row + high / 2)
        if label == Label.OK:
            members = [m for m, c in zip(rows.member, chosen, strict=True) if c]
            colours = [member_colour(placed[m], theme_) if m else theme_.grid for m in members]
            axes.add_collection(PolyCollection(boxes, facecolors=colours, edgecolors="none"))
        else:
            axes.add_collection(PolyCollection(boxes, **hatched(label, theme_, tiny)))
    row_names(axes, rows.names, theme_, height)
    end = float(rows.to_ms.max(initial=1))
    begin = float(rows.from_ms.min(initial=end))
    time_axis(axes, theme_, begin, end, frames.origin(frame))
    _write_members(axes, rows, end - begin, height, theme_)
    patches = [Patch(label=label, **hatched(label, theme_, tiny)) for label in rows.labels]
    note = ""
    if len(rows.members) <= NAMED_MEMBERS:
        patches += [Patch(facecolor=member_colour(placed[m], theme_), label=drawn(m, 28)) for m in rows.members]
    else:
        note = f"{len(rows.members)} members, colours repeat"
    legend(axes, patches, theme_, note)
    titled(axes, title or "Owners of partitions over time", theme_)
    return made


def _boxes(from_ms: np.ndarray, to_ms: np.ndarray, low: np.ndarray, top: np.ndarray) -> list[np.ndarray]:
    """The corners of bars."""
    xs = np.stack([from_ms, to_ms, to_ms, from_ms], axis=1)
    ys = np.stack([low, low, top, top], axis=1)
    return list(np.stack([xs, ys], axis=2).astype(float))


def _write_members(axes: Axes, rows: frames.Rows, span_ms: float, height: float, of: Theme) -> None:
    """Names in the bars that have room for them."""
    if height * 72 * 0.8 / max(len(rows.names), 1) < 8:
        return
    per_letter = span_ms / (WIDTH * 72 * 0.78) * 5
    for row, start, end, member, label in zip(rows.row, rows.from_ms, rows.to_ms, rows.member, rows.label, strict=True):
        text = drawn(member, 24)
        if label == Label.OK and text and (end - start) > per_letter * (len(text) + 1.5):
            look: dict[str, Any] = {"fontsize": SIZE - 2.5, "fontfamily": FONT, "color": of.ink, "parse_math": False}
            axes.text(start + per_letter * 0.6, row, text, va="center", ha="left", clip_on=True, **look)


def unavailable(frame: pd.DataFrame, *, theme_: Theme, title: str) -> Picture:
    """Unavailable partitions over time, stacked by label."""
    counts = frames.counts(frame)
    made, axes = figure(theme_, WIDTH, 3.6)
    below = np.zeros(len(counts.at_ms))
    until = np.append(counts.at_ms[1:], counts.at_ms[-1:])
    for label in sorted(counts.by_label, key=lambda name: -counts.weight(name)):
        count = counts.by_label[label]
        some = count > 0
        boxes = _boxes(counts.at_ms[some], until[some], below[some], (below + count)[some])
        axes.add_collection(PolyCollection(boxes, **hatched(label, theme_, len(boxes) > MOST_BOXES)))
        below = below + count
    end = float(counts.at_ms.max(initial=1))
    time_axis(axes, theme_, min(0.0, float(counts.at_ms.min(initial=0))), end, frames.origin(frame))
    axes.set_ylim(0, max(float(below.max(initial=0)) * 1.05, 1))
    named(axes, theme_, axes.get_xlabel(), "partitions unavailable")
    legend(axes, [Patch(label=label, **hatched(label, theme_)) for label in counts.by_label], theme_)
    titled(axes, title or "Unavailable partitions", theme_)
    return made


def lag(frame: pd.DataFrame, *, theme_: Theme, title: str) -> Picture:
    """Records behind over time, one line a group."""
    lags = frames.lags(frame)
    made, axes = figure(theme_, WIDTH, 3.6)
    patches = []
    for number, (name, records) in enumerate(lags.by_group.items()):
        colour = sweeps.line_colour(number, theme_)
        axes.plot(lags.at_ms, records, color=colour, linewidth=1.4, linestyle=sweeps.line_dashes(number))
        patches.append(Patch(facecolor=colour, label=drawn(name, 40)))
    time_axis(axes, theme_, 0, float(lags.at_ms.max(initial=1)), frames.origin(frame))
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color=theme_.grid, linewidth=0.6)
    named(axes, theme_, axes.get_xlabel(), "records behind")
    legend(axes, patches, theme_)
    titled(axes, title or "Lag of the commits, all partitions together", theme_)
    return made


def rebalance(
    frame: pd.DataFrame, *, group: str | None, generation: int | None, most: int, theme_: Theme, title: str
) -> Picture:
    """One rebalance as a swim-lane, its critical path framed."""
    swim = frames.swim(frame, group, generation)
    names = list(swim.lanes)[:most]
    height = float(np.clip(0.24 * len(names) + 1.5, 2.4, 13.0))
    made, axes = figure(theme_, WIDTH, height)
    for place, name in enumerate(names):
        for piece in swim.lanes[name]:
            box = [(piece.from_ms, piece.to_ms - piece.from_ms)]
            axes.broken_barh(box, (place - 0.38, 0.76), **step_look(piece.step, theme_))
            if piece.critical:
                frame_: dict[str, Any] = {
                    "facecolor": "none",
                    "edgecolor": theme_.critical,
                    "linewidth": 1.8,
                    "zorder": 3,
                }
                axes.broken_barh(box, (place - 0.42, 0.84), **frame_)
    row_names(axes, [name or "no member" for name in names], theme_, height)
    time_axis(axes, theme_, 0, swim.lasted_ms)
    named(axes, theme_, "time since the start of the rebalance")
    patches = [Patch(label=step, **step_look(step, theme_)) for step in swim.steps]
    patches.append(Patch(facecolor="none", edgecolor=theme_.critical, linewidth=1.8, label="critical path"))
    legend(axes, patches, theme_)
    rest = len(swim.lanes) - len(names)
    more = f"; {counted(rest, 'member')} more, less critical" if rest else ""
    titled(axes, title or swim.about + more, theme_)
    return made


def step_look(step: str, of: Theme) -> dict[str, Any]:
    """How a member's step is drawn."""
    strong, hatch = of.steps.get(step, of.faint), STEP_HATCHES.get(step, "")
    colour = (strong, 0.35) if hatch else strong
    return {"facecolor": colour, "edgecolor": strong, "hatch": hatch * HATCH, "linewidth": 0.5}


def compare(frame: pd.DataFrame, *, by: str, theme_: Theme, title: str) -> Picture:
    """Runs side by side: unavailable partition-seconds, one bar a run, by label or another breakdown."""
    runs, parts = sweeps.breakdown(frame, by)
    height = max(0.42 * len(runs) + 1.7, 0.19 * len(parts) + 0.9)
    made, axes = figure(theme_, WIDTH, height)
    left = np.zeros(len(runs))
    patches = []
    for number, (part, values) in enumerate(parts.items()):
        look = part_look(part, number, by, theme_)
        seconds = np.array(values) / 1_000
        axes.barh(range(len(runs)), seconds, left=left, height=0.66, **look)
        patches.append(Patch(label=drawn(part, 44), **look))
        left = left + seconds
    row_names(axes, runs, theme_, height)
    axes.set_xlim(0, max(float(left.max(initial=0)) * 1.16, 1e-3))
    for place, total in enumerate(left):
        font: dict[str, Any] = {"fontsize": SIZE - 1, "fontfamily": FONT, "color": theme_.ink}
        axes.text(total, place, f" {total:,.1f} s", va="center", ha="left", **font)
    axes.grid(axis="x", color=theme_.grid, linewidth=0.6)
    named(axes, theme_, "unavailable partition-seconds")
    legend(axes, patches, theme_)
    titled(axes, title or f"Unavailable time by {by}", theme_)
    return made


def part_look(part: str, number: int, by: str, of: Theme) -> dict[str, Any]:
    """Labels have their own colours; other parts take them in turn."""
    if by == "label":
        return hatched(part, of)
    if part == sweeps.OTHERS:
        return {"facecolor": of.grid, "edgecolor": of.faint, "linewidth": 0.5}
    strong = list(of.labels.values())
    names = list(of.labels)
    return hatched(names[number % len(strong)], of)


def sweep(frame: pd.DataFrame, *, x: str | None, measure: str, hue: str | None, theme_: Theme, title: str) -> Picture:
    """What a parameter does: the median over seeds, the band from the 5th to the 95th percentile, and every run."""
    prepared = sweeps.prepare(frame, x, measure, hue)
    made, axes = figure(theme_, WIDTH * 0.75, 4.4)
    patches = []
    for number, line in enumerate(prepared.lines):
        colour = sweeps.line_colour(number, theme_)
        marker = "osD^vPX*"[number % 8]
        aside = 0.0 if prepared.names is None else (number - (len(prepared.lines) - 1) / 2) * 0.16
        if prepared.names is None:
            axes.fill_between(line.at, line.low, line.high, color=colour, alpha=0.16, linewidth=0)
        else:
            axes.vlines(line.at + aside, line.low, line.high, color=colour, linewidth=5, alpha=0.25)
        joined = "-" if prepared.names is None else "none"
        axes.plot(
            line.at + aside, line.median, color=colour, marker=marker, linestyle=joined, linewidth=1.8, markersize=6
        )
        axes.scatter(line.each_at + aside, line.each, color=colour, s=8, alpha=0.4, linewidths=0, marker=marker)
        patches.append(Patch(facecolor=colour, label=drawn(line.name, 40)))
    if prepared.names is not None:
        axes.set_xticks(range(len(prepared.names)), labels=[drawn(n, 24) for n in prepared.names], parse_math=False)
        axes.set_xlim(-0.5, len(prepared.names) - 0.5)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color=theme_.grid, linewidth=0.6)
    named(axes, theme_, prepared.x, prepared.unit)
    legend(axes, patches if hue is not None else [], theme_, hue or "")
    titled(axes, title or f"{prepared.what} by {prepared.x}: median, and 5 to 95 % of the runs", theme_)
    return made


def pareto(frame: pd.DataFrame, *, x: str, y: str, theme_: Theme, title: str) -> Picture:
    """Two measures of choices: those that no other beats are joined and named."""
    points = sweeps.points(frame, x, y)
    made, axes = figure(theme_, WIDTH * 0.75, 5.0)
    strong, faint = sweeps.line_colour(0, theme_), theme_.faint
    axes.scatter(*points.beaten, color=faint, s=22, alpha=0.6, linewidths=0, clip_on=False)
    axes.plot(
        *points.front, color=strong, marker="o", linewidth=1.4, markersize=6, drawstyle="steps-post", clip_on=False
    )
    axes.scatter(*points.recorded, color=theme_.critical, s=46, marker="X", linewidths=0, clip_on=False)
    font: dict[str, Any] = {"fontsize": SIZE - 1.5, "fontfamily": FONT, "color": theme_.ink, "parse_math": False}
    for name, at_x, at_y in points.named:
        axes.annotate(drawn(name, 64), (at_x, at_y), xytext=(6, 6), textcoords="offset points", **font)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.margins(0.12)
    axes.grid(color=theme_.grid, linewidth=0.6)
    named(axes, theme_, points.x, points.y)
    titled(axes, title or f"{y} and {x}: choices that no other beats, and the record (X)", theme_)
    return made
