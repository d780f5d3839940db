"""The notebook runs from its first cell to its last."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent.parent / "examples" / "rebalances.ipynb"


class ThisPython(AsyncKernelManager):
    """A kernel of this interpreter, whatever kernels the machine has installed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self._kernel_spec = KernelSpec(argv=command, display_name="this", language="python")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_cell_of_the_notebook_runs_and_shows_what_it_says(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook, timeout=120, kernel_manager_class=ThisPython, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in cells)
    assert "WITHHELD" in str(cells[1].outputs)
    assert "heartbeat.interval.ms" in str(cells[2].outputs)
    assert "image/png" in str(cells[-1].outputs)
