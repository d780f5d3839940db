"""`examples/from_python.py`: a script outside the checkout that uses nothing but `import groupsim`."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
BESIDE = Path(sys.executable).parent


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return Path(shutil.copy(ROOT / "examples" / "from_python.py", tmp_path))


def _run(script: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.spark
def test_it_does_all_that_the_commands_do(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the Spark session of the tests: a program with one of its own is in tests/pipeline/test_cluster.py."""
    logs = ROOT / "examples" / "incidents" / "rolling-restart-range"
    monkeypatch.chdir(script.parent)
    monkeypatch.setattr(sys, "argv", [script.name, str(logs), "out"])
    runpy.run_path(str(script), run_name="__main__")
    shown = capsys.readouterr().out
    assert "a rolling restart" in shown
    assert "would have helped" in shown, "what-if"
    assert "sure that this is the best of the 2 choices" in shown, "advice"
    assert (script.parent / "out" / "incident.html").stat().st_size > 50_000
    assert list((script.parent / "out" / "lake").rglob("*.parquet"))


def test_pyright_knows_every_type_in_it(script: Path) -> None:
    _run(script, str(BESIDE / "pyright"), "--warnings", "--pythonpath", sys.executable, script.name)


@pytest.mark.slow
def test_mypy_finds_nothing_in_it(script: Path) -> None:
    """With what `make check` found out about the packages, if it has run: without it takes mypy four times as long."""
    _run(script, str(BESIDE / "mypy"), "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), script.name)
