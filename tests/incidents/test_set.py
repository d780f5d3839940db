"""The development set of recorded incidents, read against the readings beside it; skipped where it is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.analysis.tables.rebalances import rebalances
from groupsim.events import classic, client
from groupsim.events.base import group_of
from groupsim.events.group import GroupEmptied
from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from groupsim.storage.memory import MemoryStore
from tests.incidents.score import PAIRS, SET, exact, expected_of, score, utc

LOGS = sorted(SET.glob("*.log"))
pytestmark = pytest.mark.skipif(not LOGS, reason="the development set (../shared/incidents) is not here")
IDS = [log.stem[:3] for log in LOGS]


@pytest.mark.parametrize("log", LOGS, ids=IDS)
def test_nearly_every_expected_event_is_found_and_none_invented(log: Path) -> None:
    result, _ = score(log)
    assert result.both >= 0.98 * result.expected, result.missed
    assert result.both >= 0.98 * result.found, result.extra


@pytest.mark.parametrize("log", LOGS, ids=IDS)
def test_generations_members_and_times_are_those_of_the_reading(log: Path) -> None:
    expected = expected_of(log)["expected"]
    rows = read_files([log]).rows
    generations, members, windows, found = exact(log, rows)
    assert (generations, members, found) == (True, True, windows)
    at = {(row.line, row.kind): row.at for row in rows}
    for line, printed, kind, _, _ in expected["events"]:
        assert at[line, kind] == utc(printed), (line, kind)


@pytest.mark.parametrize("number", ["002", "021"])
def test_an_imported_log_has_the_rebalances_of_the_reading(number: str) -> None:
    log = next(log for log in LOGS if log.stem.startswith(number))
    expected = expected_of(log)["expected"]
    store = MemoryStore()
    run = import_run(read_files([log]), store, name=None, topics={}).run
    facts = [fact.event for fact in store.read(run.id)]
    started = [f for f in facts if isinstance(f, classic.RebalanceStarted)]
    ended = [f.generation for f in facts if isinstance(f, classic.JoinPhaseCompleted | GroupEmptied)]
    (counted,) = (count for key, count in expected["rebalance_count"].items() if key != "basis")
    (generations,) = expected["generations"].values()
    assert len(started) == counted
    assert ended == generations
    assert [f.generation + 1 for f in started] == generations


def test_a_clock_that_steps_back_keeps_the_lines_order() -> None:
    log = next(log for log in LOGS if log.stem.startswith("010"))
    store = MemoryStore()
    result = import_run(read_files([log]), store, name=None, topics={})
    facts = list(store.read(result.run.id))
    assert [f.at_ms for f in facts] == sorted(f.at_ms for f in facts)
    kinds = [type(f.event).__name__ for f in facts if f.stream == "group:streams-wordcount"]
    assert kinds.index("JoinPhaseCompleted") < kinds.index("AssignmentStored") < kinds.index("GroupEmptied")
    assert any("steps back by up to 1379 ms (first at line 5)" in note for note in result.notes)


@pytest.mark.parametrize("pair", PAIRS)
def test_two_sides_of_one_story_make_one_run(pair: tuple[str, str]) -> None:
    logs = [log for log in LOGS if log.stem.startswith(pair)]
    store = MemoryStore()
    run = import_run(read_files(logs), store, name=None, topics={}).run
    files = {fact.source.rpartition(":")[0] for fact in store.read(run.id) if fact.source}
    assert files == {str(log) for log in logs}
    times = [fact.at_ms for fact in store.read(run.id)]
    assert times == sorted(times)


@pytest.mark.parametrize("pair", PAIRS, ids=["006+007", "008+009", "019+020"])
def test_a_client_sends_join_before_and_gets_the_answer_after_its_coordinator_completed_the_generation(
    pair: tuple[str, str],
) -> None:
    logs = [log for log in LOGS if log.stem.startswith(pair)]
    store = MemoryStore()
    facts = list(store.read(import_run(read_files(logs), store, name=None, topics={}).run.id))
    completed = [f for f in facts if isinstance(f.event, classic.JoinPhaseCompleted)]
    answers = [f for f in facts if isinstance(f.event, client.JoinOk)] if completed else []
    for fact in answers:
        assert isinstance(fact.event, client.JoinOk)
        asked = max(
            f.seq for f in facts[: fact.seq] if f.stream == fact.stream and isinstance(f.event, client.JoinSent)
        )
        between = [
            f.event for f in completed if asked < f.seq < fact.seq and group_of(f.stream) == group_of(fact.stream)
        ]
        assert [e.generation for e in between if isinstance(e, classic.JoinPhaseCompleted)] == [fact.event.generation]
    assert bool(answers) == (pair != ("019", "020"))


def test_a_partition_between_two_members_is_without_an_owner_for_as_long_as_both_logs_say() -> None:
    logs = [log for log in LOGS if log.stem.startswith(("019", "020"))]
    (window,) = (w for log in logs[:1] for w in expected_of(log)["expected"]["windows"])
    store = MemoryStore()
    run = import_run(read_files(logs), store, name=None, topics={}).run
    facts = list(store.read(run.id))
    assert run.origin is not None
    began = instant(run.origin)
    held = [(began + f.at_ms, f.event) for f in facts if isinstance(f.event, client.ViewChanged)]
    wanted = TopicPartition("my-topic", 2)
    gained = [at for at, event in held if wanted in event.partitions]
    given = [
        began + f.at_ms
        for f in facts
        if isinstance(f.event, client.CallbackStart) and f.event.kind == "revoked" and wanted in f.event.partitions
    ]
    assert abs(given[0] - instant(str(utc(window["from"])))) <= 5
    assert gained[-1] == instant(str(utc(window["to"])))
    for other in (0, 1):  # never interrupted: held by the same process from its first line to its last
        views = [event for _, event in held if TopicPartition("my-topic", other) in event.partitions]
        assert len({event.process for event in views}) == 1
        keeper = views[0].process
        assert all(
            TopicPartition("my-topic", other) in event.partitions for _, event in held if event.process == keeper
        )


def test_the_connectors_five_rebalances_have_the_broker_and_the_task_on_one_timeline() -> None:
    logs = [log for log in LOGS if log.stem.startswith(("008", "009"))]
    store = MemoryStore()
    facts = list(store.read(import_run(read_files(logs), store, name=None, topics={}).run.id))
    rows = [row for row in rebalances(facts) if row.group == "connect-local-file-sink"]
    (generations,) = (
        g
        for log in logs[1:]
        for name, g in expected_of(log)["expected"]["generations"].items()
        if name == rows[0].group
    )
    assert [row.generation for row in rows] == generations
    assert [row.cause for row in rows] == ["member-joined", "member-left", *(["member-joined", "member-left"] * 2)][:5]
    assert all(row.slowest_member is None or row.slowest_member.startswith("connector-consumer-") for row in rows)
