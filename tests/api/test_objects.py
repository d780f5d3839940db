"""What the objects show of themselves, and their tables."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

import groupsim
from groupsim import api
from groupsim.analysis.availability.labels import Label
from groupsim.analysis.plots.palette import LIGHT
from groupsim.api.timeline_svg import timeline
from tests.api.test_same_json import KILL9


@pytest.fixture(scope="module")
def run() -> groupsim.Run:
    return groupsim.run("bad_leader", seed=3)


@pytest.fixture(scope="module")
def incident() -> groupsim.Run:
    return groupsim.import_logs(KILL9, name="<b>deploy</b>")


def test_a_run_shows_its_answer_and_its_headline(run: groupsim.Run) -> None:
    first, answer, *headline = repr(run).splitlines()
    assert run.info.id in first
    assert "seed 3" in first
    assert answer == run.answer
    assert headline == [f"unavailable: {run.headline}>"]


def test_html_has_the_answer_and_no_script_and_is_well_formed(incident: groupsim.Run) -> None:
    what_if = incident.what_if(assignor="sticky", seeds=range(2))
    shown: list[groupsim.Run | groupsim.Explanation | groupsim.WhatIf] = [incident, incident.explanation, what_if]
    for each in shown:
        html = each._repr_html_()
        root = ET.fromstring(html.replace("&nbsp;", " "))
        assert root.find("p/b").text == each.answer  # type: ignore[union-attr]
        assert not [tag for tag in root.iter() if tag.tag.rpartition("}")[2] in ("script", "style", "b>deploy")]


def test_names_from_logs_are_escaped(tmp_path: Path) -> None:
    lines = [
        "[2026-03-01 10:00:00,000] INFO [GroupCoordinator 1]: Preparing to rebalance group <script>x</script> in state"
        " PreparingRebalance with old generation 0 (__consumer_offsets-1) (reason: Adding new member m1-1 with group"
        " instance id None; client reason: not provided) (kafka.coordinator.group.GroupCoordinator)",
        "[2026-03-01 10:00:03,000] INFO [GroupCoordinator 1]: Stabilized group <script>x</script> generation 1"
        " (__consumer_offsets-1) with 1 members (kafka.coordinator.group.GroupCoordinator)",
    ]
    log = tmp_path / "broker.log"
    log.write_text("\n".join(lines), encoding="utf-8")
    explained = groupsim.explain(log, simulate=False)
    assert "<script>" in str(explained.groups[0].group)
    assert "<script>" not in explained._repr_html_()


def test_the_picture_has_a_bar_for_each_interval_that_is_drawn(run: groupsim.Run) -> None:
    drawn = ET.fromstring(timeline(run.intervals).partition("</svg>")[0] + "</svg>")
    bars = [tag for tag in drawn.iter() if tag.tag.endswith("rect")]
    assert len(bars) == len(run.intervals)
    width = 720 - 130
    ends = max(interval.to_ms for interval in run.intervals)
    for bar, interval in zip(bars, run.intervals, strict=False):
        assert float(bar.attrib["width"]) >= (interval.to_ms - interval.from_ms) * width / ends - 0.01


def test_what_is_black_on_a_light_page_is_light_on_a_dark_one(incident: groupsim.Run) -> None:
    shown = timeline(incident.intervals)
    assert LIGHT.labels[Label.OWNER_DEAD] not in shown
    assert 'fill="currentColor"><title>OWNER_DEAD' in shown
    assert "color:currentColor" in shown


def test_of_many_partitions_the_worst_are_drawn(run: groupsim.Run) -> None:
    svg = timeline(run.intervals, most_rows=2)
    assert "more partitions, unavailable for less time, are not drawn" in svg
    assert svg.count('text-anchor="end"') == 3  # two names and the end of the axis


def test_a_what_if_has_a_row_a_choice_with_ranges(incident: groupsim.Run) -> None:
    found = incident.what_if(assignor=["sticky", "roundrobin"], seeds=range(3))
    frame = found.to_frame().set_index("choice")
    assert list(frame.index) == ["as recorded", "sticky", "roundrobin"]
    assert (frame["unavailable_partition_ms_least"] <= frame["unavailable_partition_ms"]).all()
    assert set(found.sentences) == {"sticky", "roundrobin"}
    assert incident.what_ifs[-1].headline == found.answer  # kept with the run


def test_pictures_are_figures(run: groupsim.Run) -> None:
    assert isinstance(run.plot.timeline(), Figure)
    moving = run.plot.unavailable(theme="dark", interactive=True)
    assert type(moving).__module__.startswith("plotly")


@pytest.mark.parametrize("module", [name for _, name, _ in pkgutil.iter_modules(api.__path__)])
def test_examples_of_docstrings(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"groupsim.api.{module}"))
    assert not found.failed


def test_every_public_name_is_there_and_documented() -> None:
    for name in sorted({*groupsim.__all__} - {"Script"}):  # a type alias has none
        assert getattr(groupsim, name).__doc__, name
    with pytest.raises(AttributeError):
        groupsim.nothing  # noqa: B018


@groupsim.scenario(lasts=groupsim.minutes(2))
def not_stable(world: groupsim.World) -> groupsim.Script:
    """It waits for fewer members than there are."""
    group = world.group("billing")
    group.join(3, topics=[world.topic("orders", partitions=3)])
    yield group.stable(members=2, within=groupsim.seconds(10))


def test_of_a_run_that_failed_that_is_said_first() -> None:
    failed = groupsim.run(not_stable, seed=5)
    assert not failed.ok
    assert failed.answer.startswith(
        "The scenario failed: at 10,000 ms: group 'billing' was not stable with 2 members within 10,000 ms"
    )
    assert failed.answer in failed._repr_html_().replace("&#x27;", "'")
    loaded = groupsim.Run(failed.store, failed.info)
    assert loaded.answer.startswith(f"Run {failed.info.id} failed at ")
    assert "Nothing is wrong" not in failed._repr_html_() + loaded._repr_html_()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"rates": 200}, "names no topic"),
        ({"rates": {"orders": "200/s"}}, "orders='200/s' is not a number"),
        ({"rates": {"orders": 20}, "capacity": "500"}, "capacity='500' is not a number"),
    ],
)
def test_a_rate_that_is_no_number_is_one_sentence(incident: groupsim.Run, given: dict[str, Any], says: str) -> None:
    with pytest.raises(groupsim.GroupsimError, match=says):
        incident.delays(**given)


def test_an_explanation_shows_its_cost_and_how_certain_it_is() -> None:
    found = groupsim.explain(groupsim.example("max-poll-range"), simulate=False)
    shown = found._repr_html_()
    least, most = found.groups[0].stopped_ms or (None, None)
    assert f"could read: {least} ms to {most} ms" in shown
    assert '<td style="text-align:left">shown</td>' in shown
