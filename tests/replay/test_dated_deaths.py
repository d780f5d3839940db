"""A death that no log shows: what was recorded depends on the session, in the import and in what-ifs alike."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from groupsim.events.base import Recorded
from groupsim.events.client import Crashed, Frozen
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.dated_deaths import dated
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.storage.memory import MemoryStore

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = ("incidents/kill9-range", "consumer-groups/kill9-uniform", "consumer-groups/kill9-librdkafka")
SESSION = "session.timeout.ms"


def imported(
    folder: str, session_ms: int | None, given: Mapping[str, int] = {}
) -> tuple[list[Recorded], ReplayableRun]:
    store = MemoryStore()
    logs = sorted((EXAMPLES / folder).glob("*.log.gz"))
    run = import_run(read_files(logs), store, name=None, topics={}, session_timeout_ms=session_ms).run
    return list(store.read(run.id)), replayable_run(store, run, given=given)


def deaths(facts: list[Recorded]) -> list[tuple[int, str]]:
    return [(fact.at_ms, fact.event.process) for fact in facts if isinstance(fact.event, Crashed | Frozen)]


@pytest.mark.parametrize("folder", FOLDERS[:2])  # the last lines of librdkafka's log become no facts
def test_a_record_dated_anew_is_what_an_import_with_that_session_gives(folder: str) -> None:
    facts, run = imported(folder, None)
    assert run.incident is not None
    assert deaths(facts)
    for session_ms in (3_000, 6_000, 8_000, 30_000):
        again, known = imported(folder, session_ms)
        assert deaths(dated(facts, run.incident, session_ms)) == deaths(again)
        assert deaths(dated(again, run.incident, 6_000)) == deaths(facts)
        assert imported(folder, None, {SESSION: session_ms})[1].cost == known.cost


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("session_ms", [6_000, 9_000])
def test_a_session_that_was_given_to_the_import_is_known(folder: str, session_ms: int) -> None:
    """It was inferred anew, and drawn by each seed: the one that was given was forgotten."""
    run = imported(folder, session_ms)[1]
    assert run.incident is not None
    assert run.incident.settings[SESSION] == session_ms
    assert SESSION in run.incident.known_settings
    assert SESSION not in run.incident.open_settings
    assert run.open_settings([]) == {}
    assert run.cost.bounds_ms is None
    assert not [note for note in run.notes if note.startswith(SESSION)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_exact_replay_dates_deaths_as_the_import_does(folder: str) -> None:
    """It took the likeliest session, the import the shortest: the replay was called 50 % off for that alone."""
    run = imported(folder, None)[1]
    assert run.incident is not None
    assert run.incident.settings[SESSION] == 6_000
    replayed = run.measure(run.replay_exactly(0)).unavailable_partition_ms
    assert replayed == pytest.approx(run.cost.unavailable_partition_ms, rel=0.2)
    least, most = run.cost.range_ms
    assert least <= run.cost.unavailable_partition_ms <= most
    sessions = run.incident.open_settings.get(SESSION, (6_000,))
    held = (most - least) / (sessions[-1] - sessions[0]) if most > least else 4
    assert 3 <= held < 4.5  # the partitions of the dead member
