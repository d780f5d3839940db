"""The notebooks of the documentation: run in a kernel, their outputs compared, and written again.

`python -m tests.notebooks write [NAME...]` runs notebooks (all, or those named) and keeps what they show.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
_MASKS = ((re.compile(r"\b[0-9a-f]{12}\b"), "…"),)
"""Ids of imported runs differ from run to run."""


class ThisPython(AsyncKernelManager):
    """A kernel of this interpreter, whatever kernels the machine has installed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self._kernel_spec = KernelSpec(argv=command, display_name="this", language="python")


def read(name: str) -> nbformat.NotebookNode:
    """The notebook as it is kept."""
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call, no-any-return]


def executed(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """The notebook with what its cells show now, run in this folder. Raises CellExecutionError."""
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=1_200, kernel_manager_class=ThisPython, resources=resources).execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]  # Spark's start says much
    return notebook


def texts(notebook: nbformat.NotebookNode) -> list[list[str]]:
    """By cell the texts that it shows, pictures left out."""
    return [[masked(text) for each in cell.get("outputs", ()) for text in _texts(each)] for cell in notebook.cells]


def masked(text: str) -> str:
    """Without what differs from run to run."""
    for pattern, shown in _MASKS:
        text = pattern.sub(shown, text)
    return text


def _texts(output: Mapping[str, Any]) -> list[str]:
    if output["output_type"] == "stream":
        return [output["text"]]
    return [text for kind, text in sorted(output["data"].items()) if kind.startswith("text/")]


def write(name: str) -> None:
    """Run a notebook and keep what it shows."""
    with tempfile.TemporaryDirectory() as folder:
        found = executed(read(name), Path(folder))
    nbformat.write(found, FOLDER / f"{name}.ipynb")  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    command, *names = sys.argv[1:] or [""]
    if command != "write" or not set(names) <= set(NAMES):
        sys.exit(f"python -m tests.notebooks write [NAME...], of {', '.join(NAMES)}")
    for each in names or NAMES:
        write(each)
