"""Exports that older versions of this project wrote of the examples: read, measured and replayed by today's.

`imports/*-before-causes` are of 22 November 2026, before facts named causes and libraries; `*-before-epochs` of the
same day, before consumer groups had epochs and targets of their own. They are never written again.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import pytest

from groupsim import analysis
from groupsim.pipeline.importing import exported, import_all
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, JAVA
from groupsim.storage.audit import audit
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo
from tests.analysis.in_ms import total_ms

IMPORTS = Path(__file__).with_name("imports")
TOTAL_MS = {
    "kill9-range-before-causes": 34_626,
    "kill9-range-before-epochs": 34_626,
    "kill9-uniform-before-causes": 42_486,
    "kill9-uniform-before-epochs": 42_486,
}
"""Unavailable partition-ms, as those versions said."""
NAMES = sorted(TOTAL_MS)
EITHER = (Choice(name="new", protocol=CONSUMER), Choice(name="old", protocol=CLASSIC))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("exports")
    for file in IMPORTS.glob("*.jsonl.gz"):
        (found / file.stem).write_bytes(gzip.decompress(file.read_bytes()))
    return found


@cache
def stored(file: Path) -> tuple[MemoryStore, RunInfo]:
    store = MemoryStore()
    ((info, new),) = import_all(store, exported(file), print)
    assert new
    return store, info


def replayable(file: Path) -> ReplayableRun:
    store, info = stored(file)
    return replayable_run(store, info, given={"session.timeout.ms": 6_000}, choices=EITHER)


def test_every_export_that_is_kept_is_read_here() -> None:
    assert sorted(file.name.removesuffix(".jsonl.gz") for file in IMPORTS.glob("*.jsonl.gz")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_old_export_keeps_its_digest_and_its_total(folder: Path, name: str) -> None:
    store, info = stored(folder / f"{name}.jsonl")
    assert audit(store, info) is None
    found = analysis.load(store, info.id).unavailable(between=(0, None))
    assert total_ms(found["end"] - found["start"]) == total_ms(found["duration"]) == TOTAL_MS[name]


@pytest.mark.parametrize("name", NAMES)
def test_an_old_export_is_replayed_as_recorded_and_with_either_protocol(folder: Path, name: str) -> None:
    run = replayable(folder / f"{name}.jsonl")
    assert run.incident is not None
    assert run.incident.client == JAVA
    assert {each.protocol for each in run.incident.incarnations} == {CONSUMER if "uniform" in name else CLASSIC}
    for choice in (AS_RECORDED, *EITHER):
        assert run.replay(choice, 1).failure is None
