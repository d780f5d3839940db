"""The pictures: what is drawn is what the tables say, in both themes, static and interactive, with any names."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection

from groupsim import analysis
from groupsim.analysis import plots
from groupsim.analysis.errors import AnalysisError
from groupsim.analysis.plots import canvas, frames, interactive, sweeps
from groupsim.analysis.plots.palette import DARK, HATCHES, LIGHT, STEP_HATCHES
from groupsim.analysis.runs import Run
from tests.analysis.in_ms import total_ms
from tests.analysis.report.conftest import simulated
from tests.analysis.report.test_hostile_names import run_named


@pytest.fixture(scope="module")
def slow() -> Run:
    """Two groups; a member is inside a batch of a minute."""
    return simulated("one_slow_member", host="ideal")


@pytest.fixture(scope="module")
def swept() -> pd.DataFrame:
    """Eight seeds of each of six points."""
    rows = [
        {"session.timeout.ms": ms, "assignor": assignor, "seed": seed, "partition_ms": ms * (seed + 1) * factor}
        for ms in (6_000, 10_000, 45_000)
        for assignor, factor in (("range", 2), ("sticky", 1))
        for seed in range(8)
    ]
    return pd.DataFrame(rows)


def png(figure: Any) -> bytes:
    """The picture as a file."""
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=40)
    return written.getvalue()


def pictures(run: Run, swept: pd.DataFrame, module: Any, theme: str) -> dict[str, Any]:
    """All six."""
    return {
        "timeline": run.timeline().pipe(module.timeline, theme=theme),
        "ownership": run.ownership().pipe(module.timeline, theme=theme),
        "unavailable": run.unavailable().pipe(module.unavailable, theme=theme),
        "lag": run.behind().pipe(module.lag, theme=theme),
        "rebalance": run.critical_paths().pipe(module.rebalance, theme=theme),
        "compare": analysis.compare(a=run, b=run).pipe(module.compare, theme=theme),
        "sweep": swept.pipe(module.sweep, x="session.timeout.ms", hue="assignor", theme=theme),
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_picture_is_drawn_without_a_warning_and_nothing_global_changes(
    slow: Run, swept: pd.DataFrame, theme: str
) -> None:
    before = dict(mpl.rcParams)
    drawn = {name: png(figure) for name, figure in pictures(slow, swept, plots, theme).items()}
    assert dict(mpl.rcParams) == before
    assert all(picture.startswith(b"\x89PNG") for picture in drawn.values())
    assert len(set(drawn.values())) == len(drawn)
    svg = io.StringIO()
    plots.unavailable(slow.unavailable(), theme=theme).savefig(svg, format="svg")
    assert "<svg" in svg.getvalue()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_picture_is_there_to_zoom_too(slow: Run, swept: pd.DataFrame, theme: str) -> None:
    for name, figure in pictures(slow, swept, interactive, theme).items():
        assert figure.to_json(), name
        paper = {"light": LIGHT, "dark": DARK}[theme].paper
        assert figure.layout.paper_bgcolor == paper


def test_a_timeline_has_a_row_a_partition_and_a_box_a_stretch(slow: Run) -> None:
    frame = slow.timeline()
    (axes,) = plots.timeline(frame).axes
    boxes = [c for c in axes.collections if isinstance(c, PolyCollection)]
    assert sum(len(each.get_paths()) for each in boxes) == len(frame)
    assert sum(bool(each.get_hatch()) for each in boxes) == frame["label"].nunique() - 1
    assert next(text.get_text() for text in axes.get_yticklabels()) == "cooperative  orders-0"
    traces = interactive.timeline(frame).to_plotly_json()["data"]
    assert sum(len(trace["y"]) for trace in traces) == len(frame)


def test_the_stack_of_unavailable_partitions_adds_up(slow: Run) -> None:
    frame = slow.unavailable(between=(0, None))
    counts = frames.counts(frame)
    assert sum(counts.weight(label) for label in counts.by_label) == total_ms(frame["duration"])
    assert sum(counts.by_label.values()).max() == slow.summary()["unavailable"]["max_partitions"]  # type: ignore[union-attr]


def test_the_line_of_a_groups_lag_adds_its_partitions_up_and_begins_with_the_first_commit(slow: Run) -> None:
    frame = slow.behind()
    lags = frames.lags(frame)
    for group, records in lags.by_group.items():
        last = frame[(frame["group"] == group) & (frame["time"] == pd.Timedelta(lags.at_ms[-1], "ms"))]
        assert records[-1] == last["lag"].sum() > 0
        assert np.isnan(records[0])


def test_the_longest_rebalance_is_drawn_unless_another_is_asked_for(slow: Run) -> None:
    steps = slow.critical_paths()
    longest = frames.swim(steps, None, None)
    assert (longest.group, longest.generation) == ("cooperative", 2)
    assert next(iter(longest.lanes)) == "cooperative-m1.0"
    assert frames.swim(steps, "eager", 1).about.startswith("eager: rebalance to generation 1, 6.0 s")
    with pytest.raises(AnalysisError, match="no rebalance of group 'eager', generation 9"):
        plots.rebalance(steps, group="eager", generation=9)


def test_comparisons_show_each_run_and_add_up(slow: Run) -> None:
    compared = analysis.compare(slow=slow, again=slow)
    total = slow.summary()["unavailable"]["after_start_ms"]
    for by in ("label", "phase", "configuration", "member", "cause"):
        runs, parts = sweeps.breakdown(compared, by)
        assert runs == ["slow", "again"]
        assert [sum(values) for values in zip(*parts.values(), strict=True)] == [total, total]
    with pytest.raises(AnalysisError, match="no breakdown by 'colour'; it has cause, configuration"):
        plots.compare(compared, by="colour")


def test_a_sweep_shows_medians_and_percentiles_in_seconds(swept: pd.DataFrame) -> None:
    drawn = sweeps.prepare(swept, "session.timeout.ms", "partition_ms", "assignor")
    assert [line.name for line in drawn.lines] == ["range", "sticky"]
    assert drawn.lines[1].median.tolist() == [27.0, 45.0, 202.5]
    assert drawn.unit == "partition-seconds"
    assert sweeps.prepare(swept.rename(columns={"partition_ms": "drain_ms"}), None, "drain_ms", None).unit == "seconds"
    assert sweeps.prepare(swept, None, "partition_ms", None).x == "session.timeout.ms"
    by_name = sweeps.prepare(swept, "assignor", "partition_ms", None)
    assert by_name.names == ["range", "sticky"]
    packed = pd.DataFrame({"params": [{"x": 1}, {"x": 2}], "seed": [1, 1], "partition_ms": [1, None]})
    assert sweeps.prepare(packed, None, "partition_ms", None).lines[0].at.tolist() == [1.0]


@pytest.mark.parametrize(
    "make", [plots.timeline, plots.unavailable, plots.lag, plots.rebalance, plots.compare, plots.sweep]
)
def test_a_table_without_the_columns_is_reported_in_a_sentence(make: Callable[[pd.DataFrame], Any]) -> None:
    with pytest.raises(AnalysisError, match="needs the columns"):
        make(pd.DataFrame({"a": [1]}))


def test_a_theme_is_light_or_dark(slow: Run) -> None:
    with pytest.raises(ValueError, match="light or dark, not 'pink'"):
        plots.timeline(slow.timeline(), theme="pink")


def test_names_with_dollars_markup_and_signs_no_font_has_are_drawn_as_they_are() -> None:
    for evil in (
        "$\\frac{1}{0}$",
        "消費者組 $x",
        "a\u202e\x1b[0m\n",
        "קבוצה😀",
        "<script>hit()</script><img src=x>",
        "",
    ):
        run = run_named(evil)
        assert png(run.timeline().pipe(plots.timeline))
        assert png(run.critical_paths().pipe(plots.rebalance))
        text = interactive.timeline(run.timeline()).to_json()
        assert text
        assert "<script" not in text
        assert "<img" not in text
    assert canvas.drawn("消費 $x$") == "\\u6d88\\u8cbb $x$"


def test_recorded_incidents_show_the_time_of_day() -> None:
    run = run_named("plain")
    (axes,) = plots.timeline(run.timeline()).axes
    assert axes.get_xlabel() == "time of day, UTC"
    assert all(text.get_text().startswith("11:27:14") for text in axes.get_xticklabels())


def test_marks_of_the_axis_are_round() -> None:
    assert canvas.ticks(0, 600_000) == [
        0,
        60_000,
        120_000,
        180_000,
        240_000,
        300_000,
        360_000,
        420_000,
        480_000,
        540_000,
        600_000,
    ]
    assert [canvas.moment(ms) for ms in (500, 12_345, 245_000, 3_845_000)] == ["0.5 s", "12.345 s", "4:05", "1:04:05"]


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2)."""
    parts = [
        c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in bytes.fromhex(colour[1:])
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a: str, b: str) -> float:
    """Contrast of two colours (WCAG 2), 1 to 21."""
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_paper_and_on_every_member(theme: Any) -> None:
    assert contrast(theme.ink, theme.paper) >= 7
    assert contrast(theme.faint, theme.paper) >= 4.5
    assert min(contrast(theme.ink, colour) for colour in theme.members) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_no_two_labels_share_colour_or_hatch_and_steps_that_do_not_wait_are_hatched(theme: Any) -> None:
    assert len(set(theme.labels.values())) == len(HATCHES) == len(set(HATCHES.values()))
    assert set(theme.labels) == set(HATCHES)
    assert (
        {"awaiting-heartbeat", "poll", "callback", "assign", "frozen", "dead"} <= set(STEP_HATCHES) <= set(theme.steps)
    )
