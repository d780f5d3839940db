"""The house rules that a program can check: sizes, docstrings, imports, what must not be written down."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.parsed import parsed

pytestmark = pytest.mark.xdist_group("parsed")  # in one process: there each module is parsed once
ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = sorted(
    path.parent.name
    for path in ROOT.glob("[a-z]*/__init__.py")
    if path.parent.name not in ("benchmarks", "build", "recorders", "tests")
)
CORE = ("events", "assignors", "coordinator", "invariants")
MODULE_LINES, FUNCTION_LINES = 450, 60
"""About 150 lines are usual; more only where that keeps one idea whole."""


@cache
def _modules() -> tuple[Path, ...]:
    folders = [*PACKAGES, "benchmarks", "recorders", "tests"]
    return tuple(sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_is_something_to_check() -> None:
    assert len(_modules()) > 150
    assert {"coordinator", "simulation", "events", "cli"} <= set(PACKAGES)


def test_no_module_is_longer_than_450_lines() -> None:
    lengths = {_name(path): len(path.read_text().splitlines()) for path in _modules()}
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_no_function_is_longer_than_60_lines() -> None:
    lengths = {f"{_name(path)}:{f.line} {f.name}": f.lines for path in _modules() for f in parsed(path).functions}
    assert len(lengths) > 1000
    assert {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES} == {}


def test_every_module_opens_with_a_sentence() -> None:
    openings = {_name(path): parsed(path).docstring.partition("\n\n")[0] for path in _modules()}
    assert [name for name, text in openings.items() if not text.endswith((".", "?", "!"))] == []


def test_every_public_function_and_class_of_the_core_has_a_docstring() -> None:
    silent = [
        f"{_name(path)}:{each.line} {each.name}"
        for path in _modules()
        if path.relative_to(ROOT).parts[0] in CORE
        for each in parsed(path).silent
    ]
    assert silent == []


def test_there_is_no_module_for_what_belongs_nowhere() -> None:
    stems = {path.stem for path in _modules()}
    assert stems.isdisjoint({"utils", "util", "helpers", "common", "misc"})


def test_every_package_stands_in_the_layers() -> None:
    layers = SETTINGS["tool"]["importlinter"]["contracts"][0]["layers"]
    placed = [name.strip() for line in layers for name in line.split("|")]
    assert sorted(placed) == PACKAGES


def test_what_is_installed_imports_nothing_that_is_not() -> None:
    elsewhere = {"benchmarks", "recorders", "tests"}
    wrong = [
        f"{_name(path)}:{each.line}"
        for path in _modules()
        if path.relative_to(ROOT).parts[0] in PACKAGES
        for each in parsed(path).imports
        if not elsewhere.isdisjoint(each.module.split(".")[:2])
    ]
    assert wrong == []


def test_only_the_simulation_and_what_plays_scripts_import_simpy() -> None:
    users = {
        path.relative_to(ROOT).parts[0]
        for path in _modules()
        for each in parsed(path).imports
        if each.module.partition(".")[0] == "simpy"
    }
    assert "simulation" in users
    assert users - {"tests", "benchmarks", "recorders"} <= {"simulation", "conformance"}


@pytest.mark.slow
def test_the_import_contracts_hold() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = len(SETTINGS["tool"]["importlinter"]["contracts"])
    assert f"{kept} kept, 0 broken" in done.stdout


KAFKAS = """
auto.commit.interval.ms auto.offset.reset client.rack enable.auto.commit group.coordinator.append.linger.ms
group.coordinator.rebalance.protocols
group.consumer.assignment.interval.ms group.consumer.assignors group.consumer.heartbeat.interval.ms
group.consumer.max.assignment.interval.ms group.consumer.max.heartbeat.interval.ms
group.consumer.max.session.timeout.ms group.consumer.max.size group.consumer.migration.policy
group.consumer.min.assignment.interval.ms group.consumer.min.heartbeat.interval.ms
group.consumer.min.session.timeout.ms group.consumer.regex.refresh.interval.ms group.consumer.session.timeout.ms
group.initial.rebalance.delay.ms group.max.session.timeout.ms group.max.size group.min.session.timeout.ms
group.protocol group.remote.assignor
group.share.assignment.interval.ms group.share.delivery.count.limit group.share.heartbeat.interval.ms
group.share.initialize.retry.interval.ms group.share.max.assignment.interval.ms group.share.max.delivery.count.limit
group.share.max.heartbeat.interval.ms group.share.max.partition.max.record.locks
group.share.max.record.lock.duration.ms group.share.max.session.timeout.ms group.share.max.size
group.share.min.assignment.interval.ms group.share.min.delivery.count.limit group.share.min.heartbeat.interval.ms
group.share.min.partition.max.record.locks group.share.min.record.lock.duration.ms group.share.min.session.timeout.ms
group.share.partition.max.record.locks group.share.record.lock.duration.ms group.share.session.timeout.ms
group.streams.acceptable.recovery.lag group.streams.assignment.interval.ms group.streams.heartbeat.interval.ms
group.streams.initial.rebalance.delay.ms group.streams.max.assignment.interval.ms
group.streams.max.heartbeat.interval.ms group.streams.max.session.timeout.ms group.streams.max.size
group.streams.max.standby.replicas group.streams.max.warmup.replicas group.streams.min.assignment.interval.ms
group.streams.min.heartbeat.interval.ms group.streams.min.session.timeout.ms group.streams.min.task.offset.interval.ms
group.streams.num.standby.replicas group.streams.num.warmup.replicas group.streams.rack.aware.assignment.tags
group.streams.session.timeout.ms group.streams.task.offset.interval.ms
heartbeat.interval.ms max.poll.interval.ms max.poll.records metadata.max.age.ms partition.assignment.strategy
internal.leave.group.on.close request.timeout.ms retry.backoff.max.ms retry.backoff.ms session.timeout.ms
"""
"""Names from Kafka's own documentation of broker and consumer settings."""
OURS = ["broker.version", "coordinator"]


def test_settings_are_named_as_kafka_names_them() -> None:
    from groupsim.coordinator.config import Configs, names
    from groupsim.simulation.clients.config import ConsumerConfig

    assert sorted([*Configs().names(), *names(ConsumerConfig())]) == sorted([*KAFKAS.split(), *OURS])


def test_no_module_imports_our_packages_by_an_old_top_level_name() -> None:
    old = [
        f"{_name(path)}:{each.line}"
        for path in _modules()
        if path.name != "test_old_imports.py"  # old scenario files of users still load: it imports as they do
        for each in parsed(path).imports
        if each.module.partition(".")[0] in PACKAGES or each.level
    ]
    assert old == []
