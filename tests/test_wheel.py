"""The wheel: what `pip install .` puts into an environment, and that it works beside a project with equal names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from groupsim.cli.commands import MODULES
from groupsim.diagnosis import causes as causes_package
from groupsim.scenarios import catalogue
from tests.imports import imports, reached

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("parsed")]  # in one process the wheel is built once
ROOT = Path(__file__).parent.parent
OTHER_FOLDERS = ("tests", "benchmarks", "recorders", "docs", "examples", "build", "requirements", "setup")
REACHED_BY = {
    "groupsim": "the public names",
    "groupsim.cli.entry": "the command `groupsim`",
    "groupsim.api.pytest_plugin": "loaded by pytest: an entry point",
    "groupsim.pipeline.job": "started by spark-submit",
    "groupsim.storage.sqlite": "by a store's URL: `storage.database`",
    "groupsim.storage.postgresql": "by a store's URL: `storage.database`",
}
"""Where a user's program or shell comes in, and how. Scenarios and causes are found in their folders."""
LINES_OF_A_PROJECT = {
    "analysis/__init__.py": "raise ImportError('the package of the project was imported')\n",
    "events.py": "raise ImportError('the module of the project was imported')\n",
    "storage.py": "raise ImportError('the module of the project was imported')\n",
    "cli.py": "raise ImportError('the module of the project was imported')\n",
}


def pip(*arguments: str) -> None:
    """Run pip without network."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
        env={**os.environ, "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built in a copy of the checkout's own files, so that the checkout gets no `build` folder."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "checkout"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    (copy / "build" / "lib" / "groupsim").mkdir(parents=True)  # what an earlier build leaves behind is not packed
    (copy / "build" / "__init__.py").touch()
    pip("wheel", str(copy), "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that stands for site-packages."""
    site = tmp_path_factory.mktemp("site")
    pip("install", "--no-deps", "--no-compile", "--target", str(site), str(wheel))
    return site


def test_the_wheel_has_every_module_and_data_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("groupsim/")}
    packages = [path.parent for path in ROOT.glob("[a-z]*/__init__.py") if path.parent.name not in OTHER_FOLDERS]
    files = [
        file for package in packages for kind in ("py", "html", "css", "js") for file in package.rglob(f"*.{kind}")
    ]
    files += ROOT.glob("examples/incidents/*/*.log.gz")
    wanted = {f"groupsim/{file.relative_to(ROOT)}" for file in files} | {"groupsim/__init__.py", "groupsim/py.typed"}
    assert names == wanted
    assert {Path(name).suffix for name in names} == {".py", ".html", ".css", ".js", ".typed", ".gz"}


def test_the_wheel_has_no_test_no_recorder_and_nothing_that_writes_a_page_of_the_repository(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = [name for name in archive.namelist() if name.endswith(".py")]
    folders = {part for name in names for part in Path(name).parts}
    assert folders.isdisjoint(OTHER_FOLDERS)
    assert [name for name in names if Path(name).name.startswith(("test_", "conftest"))] == []
    into_the_repository = re.compile(r'/ "(docs|tests)"')
    assert [name for name in names if into_the_repository.search(archive.read(name).decode())] == []


def test_each_module_of_the_wheel_is_reached_from_a_command_or_a_public_name(wheel: Path) -> None:
    files = [Path(name) for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".py")]
    installed = {".".join((file.parent if file.stem == "__init__" else file.with_suffix("")).parts) for file in files}
    scenarios = {catalogue.find(name).story.__module__ for name in catalogue.names()}
    causes = {name for name in installed if name.rpartition(".")[0] == causes_package.__name__}
    commands = {f"groupsim.cli.{module}" for module in MODULES.values()}
    unreached = installed - reached({*REACHED_BY, *commands, *scenarios, *causes}, imports())
    assert sorted(unreached) == []
    assert REACHED_BY.keys() <= installed


def test_the_wheel_says_who_made_it_and_under_which_licence(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    said = message_from_bytes(archive.read(metadata))
    assert (said["License-Expression"], said["Author"]) == ("Apache-2.0", "groupsim authors")
    assert said.get_all("Classifier")
    assert said["Keywords"]
    assert metadata.replace("METADATA", "licenses/LICENSE") in archive.namelist()


def test_the_project_installs_one_import_name(installed: Path) -> None:
    assert {entry.name for entry in installed.iterdir() if entry.suffix != ".dist-info"} == {"groupsim", "bin"}


def test_it_runs_beside_a_project_with_packages_of_the_same_names(installed: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    for name, text in LINES_OF_A_PROJECT.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(project), str(installed)])}
    environment.pop("GROUPSIM_STORE", None)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    place = run("-c", "import groupsim; print(groupsim.__file__)").strip()
    assert Path(place) == installed / "groupsim" / "__init__.py"
    assert run("-m", "groupsim.cli.main", "run", "steady_state").splitlines()[1].startswith("steady_state  seed ")
    assert "label" in run("-m", "groupsim.cli.main", "unavailable", "latest", "--by", "label")
    run("-m", "groupsim.cli.main", "report", "latest", "-o", "report.html")
    assert "<script>" in (project / "report.html").read_text("utf-8")
