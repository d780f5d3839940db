"""What Kafka Streams and Connect print of threads, tasks and workers, from 0.10 to 4.4. Lines are our own."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path

import pytest

from tests.incidents.lines import AT, read
from tests.incidents.test_evidence import Said

UUID = "6f0e7c1a-0d6b-4c2e-9a55-0f1d2b3c4d5e"
THREAD = AT + f"stream-thread [orders-{UUID}-StreamThread-2] "
CLIENT = AT + f"stream-client [orders-{UUID}] "
WORKER = AT + "[Worker clientId=connect-1, groupId=connect-a] "
LINES = [
    Said(THREAD + "State transition from RUNNING to PENDING_SHUTDOWN", "streams_state", "orders", {"to": "PENDING_SHUTDOWN"}),
    Said(CLIENT + "State transition from REBALANCING to ERROR", "streams_state", "orders", {"to": "ERROR"}),
    Said(CLIENT + "All stream threads have died. The instance will be in error state and should be closed.", "streams_failed", "orders", {}),
    Said(CLIENT + "Replacing thread in the streams uncaught exception handler", "streams_failed", "orders", {}),
    Said(THREAD + "Encountered the following exception during processing and the thread is going to shut down:", "streams_failed", "orders", {}),
    Said(THREAD + "Encountered the following unexpected Kafka exception during processing, this usually indicate Streams internal errors:", "streams_failed", "orders", {}),
    Said(THREAD + "Detected that the thread is being fenced. This implies that this thread missed a rebalance", "thread_fenced", "orders", {}),
    Said(THREAD + "Detected task 0_1 that got migrated to another thread. This implies that this thread missed a rebalance", "thread_fenced", "orders", {}),
    Said(THREAD + "Failed to process stream task 0_1 since it got migrated to another thread already.", "thread_fenced", "orders", {}),
    Said(THREAD + "Restoration in progress for 2 partitions. {c-0: position=100, end=350, totalRestored=5} {c-1: position=0, end=50, totalRestored=0}", "streams_restoring", "orders", {"records": 300}),
    Said(AT + "WorkerSinkTask{id=files-out-0} Commit of offsets timed out", "task_stuck", "connect-files-out", {"task": "files-out-0"}),
    Said(AT + "Commit of WorkerSinkTask{id=files-out-0} offsets timed out", "task_stuck", "connect-files-out", {"task": "files-out-0"}),
    Said(AT + "WorkerSourceTask{id=rows-0} Failed to flush, timed out while waiting for producer to flush outstanding 12 messages", "task_stuck", None, {"task": "rows-0"}),
    Said(AT + "Graceful stop of task rows-0 failed.", "task_stuck", None, {"task": "rows-0"}),
    Said(AT + "WorkerSinkTask{id=files-out-0} Task threw an uncaught and unrecoverable exception. Task is being killed", "task_failed", "connect-files-out", {"killed": True, "task": "files-out-0"}),
    Said(AT + "Task files-out-0 threw an uncaught and unrecoverable exception", "task_failed", None, {"killed": True, "task": "files-out-0"}),
    Said(AT + "Commit of WorkerSinkTask{id=files-out-0} offsets threw an unexpected exception: ", "task_not_committed", "connect-files-out", {}),
    Said(AT + "WorkerSinkTask{id=files-out-0} Offset commit failed, rewinding to last committed offsets", "task_not_committed", "connect-files-out", {}),
    Said(WORKER + "Couldn't instantiate connector rows because it has an invalid connector configuration.", "task_failed", "connect-a", {"task": "rows"}),
    Said(WORKER + "Failed to reconfigure connector's tasks (rows), retrying after backoff.", "task_failed", "connect-a", {"task": "rows"}),
    Said(WORKER + "Uncaught exception in herder work thread, exiting: ", "worker_failed", "connect-a", {}),
    Said(AT + "Uncaught exception in herder work thread, exiting: ", "worker_failed", None, {}),
    Said(WORKER + "Was selected to perform assignments, but do not have latest config found in sync request. Returning an empty configuration to trigger re-sync.", "config_behind", "connect-a", {}),
]  # fmt: skip


@pytest.mark.parametrize("said", LINES, ids=lambda said: said.line[-60:])
def test_each_line_alone_is_about_its_group(tmp_path: Path, said: Said) -> None:
    """Nobody else prints them: a log of such lines alone is one of a group, whose name is in the thread or the task."""
    alone = read(tmp_path, said.line)
    (row,) = alone.evidence
    assert alone.counts.recognised == 1
    assert (row.kind, row.group) == (said.kind, said.group)
    assert said.detail.items() <= row.detail.items()


def test_a_failure_has_the_exception_below_it_and_its_innermost_cause(tmp_path: Path) -> None:
    lines = [
        AT + "WorkerSinkTask{id=files-out-0} Task threw an uncaught and unrecoverable exception",
        "org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.",
        "\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(WorkerSinkTask.java:618)",
        "Caused by: org.apache.kafka.connect.errors.DataException: Converting byte[] to Kafka Connect data failed",
        "\t... 10 more",
        AT + "the next line",
        "java.lang.IllegalStateException: of somebody else",
    ]
    row = read(tmp_path, *lines).evidence[0]
    assert str(row.detail["thrown"]).endswith("due to unrecoverable exception.")
    assert str(row.detail["cause"]).startswith("org.apache.kafka.connect.errors.DataException")
