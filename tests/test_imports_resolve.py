"""After set-up, Python and type checkers find the packages as `groupsim`, in the checkout and elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEN = """
from groupsim.advice.pareto import select_front
from groupsim.analysis.replay import fold
from groupsim.assignors import ASSIGNORS
from groupsim.cli.entry import main
from groupsim.coordinator.classic import decide
from groupsim.events.types import TopicPartition
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.invariants.reconciliation import Reconciliation
from groupsim.scenarios import catalogue
from groupsim.storage import open_store
"""
TYPES = ["dict[str, Assignor]", "-> EventStore", "-> Outcome[ClassicGroup]"]
"""Of `ASSIGNORS`, `open_store` and `decide`."""


def test_python_finds_the_packages_from_any_folder(tmp_path: Path) -> None:
    found = f"{TEN}\nimport json, groupsim; print(json.dumps([*groupsim.__path__]))"
    done = subprocess.run([sys.executable, "-c", found], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert ROOT in [Path(place).resolve() for place in json.loads(done.stdout)]


@pytest.mark.parametrize("in_the_checkout", [True, False])
def test_pyright_resolves_ten_imports_and_their_types(tmp_path: Path, in_the_checkout: bool) -> None:
    file = tmp_path / "ten.py"
    file.write_text(
        f"{TEN}from groupsim.no_such_package import nothing\n"
        "reveal_type(ASSIGNORS)\nreveal_type(open_store)\nreveal_type(decide)\n"
    )
    pyright = str(Path(sys.executable).with_name("pyright"))
    done = subprocess.run(
        [pyright, "--outputjson", "--pythonpath", sys.executable, str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT if in_the_checkout else tmp_path,
    )
    said = [(each["severity"], each["message"]) for each in json.loads(done.stdout)["generalDiagnostics"]]
    wrong, *types = said
    assert wrong == ("error", 'Import "groupsim.no_such_package" could not be resolved')
    assert len(types) == len(TYPES)
    for (severity, message), shown in zip(types, TYPES, strict=True):
        assert severity == "information"
        assert shown in message
