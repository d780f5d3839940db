"""Kafka Streams: which tasks ran, on which instance, and for how long none did, from logs of the instances and brokers."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label
from groupsim.analysis.blame.blame import blame
from groupsim.incidents.facts.importer import ImportResult, import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.storage.memory import MemoryStore
from tests.incidents.lines import CLASS, GENERATION, only, read, stamped
from tests.incidents.recordings import BROKER, CLIENTS, ROOT, in_folder, logs_of
from tests.incidents.tasks import recorded, total

RECORDINGS = in_folder(ROOT / "tests" / "golden" / "recordings-streams")
THREAD = (
    "stream-thread [app-StreamThread-1] task [{task}] {text} (org.apache.kafka.streams.processor.internals.StreamTask)"
)
CLIENT = "[Consumer clientId=app-StreamThread-1-consumer, groupId=app] "


@pytest.mark.parametrize("folder", RECORDINGS, ids=[folder.name for folder in RECORDINGS])
def test_all_logs_give_the_recorded_tasks_and_those_of_one_side_the_same_or_bounds(folder: Path) -> None:
    both = total(folder)
    assert both.exact
    assert both.right()
    assert both.differs_ms <= 0.005 * both.truth_ms  # who ran each task, to a few milliseconds a change
    assert total(folder, CLIENTS).right()
    broker = total(folder, BROKER)
    assert broker.found.unknown is not None
    assert broker.right()


@pytest.mark.slow
@pytest.mark.skipif(not recorded(), reason="these recordings are not beside the checkout")
def test_recorded_applications_have_the_recorded_total() -> None:
    wrong = [f"{folder.name}: {found}" for folder in recorded() if not (found := total(folder)).right()]
    assert wrong == []


def _task(second: float, task: str, text: str) -> str:
    return stamped(second, THREAD.format(task=task, text=text))


def _consumer(second: float, text: str) -> str:
    return stamped(second, CLIENT + text + CLASS)


def _joined(second: float) -> list[str]:
    said = GENERATION.replace("c1-", "app-StreamThread-1-consumer-")
    return [
        _consumer(second, "(Re-)joining group"),
        _consumer(second + 0.1, f"Successfully joined group with generation {said}"),
        _consumer(second + 0.2, f"Successfully synced group in generation {said}"),
    ]


def _labels(folder: Path, *lines: str) -> tuple[ImportResult, dict[str, list[tuple[str, int]]]]:
    """By partition, its conditions with their lengths, in order."""
    store = MemoryStore()
    done = import_run(read(folder, *lines), store, name=None, topics={})
    found: dict[str, list[tuple[str, int]]] = {}
    for each in intervals(list(store.read(done.run.id))):
        found.setdefault(f"{each.topic}-{each.partition}", []).append((each.label, each.duration_ms))
    return done, found


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Initialized", RowKind.TASK_CREATED),
        ("Restored and ready to run", RowKind.TASK_RUNNING),
        ("Suspended running", RowKind.TASK_SUSPENDED),
        ("Suspended from RUNNING", RowKind.TASK_SUSPENDED),
        ("Closed clean", RowKind.TASK_CLOSED),
        ("Closed dirty", RowKind.TASK_CLOSED),
    ],
)
def test_a_line_about_a_task_is_of_its_threads_consumer(tmp_path: Path, text: str, kind: RowKind) -> None:
    (row,) = [r for r in read(tmp_path, *_joined(0), _task(1, "0_3", text)).context if r.kind == kind]
    assert (row.client, row.detail["task"]) == ("app-StreamThread-1-consumer", "0_3")


def test_a_standby_task_serves_nobody(tmp_path: Path) -> None:
    line = stamped(1, "stream-thread [app-StreamThread-1] standby-task [0_2] Initialized (o.a.k.StandbyTask)")
    assert [r for r in read(tmp_path, *_joined(0), line).context if r.kind is RowKind.TASK_CREATED] == []


def test_a_member_of_a_streams_group_is_given_tasks(tmp_path: Path) -> None:
    row = only(
        tmp_path,
        _consumer(
            1,
            "Invoking tasks assigned callback for new assignment: Assignment{activeTasks=[0_7, 1_6], standbyTasks=[0_1], warmupTasks=[], isGroupReady=true}",
        ),
    )
    assert (row.kind, row.detail) == (RowKind.ASSIGNED, {"stream_tasks": ["0_7", "1_6"]})
    row = only(tmp_path, _consumer(1, "Invoking task revoked callback for revoked active tasks [0_7]"))
    assert (row.kind, row.detail) == (RowKind.REVOKED, {"stream_tasks": ["0_7"]})


def test_a_partition_is_unavailable_while_its_task_restores(tmp_path: Path) -> None:
    _, found = _labels(
        tmp_path,
        *_joined(0),
        _consumer(1, "Adding newly assigned partitions: orders-0, orders-1"),
        _task(1.1, "0_0", "Initialized"),
        _task(2, "0_0", "Restored and ready to run"),
        _task(9, "0_1", "Restored and ready to run"),
        _consumer(10, "Attempt to heartbeat failed since group is rebalancing"),
    )
    assert (Label.RESTORING, 1_000) in found["orders-0"]
    assert (Label.RESTORING, 8_000) in found["orders-1"]


def test_each_subtopology_reads_the_topic_whose_partitions_its_tasks_have(tmp_path: Path) -> None:
    done, found = _labels(
        tmp_path,
        *_joined(0),
        _consumer(1, "Adding newly assigned partitions: orders-0, prices-1"),
        _task(2, "0_0", "Restored and ready to run"),
        _task(6, "1_1", "Restored and ready to run"),
        _consumer(7, "Attempt to heartbeat failed since group is rebalancing"),
    )
    assert (Label.RESTORING, 1_000) in found["orders-0"]
    assert (Label.RESTORING, 5_000) in found["prices-1"]
    assert not any("which tasks read" in note for note in done.notes)


def test_the_total_is_unknown_where_no_line_shows_what_a_task_reads(tmp_path: Path) -> None:
    done, _ = _labels(
        tmp_path,
        *_joined(0),
        _consumer(1, "Adding newly assigned partitions: orders-0, prices-0"),
        _task(2, "0_0", "Restored and ready to run"),
        _task(6, "1_0", "Restored and ready to run"),
        _consumer(7, "Attempt to heartbeat failed since group is rebalancing"),
    )
    assert 'which tasks read "orders", "prices"' in str(done.run.summary)


def test_what_a_streams_group_waits_for_has_the_names_of_its_settings() -> None:
    store = MemoryStore()
    (folder,) = [folder for folder in RECORDINGS if "streams" in folder.name.split("__")]
    run = import_run(read_files(logs_of(folder)), store, name=None, topics={}).run
    facts = list(store.read(run.id))
    named = {piece.configuration for piece in blame(facts, intervals(facts))}
    assert "group.streams.heartbeat.interval.ms" in named
    assert not any("group.consumer" in (name or "") for name in named)


@pytest.mark.parametrize("lost", ["0_7", "0_11"])
def test_a_lost_line_that_a_task_runs_leaves_bounds(tmp_path: Path, lost: str) -> None:
    (folder,) = [folder for folder in RECORDINGS if "streams" in folder.name.split("__")]
    shutil.copytree(folder, tmp_path / "cut")
    log = tmp_path / "cut" / "logs" / "m4.0.log.gz"
    lines = gzip.decompress(log.read_bytes()).decode().splitlines(keepends=True)
    kept = [line for line in lines if f"task [{lost}] Restored and ready" not in line]
    assert len(kept) == len(lines) - 1
    log.write_bytes(gzip.compress("".join(kept).encode()))
    found = total(tmp_path / "cut")
    assert not found.exact
    assert found.right()


def test_a_log_that_ends_while_tasks_restore_leaves_bounds(tmp_path: Path) -> None:
    (folder,) = [folder for folder in RECORDINGS if "streams" in folder.name.split("__")]
    shutil.copytree(folder, tmp_path / "cut")
    log = tmp_path / "cut" / "logs" / "m3.0.log.gz"
    lines = gzip.decompress(log.read_bytes()).decode().splitlines(keepends=True)
    until = next(i for i, line in enumerate(lines) if "Restored and ready" in line)
    log.write_bytes(gzip.compress("".join(lines[:until]).encode()))
    found = total(tmp_path / "cut")
    assert found.found.unknown is not None
    assert "while tasks of m3.0-StreamThread-1-consumer.0 restored their state" in found.found.unknown
    assert found.right()
