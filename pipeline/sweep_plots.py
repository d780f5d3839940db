"""The choices of a sweep as a picture: median, interval and 95th percentile of each, the best on top."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.sweep_report import Report

BEST, OTHER, FAINT = "#1b7f5c", "#44546a", "#b3bcc8"
SUFFIXES = (".png", ".html")
_ENOUGH = 60
"""The most choices that are drawn, so that they stay readable."""


def draw(report: Report, file: Path) -> None:
    """Write the picture: PNG by matplotlib, HTML (one file, no network) by plotly. Raises PipelineError."""
    if file.suffix not in SUFFIXES:
        raise PipelineError(f"-o {file}: the name must end in {' or '.join(SUFFIXES)}")
    try:
        (_png if file.suffix == ".png" else _html)(report, file)
    except OSError as error:
        raise PipelineError(f"-o {file} can't be written: {error.strerror or error}") from None


def _title(report: Report) -> str:
    return f"{report.scenario}: {unit(report)[0]} by choice, medians over seeds; {report.runs:,} runs"


def unit(report: Report) -> tuple[str, float]:
    """The title of the axis, and the number to divide values by."""
    if report.measure in ("partition_ms", "after_start_ms"):
        return "unavailable partition-seconds" + (" after the start" if report.measure == "after_start_ms" else ""), 1e3
    return report.measure.replace("_", " "), 1.0


def _shown(report: Report) -> list[dict[str, float | str | bool]]:
    """The finished choices in the unit of the axis, best first."""
    by = unit(report)[1]
    rows = [row for row in report.choices if row["median"] is not None][:_ENOUGH]
    numbers = ("median", "median_low", "median_high", "p95")
    same = _same(rows)
    return [
        {
            "choice": " ".join(word for word in row["choice"].split() if word not in same)
            or row["choice"]
            or "default settings",
            "best": row["as_good"],
            **{n: row[n] / by for n in numbers},
        }
        for row in rows
    ]


def _same(rows: list[dict[str, Any]]) -> set[str]:
    """The settings that all choices have in common; they are not shown."""
    return set.intersection(*(set(row["choice"].split()) for row in rows)) if len(rows) > 1 else set()


def _png(report: Report, file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rows = _shown(report)[::-1]
    figure, axes = plt.subplots(figsize=(11, 1.4 + 0.3 * len(rows)), layout="constrained")
    for y, row in enumerate(rows):
        color = BEST if row["best"] else OTHER
        axes.plot([row["median"], row["p95"]], [y, y], color=FAINT, linewidth=1, zorder=1)
        axes.plot([row["p95"]], [y], marker="|", color=FAINT, markersize=9, zorder=1)
        axes.plot([row["median_low"], row["median_high"]], [y, y], color=color, linewidth=4, alpha=0.4, zorder=2)
        axes.plot([row["median"]], [y], marker="o", color=color, markersize=6, zorder=3)
    axes.set_yticks(range(len(rows)), [str(row["choice"]) for row in rows], fontsize=8)
    axes.set_xlim(left=0)
    axes.grid(axis="x", color="#e6e9ee")
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    # Of the figure, not of the axes: long names of choices leave those little room.
    figure.supxlabel(f"{unit(report)[0]}; dot: median, bar: 95 % interval, tick: 95th percentile", fontsize=9)
    figure.suptitle(_title(report), x=0.01, ha="left", fontsize=11)
    figure.savefig(file, dpi=130, metadata={"Software": None})
    plt.close(figure)


def _html(report: Report, file: Path) -> None:
    import plotly.graph_objects as go

    rows = _shown(report)
    figure = go.Figure()
    for name, best, color in (("best, or as good", True, BEST), ("worse", False, OTHER)):
        part = [row for row in rows if row["best"] is best]
        figure.add_trace(
            go.Scatter(
                name=name,
                x=[row["median"] for row in part],
                y=[row["choice"] for row in part],
                customdata=[[row["median_low"], row["median_high"], row["p95"]] for row in part],
                hovertemplate="%{y}<br>median %{x:,.1f} (%{customdata[0]:,.1f} to %{customdata[1]:,.1f})"
                "<br>p95 %{customdata[2]:,.1f}<extra></extra>",
                mode="markers",
                marker={"color": color, "size": 9},
                error_x={
                    "symmetric": False,
                    "array": [float(row["median_high"]) - float(row["median"]) for row in part],
                    "arrayminus": [float(row["median"]) - float(row["median_low"]) for row in part],
                },
            )
        )
    order = [row["choice"] for row in rows]
    figure.update_yaxes(categoryorder="array", categoryarray=order, autorange="reversed")
    figure.update_xaxes(title=unit(report)[0], rangemode="tozero")
    figure.update_layout(title=_title(report), template="plotly_white", height=160 + 24 * len(rows))
    figure.write_html(file, include_plotlyjs=True, full_html=True)
