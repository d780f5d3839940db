"""Kafka Connect: which connectors and tasks ran on which worker, and for how long none did, by the workers' logs."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.analysis.availability.labels import Label
from groupsim.incidents.logs.row_kinds import RowKind
from tests.conformance.test_connect_runs import RECORDINGS, leader_of
from tests.incidents.connect import BROKER, logs_of, recorded, total
from tests.incidents.lines import CLASS, read, stamped

WORKER = "[Worker clientId=w0, groupId=c] "
PUT_ASIDE = sorted((RECORDINGS[0].parents[1] / "connect-put-aside").glob("*.json.gz"))
STORIES = {path.name.removesuffix(".json.gz"): path for path in RECORDINGS}
DELAYED_MS = {"kill-delay-30": 120_000, "kill-delay-5": 20_000, "back-after": 20_000, "back-before": 0, "roll-eager": 0}


@pytest.mark.parametrize("story", STORIES)
def test_all_logs_give_the_recorded_time_without_a_worker(story: str) -> None:
    truth = recorded(STORIES[story])
    found, by_label = total(truth, logs_of(truth))
    assert found.right()
    assert found.found.known_share == 1
    assert abs(sum(by_label.values()) - found.truth_ms) <= 0.01 * found.truth_ms
    if story in DELAYED_MS:
        assert by_label.get(Label.DELAYED, 0) == pytest.approx(DELAYED_MS[story], rel=0.01)


@pytest.mark.parametrize("path", PUT_ASIDE, ids=[path.name.removesuffix(".json.gz") for path in PUT_ASIDE])
def test_all_logs_of_stories_that_were_put_aside_give_it_too(path: Path) -> None:
    truth = recorded(path)
    found, _ = total(truth, logs_of(truth))
    assert found.right()
    assert found.found.known_share == 1


@pytest.mark.parametrize("without", ["the leader's", "the broker's", "all but one worker's"])
def test_without_some_logs_the_bounds_hold(without: str) -> None:
    truth = recorded(STORIES["kill-delay-5"])
    leader = leader_of(truth)
    given = {
        "the leader's": [name for name in logs_of(truth) if name != leader],
        "the broker's": [name for name in logs_of(truth) if name != BROKER],
        "all but one worker's": [next(name for name in truth["logs"] if name != leader)],
    }[without]
    found, _ = total(truth, given)
    assert found.right()
    assert found.found.unknown is not None
    assert "export" in found.found.unknown


@pytest.mark.parametrize(
    ("text", "kind", "unit"),
    [
        (WORKER + "Starting task orders-0", RowKind.TASK_CREATED, "orders-0"),
        (WORKER + "Starting connector orders", RowKind.TASK_CREATED, "connector:orders-0"),
        ("[orders|worker] Finished creating connector orders", RowKind.TASK_RUNNING, "connector:orders-0"),
        ("WorkerSinkTask{id=to-s3-12} Sink task finished initialization and start", RowKind.TASK_RUNNING, "to-s3-12"),
        ("[a|task-0] ExactlyOnceWorkerSourceTask{id=a-0} Source task finished initialization and start", RowKind.TASK_RUNNING, "a-0"),
        ("[orders|task-3] Stopping task orders-3", RowKind.TASK_SUSPENDED, "orders-3"),
        ("Stopping connector orders", RowKind.TASK_SUSPENDED, "connector:orders-0"),
        ("Completed shutdown for WorkerConnector{id=orders}", RowKind.TASK_CLOSED, "connector:orders-0"),
        ("[a|task-0] [Producer clientId=connector-producer-a-0] Closing the Kafka producer with timeoutMillis = 30000 ms.", RowKind.TASK_CLOSED, "a-0"),
    ],
)  # fmt: skip
def test_a_line_about_a_connector_or_task(tmp_path: Path, text: str, kind: RowKind, unit: str) -> None:
    (row,) = read(tmp_path, stamped(0, text + CLASS)).context
    assert (row.kind, row.detail) == (kind, {"partitions": [unit]})
