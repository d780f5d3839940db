"""A writer that is killed, and two that write at once: whole processes against one SQLite file."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from groupsim.storage import open_store
from groupsim.storage.store import RunStatus
from groupsim.storage.writer import BATCH
from tests.storage.facts import plain

FOREVER = 10_000_000


def start(place: str | Path, run: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.storage.child", str(place), run, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


@pytest.mark.slow
@pytest.mark.parametrize("instant", range(8))
def test_a_killed_writer_leaves_whole_batches_that_can_be_read_and_gone_on_with(tmp_path: Path, instant: int) -> None:
    path, chance = tmp_path / "store.db", random.Random(instant)
    with start(path, "killed", FOREVER) as child:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        # The first few are killed while the store is being made, the others somewhere in a batch.
        time.sleep(chance.uniform(0, 0.02) if instant < 3 else chance.uniform(0.03, 0.3))
        child.kill()
        said = [int(line) for line in child.stdout.read().split("\n")[:-1]]

    store = open_store(path)
    if not store.runs():
        assert not said
        return
    facts = store.find("killed").facts
    assert facts % BATCH == 0
    assert facts in (n := said[-1] if said else 0, n + BATCH)
    assert [(fact.seq, fact.version, fact.event) for fact in store.read("killed")] == [
        (number, number, plain(number)) for number in range(facts)
    ]
    assert store.find("killed").status == "running"
    again = store.resume("killed")
    again.append(10 * facts, "group:g", [plain(facts)])
    assert again.finish(RunStatus.FINISHED, 10 * facts).digest == store.digest("killed")
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("instant", range(3))
def test_an_interrupted_writer_still_ends_its_run(tmp_path: Path, instant: int) -> None:
    path = tmp_path / "store.db"
    with start(path, "stopped", FOREVER) as child:
        assert child.stdout
        assert child.stderr
        assert any(line == f"{3 * BATCH}\n" for line in child.stdout)
        time.sleep(random.Random(instant).uniform(0, 0.02))
        child.send_signal(signal.SIGINT)
        child.stdout.read()
        assert (child.stderr.read(), child.wait()) == ("", 0)
    store = open_store(path)
    run = store.find("stopped")
    assert (run.status, run.digest) == ("interrupted", store.digest("stopped"))
    assert [fact.event for fact in store.read("stopped")] == [plain(number) for number in range(run.facts)]
    store.close()


@pytest.mark.slow
def test_a_run_killed_at_any_instant_is_resumed_to_the_digest_of_an_undisturbed_one(tmp_path: Path) -> None:
    """A few instants; `make crash` takes two hundred."""
    command = [sys.executable, "-m", "tests.storage.killed", str(tmp_path), "6", "8"]
    root = Path(__file__).parents[2]
    killed = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False, timeout=600)
    assert killed.returncode == 0, killed.stdout + killed.stderr
    found = [json.loads(line) for line in killed.stdout.splitlines()]
    assert len(found) == 6
    assert any(instant["facts"] and instant["status"] == "running" for instant in found), found


def test_two_processes_that_write_to_one_new_file_both_finish(tmp_path: Path) -> None:
    path, count = tmp_path / "store.db", 30 * BATCH + 1
    children = [start(path, run, count) for run in ("one", "two")]
    for child in children:
        _, trouble = child.communicate(timeout=120)
        assert (child.returncode, trouble) == (0, "")
    store = open_store(path)
    assert {(run.id, run.status, run.facts) for run in store.runs()} == {
        ("one", "finished", count),
        ("two", "finished", count),
    }
    assert store.digest("one") == store.digest("two") == store.find("one").digest == store.find("two").digest
    store.close()
