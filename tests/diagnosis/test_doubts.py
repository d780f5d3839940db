"""Errors that no rule knows: an answer must not say that nothing is wrong beside them, and plain starts have none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.explain import Explanation
from tests.diagnosis.small_logs import explained

JAVA = "2025-04-01 08:00:0{} {} [main] o.a.k.c.c.i.{} - [Consumer clientId=orders-1, groupId=billing] {}"
START = [
    JAVA.format(0, "INFO ", "KafkaConsumer", "Subscribed to topic(s): orders"),
    JAVA.format(1, "INFO ", "ConsumerCoordinator", "Discovered group coordinator b-1:9092 (id: 2147483646 rack: null)"),
    JAVA.format(1, "INFO ", "ConsumerCoordinator", "(Re-)joining group"),
    JAVA.format(4, "INFO ", "ConsumerCoordinator", "Successfully joined group with generation Generation{generationId="
                "1, memberId='orders-1-0b6ea8a6-0f3c-4b0e-9a9f-3a1c1e0a4d11', protocol='range'}"),
    JAVA.format(4, "INFO ", "ConsumerRebalanceListenerInvoker", "Adding newly assigned partitions: orders-0, orders-1"),
]  # fmt: skip
AT_WORK = [
    JAVA.format(4, "INFO ", "ConsumerCoordinator", "Setting offset for partition orders-0 to the committed offset"
                " FetchPosition{offset=12, offsetEpoch=Optional.empty,"
                " currentLeader=LeaderAndEpoch{leader=Optional[b-1:9092 (id: 1 rack: null)], epoch=0}}"),
]  # fmt: skip
BROKER = "[2025-04-01 08:00:0{},000] {} {}"
QUIET = {Code.START_UP, Code.HEALTHY}


def unknown(error: str) -> str:
    return f'error that this program does not know: "{error}'


def said(explanation: Explanation) -> tuple[Code, Certainty, str]:
    found = explanation.groups[0].findings[0]
    return found.code, found.certainty, explanation.answer


ERRORS = [
    (
        JAVA.format(5, "ERROR", "ConsumerCoordinator", "Offset commit refused by a plugin of the broker"),
        "Offset commit refused by a plugin of the broker",
    ),
    (
        "2025-04-01 08:00:05 ERROR [main] o.a.k.c.utils.KafkaThread - Uncaught exception in thread 'kafka-7':",
        "Uncaught exception in thread 'kafka-7':",
    ),
    (
        "2025-04-01 08:00:05 WARN  [main] o.a.k.c.NetworkClient - Cannot decode what the broker sent:"
        " org.apache.kafka.common.errors.CorruptRecordException: its checksum is wrong",
        "Cannot decode what the broker sent: org.apache.kafka.common.errors.CorruptRecordException: its",
    ),
    (
        "org.apache.kafka.common.errors.RecordTooLargeException: 12 records are larger than allowed",
        "org.apache.kafka.common.errors.RecordTooLargeException: 12 records are larger",
    ),
    (
        json.dumps(
            {"level": "error", "time": "2025-04-01T08:00:05Z", "msg": "cannot read the topic", "err": "too old"}
        ),
        "cannot read the topic: too old",
    ),
]


@pytest.mark.parametrize(("line", "shown"), ERRORS)
@pytest.mark.parametrize("begin", [START, AT_WORK])
def test_an_error_that_no_rule_knows_is_shown(tmp_path: Path, begin: list[str], line: str, shown: str) -> None:
    found = explained(tmp_path, *begin, line)
    code, certainty, answer = said(found)
    assert code in QUIET
    assert certainty is Certainty.POSSIBLE
    assert "othing is wrong" not in answer
    assert unknown(shown) in answer
    assert found.groups[0].findings[0].evidence.places[0].line == len(begin) + 1
    assert all("nothing is wrong" not in remedy.what for remedy in found.groups[0].findings[0].do)


ORDINARY = [
    "2025-04-01 08:00:00 WARN  [main] o.a.k.c.c.ConsumerConfig - These configurations '[acks]' were supplied but are"
    " not used yet.",
    "2025-04-01 08:00:00 WARN  [main] o.a.k.c.utils.AppInfoParser - Error registering AppInfo mbean"
    " javax.management.InstanceAlreadyExistsException: kafka.consumer:type=app-info,id=orders-1",
    JAVA.format(1, "WARN ", "NetworkClient", "Error while fetching metadata with correlation id 2 :"
                " {orders=LEADER_NOT_AVAILABLE}"),
    JAVA.format(1, "INFO ", "ConsumerCoordinator", "Join group failed with"
                " org.apache.kafka.common.errors.MemberIdRequiredException: The group member needs to have a valid"
                " member id before actually entering a consumer group."),
    "2025-04-01 08:00:00 ERROR [main] c.zaxxer.hikari.HikariPool - Pool-1 could not be filled: no password",
    "2025-04-01 08:00:00 INFO  [main] shop.Orders - retries on TimeoutException of its topic",
    "2025-04-01 08:00:00 ERROR [main] o.a.k.c.producer.KafkaProducer - [Producer clientId=p-1] closed by force",
    json.dumps({"level": "ERROR", "timestamp": "2025-04-01T08:00:01Z", "logger": "kafkajs", "message": "[Connection]"
                " Response Metadata(key: 3, version: 6)", "error": "There is no leader for this topic-partition as we"
                " are in the middle of a leadership election"}),
    json.dumps({"level": "ERROR", "timestamp": "2025-04-01T08:00:01Z", "logger": "kafkajs", "message": "[Connection]"
                " Response GroupCoordinator(key: 10, version: 2)", "error": "The group coordinator is not available"}),
]  # fmt: skip


@pytest.mark.parametrize("line", ORDINARY)
def test_what_is_ordinary_at_a_start_spoils_no_start(tmp_path: Path, line: str) -> None:
    code, certainty, answer = said(explained(tmp_path, START[0], line, *START[1:]))
    assert (code, certainty) == (Code.START_UP, Certainty.LIKELY)
    assert answer.startswith("Nothing is wrong: orders-1 started")


def test_an_error_that_ends_only_without_a_coordinator_is_shown(tmp_path: Path) -> None:
    """The group's topic cannot be made, say: no client ever gets a coordinator."""
    line = "2025-04-01 08:00:0{} WARNING kafka.cluster: Group Coordinator Request failed: CoordinatorNotAvailable"
    code, _, answer = said(explained(tmp_path, START[0], *map(line.format, range(1, 6))))
    assert code is not Code.START_UP or unknown("") in answer


