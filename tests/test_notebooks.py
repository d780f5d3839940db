"""The notebooks of the documentation run from their first cell to their last, and show what they are kept with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from recorders.page.notebooks import page
from tests.notebooks import FOLDER, NAMES, executed, read, texts

SLOW = ("choose-an-assignor-and-a-way-to-deploy", "ten-thousand-runs-with-spark-and-pandas")
"""They run 15 and 25 s; what their cells do is tested by tests/advice, tests/pipeline and tests/api, too."""
IN_THE_WHEEL = re.compile(r"^\s*(?:import|from) (\w+)", re.M)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.spark] * ("spark" in name) + [pytest.mark.nightly] * (name in SLOW))
        for name in NAMES
    ],
)
def test_a_notebook_shows_what_its_cells_show_now(name: str, tmp_path: Path) -> None:
    kept = texts(read(name))
    assert texts(executed(read(name), tmp_path)) == kept, f"run: python -m tests.notebooks write {name}"


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_needs_the_wheel_and_its_extras_alone(name: str) -> None:
    cells = [cell for cell in read(name).cells if cell.cell_type == "code"]
    imported = {found for cell in cells for found in IN_THE_WHEEL.findall(cell.source)}
    assert imported <= {"groupsim", "pandas", "pyspark"}
    assert "groupsim." + "api" not in json.dumps([cell.source for cell in cells])
    assert str(FOLDER.parent.parent) not in (FOLDER / f"{name}.ipynb").read_text("utf-8")
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_a_page_with_its_pictures(name: str) -> None:
    shown = page(str(FOLDER / f"{name}.ipynb"), f"{name}.ipynb")
    assert f"[Download this notebook]({name}.ipynb)" in shown.splitlines()[2]
    assert "data:image/png;base64," in shown
    assert "<script" not in shown
