"""What works where only the core is installed, and what is said of an extra that is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import tomllib
from importlib.metadata import requires
from pathlib import Path

from groupsim.events.extras import EXTRAS

ROOT = Path(__file__).parents[2]
KILL9 = ROOT / "examples" / "incidents" / "kill9-range"
TOPIC = ROOT / "examples" / "offsets-topic"
BLOCKED = sorted({package for packages in EXTRAS.values() for package in packages})
ONLY_THE_CORE = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
from groupsim.cli.main import status
"""


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a Python that has the core alone."""
    program = ONLY_THE_CORE + textwrap.dedent(text)
    env = {**os.environ, "GROUPSIM_STORE": "runs.db"}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def test_with_the_core_alone_logs_and_simulations_are_answered(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        f"""
        for command in (
            ["explain", {str(KILL9)!r}],
            ["import", {str(KILL9)!r}, "--name", "kill9"],
            ["blame", "kill9"],
            ["report", "kill9", "-o", "kill9.html"],
            ["whatif", "kill9", "--assignor", "sticky", "--seeds", "0:2"],
            ["run", "bad_leader"],
            ["unavailable", "latest", "--by", "label"],
        ):
            assert status(command) == 0, command
        import groupsim
        assert groupsim.load("runs.db").unavailable(between=(0, None)).size
        """,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "kill9.html").stat().st_size > 50_000


MISSING = [
    (["plot", "timeline", "latest"], "plots", ""),
    (["advise", "bad_leader", "--vary", "session.timeout.ms=6000,9000"], "advise", "scipy"),
    (["sweep", "bad_leader", "--seeds", "0:2", "--to", "lake"], "spark", "py"),
    (["runs", "--store", "postgresql://localhost/x"], "postgres", "psycopg"),
    (["explain", str(TOPIC)], "offsets", ""),
]
"""A command, the extra that it lacks, and how the name of its package begins."""


def test_a_missing_extra_is_one_sentence_and_status_2(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        f"""
        import contextlib, io, json
        assert status(["run", "bad_leader", "-q"]) == 0
        for command in {[command for command, *_ in MISSING]!r}:
            with contextlib.redirect_stderr(io.StringIO()) as said:
                code = status(command)
            print(json.dumps([code, said.getvalue()]))
        """,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    for (command, extra, package), (code, printed) in zip(MISSING, answers, strict=True):
        assert code == 2, command
        (said,) = printed.splitlines()
        assert f'pip install "groupsim[{extra}]"' in said
        assert f"need {package}" in said


def test_from_python_it_is_an_error_of_groupsim(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import groupsim
        run = groupsim.run("bad_leader")
        for ask in (
            lambda: run.plot.timeline(),
            lambda: groupsim.advise("bad_leader", vary={"session.timeout.ms": [6_000, 9_000]}),
            lambda: groupsim.sweep("bad_leader", grid={"session.timeout.ms": [6_000]}, to="lake"),
            lambda: groupsim.open_store("postgresql://localhost/x"),
        ):
            try:
                ask()
            except groupsim.GroupsimError as error:
                print(error)
        """,
    )
    assert done.returncode == 0, done.stderr
    assert [line.rpartition("[")[2] for line in done.stdout.splitlines()] == [
        'plots]"',
        'advise]"',
        'spark]"',
        'postgres]"',
    ]


def test_the_table_of_extras_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {"google-crc32c": "google_crc32c", "kafka-python": "kafka"}
    for extra, packages in EXTRAS.items():
        wanted = {
            requirement.partition(">=")[0].partition("[")[0] for requirement in project["optional-dependencies"][extra]
        }
        assert {named.get(name, name) for name in wanted} <= set(packages)
    core = {requirement.partition(">=")[0] for requirement in project["dependencies"]}
    assert core.isdisjoint(name for packages in EXTRAS.values() for name in packages)
    assert requires("groupsim")


def test_the_doctor_finds_nothing_wrong_with_the_core_alone_and_names_the_extras(tmp_path: Path) -> None:
    done = run(tmp_path, 'print(status(["doctor", "--format", "csv"]))')
    assert done.stdout.splitlines()[-1] == "0", done.stderr
    for extra in EXTRAS:
        assert f"extra {extra},missing," in done.stdout
        assert f".[{extra}]" in done.stdout