def test_somebody_left_on_purpose_beside_an_error(tmp_path: Path) -> None:
    left = JAVA.format(6, "INFO ", "ConsumerCoordinator", "Member orders-1-0b6ea8a6-0f3c-4b0e-9a9f-3a1c1e0a4d11 sending"
                       " LeaveGroup request to coordinator b-1:9092 (id: 2147483646 rack: null) due to the consumer is"
                       " being closed")  # fmt: skip
    error, shown = ERRORS[0]
    code, certainty, answer = said(explained(tmp_path, *START, error, left))
    assert (code, certainty) == (Code.SCALE_IN, Certainty.POSSIBLE)
    assert unknown(shown) in answer
    code, certainty, answer = said(explained(tmp_path, *START, left))
    assert (code, certainty) == (Code.SCALE_IN, Certainty.LIKELY)
    assert answer.startswith("Nothing is wrong")


def test_a_cause_that_a_rule_knows_says_nothing_of_other_errors(tmp_path: Path) -> None:
    late = JAVA.format(
        6,
        "WARN ",
        "ConsumerCoordinator",
        "consumer poll timeout has expired. This means the time"
        " between subsequent calls to poll() was longer than the configured max.poll.interval.ms",
    )
    plain = explained(tmp_path, *START, late)
    beside = explained(tmp_path, *START, ERRORS[0][0], late)
    assert plain.answer == beside.answer
    assert said(plain)[0] is Code.POLL_TIMEOUT


def test_many_errors_are_not_all_held(tmp_path: Path) -> None:
    found = explained(tmp_path, *START, *[ERRORS[0][0]] * 500)
    assert said(found)[0] is Code.START_UP
    assert len(found.groups[0].findings[0].evidence.places) <= 4
