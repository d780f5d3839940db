"""Real Kafka Connect workers (tests/golden/connect): what `explain` says beside what each connector and task did."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.connect_work import Unassigned, unassigned
from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.group_log import group_logs
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Reading

GOLDEN = Path(__file__).parents[1] / "golden" / "connect"
STORIES = sorted(file.name.removesuffix(".json.gz") for file in GOLDEN.glob("*.json.gz"))
WITH_DELAY = {"kill-delay-30": 30_000, "kill-delay-5": 5_000, "back-after": 5_000}
SESSION_MS = 10_000
SLOW_MS = 500
"""A worker starts what it was given within this time, and the coordinator looks at sessions so late at most."""


def recorded(story: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress((GOLDEN / f"{story}.json.gz").read_bytes()))
    return found


def read(story: dict[str, Any], folder: Path) -> Reading:
    files = {**{f"{name}.log": text for name, text in story["logs"].items()}, "broker.log": story["broker"]}
    for name, text in files.items():
        (folder / name).write_text(text)
    return read_files([folder / name for name in files])


def by_log(story: str, folder: Path) -> list[Unassigned]:
    log = next(log for log in group_logs(read(recorded(story), folder)) if log.group == story)
    return list(unassigned(log.of(RowKind.WORKER_ASSIGNED)))


def begins_again(story: dict[str, Any], unit: str, after: int) -> int:
    """When a connector or task started next, by its own stamp."""
    starts: list[int] = [at for at, what, name, _ in story["stamps"] if what == "start" and name == unit and at > after]
    return min(starts)


def runs_on(story: dict[str, Any], worker: str, at: int) -> set[str]:
    """What ran on a worker, by the stamps."""
    running: dict[str, str] = {}
    for when, what, unit, where in story["stamps"]:
        if when <= at and what == "start":
            running[unit] = where
        elif when <= at and running.get(unit) == where:
            del running[unit]
    return {unit for unit, where in running.items() if where == worker}


def test_there_are_six_stories() -> None:
    assert STORIES == ["back-after", "back-before", "kill-delay-30", "kill-delay-5", "roll", "roll-eager"]


@pytest.mark.parametrize("story", WITH_DELAY)
def test_a_killed_workers_connectors_and_tasks_are_unassigned_as_long_as_recorded(story: str, tmp_path: Path) -> None:
    truth = recorded(story)
    killed = next(at for at, did, _, _ in truth["done"] if did == "kill")
    (found,) = by_log(story, tmp_path)
    assert {name for _, name in found.units} == runs_on(truth, "w1", killed)
    assert found.by_others
    assert found.since.at is not None
    assert found.until is not None
    assert found.until.at is not None
    assigned_again = found.until.at - found.since.at
    assert WITH_DELAY[story] <= assigned_again <= WITH_DELAY[story] * 1.05
    for _, unit in found.units:
        again = begins_again(truth, unit, killed)
        assert abs(again - found.until.at) <= SLOW_MS
        # the rest of the time that it did not run is the session, and one rebalance of 3 s at most
        assert assigned_again < again - killed <= assigned_again + SESSION_MS + 3_000 + SLOW_MS


@pytest.mark.parametrize("story", WITH_DELAY)
def test_explain_says_which_work_waited_and_how_long(story: str, tmp_path: Path) -> None:
    found = explain_reading(read(recorded(story), tmp_path))
    assert found is not None
    delay = next(f for f in found.groups[0].findings if f.code is Code.CONNECT_DELAY)
    assert delay.what.startswith(f"connector users and 3 tasks stayed unassigned for {WITH_DELAY[story] // 1_000}.0 s:")


def test_a_worker_that_is_back_within_the_delay_has_no_work_until_it_ends(tmp_path: Path) -> None:
    truth = recorded("roll")
    ready = next(until for _, did, worker, until in truth["done"] if did == "ready" and worker == "w0")
    found = by_log("roll", tmp_path)[0]
    assert found.until is not None
    assert found.until.at is not None
    assert {name for _, name in found.units} == {"orders", "orders-0", "orders-3", "users-0"}
    assert found.until.at - ready > 4_000
    assert all(abs(begins_again(truth, unit, ready) - found.until.at) <= SLOW_MS for _, unit in found.units)


def test_without_a_delay_nothing_is_called_unassigned(tmp_path: Path) -> None:
    """The killed worker was the leader: the next one does not know what it had, and gives all away at once."""
    assert by_log("back-before", tmp_path) == []


@pytest.mark.parametrize("story", STORIES)
def test_workers_that_read_on_in_their_config_topic_are_not_behind(story: str, tmp_path: Path) -> None:
    reading = read(recorded(story), tmp_path)
    found = explain_reading(reading)
    assert found is not None
    assert Code.CONNECT_CONFIG not in {finding.code for group in found.groups for finding in group.findings}


def test_a_worker_that_never_reads_on_is_behind(tmp_path: Path) -> None:
    """The same log without the lines that say that it read on."""
    truth = recorded("kill-delay-30")
    logs = truth["logs"]
    logs["w2"] = "".join(line for line in logs["w2"].splitlines(keepends=True) if "updated config snapshot" not in line)
    found = explain_reading(read(truth, tmp_path))
    assert found is not None
    assert Code.CONNECT_CONFIG in {finding.code for group in found.groups for finding in group.findings}


@pytest.mark.parametrize("story", ["roll", "roll-eager"])
def test_a_roll_restarts_the_workers_and_not_the_consumers_of_their_own_topics(story: str, tmp_path: Path) -> None:
    found = explain_reading(read(recorded(story), tmp_path))
    assert found is not None
    roll = next(f for f in found.groups[0].findings if f.code is Code.ROLLING_RESTART)
    assert set(roll.members) == {"w0", "w1", "w2"}


def test_a_killed_worker_that_is_started_again_in_the_same_log_has_died(tmp_path: Path) -> None:
    found = explain_reading(read(recorded("back-after"), tmp_path))
    assert found is not None
    assert found.answer.startswith("w1 died without close(), and was removed only when session.timeout.ms expired")


def test_a_roll_of_eager_workers_is_advised_the_protocol_that_stops_less(tmp_path: Path) -> None:
    by_story = {}
    for story in ("roll", "roll-eager"):
        found = explain_reading(read(recorded(story), tmp_path))
        assert found is not None
        roll = next(f for f in found.groups[0].findings if f.code is Code.ROLLING_RESTART)
        by_story[story] = [name for remedy in roll.do for name in remedy.settings]
    assert by_story == {"roll": ["scheduled.rebalance.max.delay.ms"], "roll-eager": ["connect.protocol"]}


def explained(folder: Path, *messages: tuple[str, str]) -> str:
    """The answer to lines of one worker: when, and what it printed."""
    of = "[Worker clientId=connect-1, groupId=etl]"
    where = "(org.apache.kafka.connect.runtime.distributed.WorkerCoordinator)"
    file = folder / "worker.log"
    file.write_text("".join(f"[2026-05-04 10:{at},000] INFO {of} {said} {where}\n" for at, said in messages))
    found = explain_reading(read_files([file]))
    assert found is not None
    return found.answer


def given(generation: int, protocol: str = "sessioned") -> str:
    return (
        "Successfully joined group with generation"
        f" Generation{{generationId={generation}, memberId='connect-1-a', protocol='{protocol}'}}"
    )


def test_of_a_worker_that_was_busy_for_too_long_its_own_limit_is_named(tmp_path: Path) -> None:
    late = "worker poll timeout has expired. This means the time between subsequent calls to poll() was longer"
    answer = explained(tmp_path, ("00:00", given(1)), ("02:00", late), ("03:00", given(2)))
    assert answer.startswith("connect-1 left the group: starting or stopping took longer than rebalance.timeout.ms")
    assert answer.endswith("find which connector is slow to start or stop, or raise rebalance.timeout.ms.")


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("default", "and all others stopped for it; use connect.protocol=sessioned."),
        ("sessioned", "so its work was assigned anew; a planned change needs nothing."),
    ],
)
def test_a_connector_that_is_created_stops_the_others_under_the_eager_protocol_alone(
    protocol: str, said: str, tmp_path: Path
) -> None:
    created = "Connector users config updated"
    lines = ("00:00", given(1, protocol)), ("01:00", created), ("01:01", given(2, protocol))
    assert explained(tmp_path, *lines) == f"Connector users was created, changed or deleted, {said}"
