"""A death that no log shows: what was recorded depends on the session, in the import and in what-ifs alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given as drawn
from hypothesis import settings, strategies

from groupsim.conformance.predictions.measure import recorded_between
from groupsim.conformance.timelines.recording import parse
from groupsim.events.base import Recorded
from groupsim.events.client import Crashed, Frozen
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from groupsim.replay.dated_deaths import dated, earliest, latest
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.storage.memory import MemoryStore
from tests.thinned import examples

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = ("incidents/kill9-range", "consumer-groups/kill9-uniform", "consumer-groups/kill9-librdkafka")


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
    assert run.cost.bounds_ms is not None  # it died up to a heartbeat interval after its last heartbeat
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
    held = (most - run.cost.unavailable_partition_ms) / (sessions[-1] - sessions[0] + 100)
    assert 3 <= held < 4.5  # the partitions of the dead member


def true_ms(folder: str, run: ReplayableRun, origin: str) -> int:
    """What the members' own listeners saw in the time that is compared, partition-milliseconds."""
    record = json.loads((EXAMPLES / folder / "recording.json").read_text())
    began = instant(record["run_start_utc"].replace(",", ".").replace(" ", "T") + "+00:00")
    shift_ms = instant(origin) - began
    from_ms, to_ms = (at + shift_ms for at in run.cost.span_ms)
    return recorded_between(record, parse(record), from_ms, to_ms)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_bounds_of_a_record_hold_what_was_lost_in_truth(folder: str) -> None:
    """They began at the death by the import, one session before the removal: above the truth, without a doubt."""
    record = json.loads((EXAMPLES / folder / "recording.json").read_text())
    true = {name: record["config"][name] for name in (SESSION, HEARTBEAT)}
    before = 0, 1 << 40
    for names in ((), (SESSION,), (SESSION, HEARTBEAT)):
        store = MemoryStore()
        logs = sorted((EXAMPLES / folder).glob("*.log.gz"))
        info = import_run(read_files(logs), store, name=None, topics={}).run
        run = replayable_run(store, info, given={name: true[name] for name in names})
        least, most = run.cost.range_ms
        assert least < true_ms(folder, run, info.origin or "") < most
        assert before[0] <= least < run.cost.unavailable_partition_ms <= most <= before[1]
        before = least, most


@settings(max_examples=examples(8, 15))
@drawn(session_ms=strategies.integers(3_000, 9_000), interval_ms=strategies.integers(200, 3_000))
def test_a_death_lies_between_its_last_heartbeat_and_the_next(session_ms: int, interval_ms: int) -> None:
    facts, run = imported(FOLDERS[0], None, {SESSION: session_ms, HEARTBEAT: interval_ms})
    assert run.incident is not None
    expired_ms = max(each.expired_ms or 0 for each in run.incident.incarnations)
    known = {SESSION: session_ms, HEARTBEAT: interval_ms}
    ((first_ms, _),) = deaths(earliest(facts, run.incident))
    ((last_ms, _),) = deaths(latest(facts, run.incident, known, []))
    heard_ms = expired_ms - session_ms
    assert first_ms <= heard_ms <= heard_ms + min(interval_ms, session_ms) <= last_ms <= expired_ms
    assert last_ms - first_ms <= interval_ms + 200
