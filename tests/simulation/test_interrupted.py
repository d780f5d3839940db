"""Ctrl-C at any step of a run: it keeps the facts up to some event, and nothing that happened only because of it."""

from __future__ import annotations

import gc
import signal
from contextlib import closing, suppress
from heapq import heappop
from pathlib import Path
from random import Random
from typing import Any

import pytest

from groupsim.events.world import RunEnded
from groupsim.scenarios.dsl import World, scenario
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import RunInterrupted
from groupsim.simulation.run import Scenario, run
from groupsim.storage import EventStore, open_store, writer
from groupsim.storage.audit import audit
from groupsim.storage.codec import Row
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo, RunStatus
from tests.signal_at import signal_at

INSTANTS = 25


@scenario(seed=3, lasts=4_500)
def three(world: World) -> Script:
    """Two members, one of which swallows whatever it gets and then does something."""
    topic = world.topic("t", 3)
    a, b = world.group("g").join("a", "b", topics=[topic])
    try:
        yield world.sleep(4_000)
    except BaseException:
        b.kill()
    finally:
        a.kill()
    yield world.sleep(100)


# Python itself loses a Ctrl-C that comes while it runs the callback of a weak reference (SQLAlchemy has some): it says
# so and goes on, and the run is a finished one.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_whatever_is_interrupted_the_facts_are_the_first_ones_of_the_whole_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "BATCH", 20)
    with closing(open_store(tmp_path / "whole.db")) as store, signal_at(0) as places:
        true = list(store.rows(run(three, store).info.id))
    found = set()
    for instant in (*Random(7).sample(range(1, places.seen), INSTANTS), places.seen - 1500):
        with closing(open_store(tmp_path / f"{instant}.db")) as store:
            found.add(_interrupted(three, store, instant, true))
    assert found >= {RunStatus.INTERRUPTED, RunStatus.FINISHED}


def test_time_does_not_go_back_if_simpy_has_just_taken_the_next_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 0

    def take(queue: list[Any]) -> Any:
        nonlocal count
        found = heappop(queue)
        count += 1
        if count == 200:
            signal.raise_signal(signal.SIGINT)
        return found

    with closing(open_store(tmp_path / "whole.db")) as store:
        true = list(store.rows(run(three, store).info.id))
        monkeypatch.setattr("simpy.core.heappop", take)
        assert _checked(store, run(three, store).info, true) == RunStatus.INTERRUPTED


def test_a_story_that_catches_everything_is_closed_all_the_same(recwarn: pytest.WarningsRecorder) -> None:
    """Python would print that it could not; pytest makes a warning of that."""

    @scenario(seed=3, lasts=2_000)
    def stubborn(world: World) -> Script:
        """Waits fifty times, whatever happens."""
        for _ in range(50):
            with suppress(BaseException):
                yield world.sleep(100)

    run(stubborn, MemoryStore())
    gc.collect()
    assert not [each for each in recwarn if "Exception ignored" in str(each.message)]


def _interrupted(what: Scenario, store: EventStore, instant: int, true: list[Row]) -> RunStatus | None:
    try:
        with signal_at(instant):
            info = run(what, store).info
    except RunInterrupted as late:
        info = late.info
    except KeyboardInterrupt:
        assert store.runs() == []
        return None
    return _checked(store, info, true)


def _checked(store: EventStore, info: RunInfo, true: list[Row]) -> RunStatus:
    """Its status, if it has the first facts of the whole run."""
    rows = list(store.rows(info.id))
    if info.status == RunStatus.INTERRUPTED:
        assert [*store.read(info.id)][-1].event == RunEnded(status=RunStatus.INTERRUPTED)
        rows.pop()
    else:
        assert len(rows) == len(true)
    assert rows == true[: len(rows)]
    times = [row[1] for row in store.rows(info.id)]
    assert times == sorted(times)
    assert audit(store, store.find(info.id)) is None
    return info.status
