"""The example incidents: who owned what, from the logs alone, against what the members' own code saw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from events import classic, client
from events.base import Recorded
from events.types import TopicPartition
from incidents.reading import read_files
from incidents.story import ImportResult, import_run
from incidents.times import instant
from storage.memory import MemoryStore

EXAMPLES = sorted(
    path.parent for path in (Path(__file__).parents[2] / "examples" / "incidents").glob("*/recording.json")
)
IDS = [folder.name for folder in EXAMPLES]


class Window(NamedTuple):
    """Who held a partition, in milliseconds since the recording's start. `died`: it ended by a death."""

    process: str
    start: int
    end: int
    died: bool


def imported(folder: Path) -> tuple[ImportResult, list[Recorded], dict[str, Any], int]:
    """The run of an example, its facts, its truth, and what to add to the run's times."""
    truth: dict[str, Any] = json.loads((folder / "recording.json").read_text(encoding="utf-8"))
    store = MemoryStore()
    result = import_run(read_files(sorted(folder.glob("*.log.gz"))), store, name=None, topics={})
    began = instant(truth["run_start_utc"].replace(",", ".").replace(" ", "T") + "+00:00")
    return result, list(store.read(result.run.id)), truth, instant(result.run.origin or "") - began


def ownership(facts: list[Recorded], offset: int, end: int) -> dict[str, list[Window]]:
    """From the end of each assigned callback to the begin of revoked or lost, to the death, or to the end."""
    since: dict[tuple[str, TopicPartition], int] = {}
    views: dict[str, tuple[TopicPartition, ...]] = {}
    found: dict[str, list[Window]] = {}

    def close(process: str, partitions: tuple[TopicPartition, ...], at: int, died: bool = False) -> None:
        for partition in partitions:
            start = since.pop((process, partition), None)
            if start is not None:
                found.setdefault(str(partition), []).append(Window(process, start, at, died))

    for fact in facts:
        at = fact.at_ms + offset
        match fact.event:
            case client.ViewChanged(process=process, partitions=partitions):
                views[process] = partitions
            case client.CallbackEnd(process=process, kind="assigned"):
                for partition in views.get(process, ()):
                    since.setdefault((process, partition), at)
            case client.CallbackStart(process=process, partitions=partitions, kind="revoked" | "lost"):
                close(process, partitions, at)
            case client.Crashed(process=process):
                close(process, views.get(process, ()), at, died=True)
            case client.Closed(process=process):
                close(process, views.get(process, ()), at)
    for process, partition in list(since):
        close(process, (partition,), end)
    return {partition: sorted(windows, key=lambda w: w.start) for partition, windows in found.items()}


@pytest.mark.parametrize("folder", EXAMPLES, ids=IDS)
def test_the_same_processes_own_the_same_partitions_in_the_same_order(folder: Path) -> None:
    _, facts, truth, offset = imported(folder)
    told = ownership(facts, offset, truth["run_end_ms"])
    assert {p: [w.process for w in windows] for p, windows in told.items()} == {
        p: [f"{w['member']}.{w['incarnation']}" for w in windows] for p, windows in truth["ownership"].items()
    }


@pytest.mark.parametrize("folder", EXAMPLES, ids=IDS)
def test_windows_begin_and_end_when_the_listeners_saw_it(folder: Path) -> None:
    """Four of five within 5 ms and none worse than 70: a line stands before the call of the listener."""
    _, facts, truth, offset = imported(folder)
    errors = []
    for partition, windows in ownership(facts, offset, truth["run_end_ms"]).items():
        for window, seen in zip(windows, truth["ownership"][partition], strict=True):
            errors.append(abs(window.start - seen["from_ms"]))
            if not window.died:
                errors.append(abs(window.end - seen["to_ms"]))
    errors.sort()
    assert errors[len(errors) * 4 // 5] <= 5
    assert errors[-1] <= 70


@pytest.mark.parametrize("folder", EXAMPLES, ids=IDS)
def test_generations_and_members_are_the_brokers(folder: Path) -> None:
    _, facts, truth, _ = imported(folder)
    completed = [f.event.generation for f in facts if isinstance(f.event, classic.JoinPhaseCompleted)]
    assert completed == [b["generation"] for b in truth["broker"] if b["kind"] == "join_completed"]
    added = {f.event.member for f in facts if isinstance(f.event, classic.MemberAdded)}
    replaced = {f.event.member for f in facts if isinstance(f.event, classic.MemberReplaced)}
    assert added | replaced == set(truth["member_ids"])


@pytest.mark.parametrize("folder", EXAMPLES, ids=IDS)
def test_every_assignment_is_filled_from_the_leaders_log(folder: Path) -> None:
    _, facts, _, _ = imported(folder)
    stored = [f.event for f in facts if isinstance(f.event, classic.AssignmentStored)]
    assert stored
    assert all(event.assignment is not None and event.leader in event.assignment for event in stored)


def test_a_killed_members_death_is_dated_and_the_assumption_said() -> None:
    folder = next(folder for folder in EXAMPLES if folder.name == "kill9-range")
    result, facts, truth, offset = imported(folder)
    (crash,) = [f for f in facts if isinstance(f.event, client.Crashed)]
    (killed,) = [a["t_ms"] for a in truth["actions"] if a["action"] == "kill"]
    assert crash.event == client.Crashed(process="m2.0")
    assert killed - 1000 <= crash.at_ms + offset <= killed + 1000  # a heartbeat's interval
    assert any("m2.0 fell silent holding 4 partitions" in note for note in result.notes)


def test_every_fact_of_a_process_or_group_names_its_line() -> None:
    _, facts, _, _ = imported(EXAMPLES[0])
    assert all(fact.source is not None for fact in facts if fact.stream != "world")
    names = {Path(fact.source.rpartition(":")[0]).name for fact in facts if fact.source}
    assert names == {path.name for path in EXAMPLES[0].glob("*.log.gz")}


def test_the_same_logs_give_the_same_digest_twice() -> None:
    digests = {imported(EXAMPLES[0])[0].run.digest for _ in range(2)}
    assert len(digests) == 1
