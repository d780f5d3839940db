"""Tasks, workers and stream threads that failed: one cause, why as the exception says it, and what helps. Own lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.explain import explain_reading, with_outages
from groupsim.diagnosis.finding import Diagnosis, Outage
from tests.incidents.lines import AT, read

THREAD = AT + "stream-thread [orders-6f0e7c1a-0d6b-4c2e-9a55-0f1d2b3c4d5e-StreamThread-2] "
WORKER = AT + "[Worker clientId=connect-1, groupId=connect-a] "
KILLED = AT + "WorkerSinkTask{id=files-0} Task threw an uncaught and unrecoverable exception"


def explained(folder: Path, *lines: str) -> Diagnosis:
    found = explain_reading(read(folder, *lines))
    assert found is not None
    return found.groups[0]


@pytest.mark.parametrize(
    ("lines", "code", "what"),
    [
        (
            (THREAD + "Encountered the following exception during processing", "com.acme.OopsException: no"),
            Code.APP_ERROR,
            "orders…StreamThread-2 of Kafka Streams failed: an exception (OopsException)",
        ),
        (
            (KILLED, "org.apache.kafka.connect.errors.DataException: Converting byte[] to Kafka Connect data failed"),
            Code.APP_ERROR,
            "task files-0 of Connect failed, and stays stopped until it is restarted: a record could not be read",
        ),
        (
            (
                WORKER + "Uncaught exception in herder work thread, exiting:",
                "org.apache.kafka.common.errors.TimeoutException: Timeout expired while fetching topic metadata",
            ),
            Code.APP_ERROR,
            "the Connect worker stopped: the brokers did not answer in time",
        ),
        (
            (
                KILLED,
                "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [a]",
            ),
            Code.NOT_AUTHORIZED,
            "the consumer of connect-files is not authorized for the group or one of its topics",
        ),
        (
            (AT + "Graceful stop of task files-0 failed.",),
            Code.WORKER_STUCK,
            "task files-0 of Connect did not stop in time (task.shutdown.graceful.timeout.ms)",
        ),
        (
            (WORKER + "Was selected to perform assignments, but do not have latest config found in sync request.",),
            Code.CONNECT_CONFIG,
            "connect-1 leads the workers with an older config topic than another worker has, so nothing is assigned",
        ),
        (
            (THREAD + "Detected that the thread is being fenced. This implies that this thread missed a rebalance",),
            Code.SESSION_EXPIRED,
            "the coordinator no longer knew orders…StreamThread-2: its session had ended, or a batch took too long",
        ),
    ],
)
def test_what_failed_and_why(tmp_path: Path, lines: tuple[str, ...], code: Code, what: str) -> None:
    first = explained(tmp_path, *lines).findings[0]
    assert (first.code, first.what) == (code, what)
    assert first.do


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (
            "org.apache.kafka.common.config.ConfigException: Topic 'c' supplied via the 'config.storage.topic' property"
            " is required to have 'cleanup.policy=compact'",
            "the Connect worker stopped: one of its internal topics is not as Connect needs it",
        ),
        (
            "org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.",
            "a task of Connect failed, and stays stopped until it is restarted: an exception (ConnectException)",
        ),
        (
            'Exception in thread "StreamThread-1" org.apache.kafka.streams.errors.StreamsException: Failed to'
            " rebalance",
            "the consumer of Kafka Streams failed: an exception (StreamsException)",
        ),
    ],
)
def test_the_exception_alone_is_enough(tmp_path: Path, line: str, what: str) -> None:
    assert explained(tmp_path, line).findings[0].what == what


def test_a_failed_task_is_counted_once_with_its_exception(tmp_path: Path) -> None:
    thrown = "org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception."
    assert explained(tmp_path, KILLED, thrown).findings[0].times == 1


def test_a_long_outage_is_said_where_no_line_says_what_was_wrong(tmp_path: Path) -> None:
    found = explain_reading(read(tmp_path, THREAD + "State transition from STARTING to PARTITIONS_ASSIGNED"))
    assert found is not None
    assert found.answer == "Nothing is wrong in these lines."
    long = with_outages(found, {found.groups[0].group or "": Outage((90_000, 90_000))})
    assert long.answer == "Some partitions were unavailable for 90.0 s, and no line says why."
    short = with_outages(found, {found.groups[0].group or "": Outage((2_000, 2_000))})
    assert short.answer == "Nothing is wrong in these lines."


def test_a_restore_says_how_much_is_to_be_read(tmp_path: Path) -> None:
    progress = "Restoration in progress for 1 partitions. {c-0: position=1000, end=9000, totalRestored=1}"
    assert (
        explained(tmp_path, THREAD + progress)
        .findings[0]
        .what.endswith("8,000 records of their changelogs were still to be read")
    )
