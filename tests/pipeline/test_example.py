"""The example goes from a sweep's lake to a plot, in about twenty lines."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groupsim.pipeline.grid import Sweep, keep_manifest, load, subject
from groupsim.pipeline.sweep_point import clean, simulate
from tests.pipeline.stories import quick

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLE = Path(__file__).parents[2] / "examples" / "sweep_analysis.py"


def small_lake(tmp_path: Path) -> Path:
    """Two assignors under two seeds, played without Spark."""
    sweep = Sweep(subject(quick(tmp_path)), {"assignor": ["range", "sticky"]}, range(2))
    lake = tmp_path / "lake"
    keep_manifest(sweep.subject, lake, resume=False)
    clean(lake)
    for point in sweep.points():
        assert simulate(load(sweep.subject), sweep.subject, point, lake)["status"] == "finished"
    return lake


@pytest.mark.spark
def test_from_lake_to_plot_in_twenty_lines(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = tmp_path / "labels.png"
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(small_lake(tmp_path)), str(picture)])
    table = runpy.run_path(str(EXAMPLE))["table"]
    assert list(table.index.sort_values()) == ["assignor=range", "assignor=sticky"]
    assert table["OWNER_DEAD"].gt(0).all()
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert sum(bool(line.strip()) for line in EXAMPLE.read_text().splitlines()) <= 20
