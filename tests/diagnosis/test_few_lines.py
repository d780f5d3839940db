"""A few lines of clients that print little: the cause that they show, and none that they do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding
from tests.diagnosis.small_logs import explained

UUID = "5c1f0c53-63b6-4f02-8a6d-7f0f2b1d9a11"


def first(folder: Path, *lines: str) -> Finding:
    return explained(folder, *lines).groups[0].findings[0]


def codes(folder: Path, *lines: str) -> list[Code]:
    return [finding.code for finding in explained(folder, *lines).groups[0].findings]


def kgo(second: int, message: str, **fields: object) -> str:
    """zerolog's adapter of franz-go."""
    return json.dumps({"level": "info", "time": f"2025-04-01T08:00:{second:02}Z", "message": message, **fields})


@pytest.mark.parametrize("fields", [{}, {"err": {}}, {"err": {"Key": "error", "Value": {}}}])
def test_a_heartbeat_of_franz_go_that_fails_without_an_errors_text_is_a_rebalance(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    lines = [
        kgo(0, "beginning heartbeat loop", group="billing"),
        kgo(3, "heartbeat errored", group="billing", **fields),
        kgo(3, "eager consumer revoking prior assigned partitions", group="billing"),
        kgo(3, "joining group", group="billing"),
    ]
    assert first(tmp_path, *lines).code is Code.OTHERS


def test_a_heartbeat_of_franz_go_that_fails_for_another_reason_is_none(tmp_path: Path) -> None:
    lost = kgo(3, "heartbeat errored", group="billing", err="UNKNOWN_MEMBER_ID: The coordinator is not aware of this")
    assert Code.OTHERS not in codes(tmp_path, kgo(0, "joined", group="billing", generation=3), lost)


SARAMA = "[sarama] 2025/04/01 08:00:0{} {}"
NOT_THIS = "kafka server: Request was for a consumer group that is not coordinated by this broker."
FOUND = "client/coordinator coordinator for consumergroup billing is #2 (broker-2:9092)"


def test_a_broker_that_says_it_does_not_coordinate_the_group_is_no_stopped_broker(tmp_path: Path) -> None:
    lines = [SARAMA.format(n, text) for n, text in enumerate((FOUND, f"rebalance error: {NOT_THIS}") * 2)]
    found = first(tmp_path, *lines)
    assert (found.code, found.certainty, found.here) == (Code.COORDINATOR_MOVED, Certainty.SHOWN, "")
    assert found.what.startswith("sarama lost its coordinator 2 times: its broker was not the coordinator any more")


@pytest.mark.parametrize(
    ("error", "brief"),
    [
        ("read tcp 10.1.0.7:40312->10.1.0.9:9092: i/o timeout", "look at the network and the broker"),
        ("write tcp 10.1.0.7:40312->10.1.0.9:9092: write: broken pipe", "look at the network and the broker"),
        ("dial tcp 10.1.0.9:9092: connect: connection refused", "see whether the broker runs"),
        ("dial tcp 10.1.0.9:9092: connect: no route to host", "see whether the broker runs"),
    ],
)
def test_an_error_of_gos_network_is_a_lost_connection(tmp_path: Path, error: str, brief: str) -> None:
    found = first(tmp_path, SARAMA.format(0, f"consumer failed: {error}"), SARAMA.format(1, FOUND))
    assert (found.code, found.do[0].brief) == (Code.CONNECTION_LOST, brief)


KAFKA_GO = "Rebalance In Progress: the coordinator has begun rebalancing the group, the client should rejoin the group"


def test_kafka_gos_error_alone_says_that_others_rebalance(tmp_path: Path) -> None:
    assert first(tmp_path, f"consume: {KAFKA_GO}").code is Code.OTHERS


@pytest.mark.parametrize("when", ["during startup", "while checking for changes"])
def test_kafka_gos_watcher_names_a_topic_that_is_missing(tmp_path: Path, when: str) -> None:
    error = "[3] Unknown Topic Or Partition: the request is for a topic or partition that does not exist on this broker"
    found = first(
        tmp_path,
        f"2025/04/01 08:00:00 Problem getting partitions {when}, {error}",
        ", Returning and setting up nextGeneration",
        "2025/04/01 08:00:00 stopped partition watcher for group, billing, topic orders [1]",
    )
    assert found.code is Code.TOPIC_MISSING


POLL = "Application maximum poll interval (300000ms) exceeded by 162ms"


def test_librdkafkas_error_alone_is_a_poll_timeout(tmp_path: Path) -> None:
    found = first(tmp_path, f"consumer error: {POLL}")
    assert (found.code, found.certainty, found.times) == (Code.POLL_TIMEOUT, Certainty.SHOWN, 1)
    assert "took more than 300.2 s between two polls" in found.what
    assert "max.poll.records" not in found.do[0].what  # librdkafka has none


def test_an_application_that_repeats_its_clients_error_was_late_once(tmp_path: Path) -> None:
    own = (
        f"%4|1743494400.000|MAXPOLL|rdkafka#consumer-1| [thrd:main]: {POLL} (adjust max.poll.interval.ms for"
        " long-running message processing): leaving group"
    )
    found = first(tmp_path, own, f"2025-04-01 08:00:00,100 ERROR consumer error: {POLL}")
    assert (found.code, found.times, len(found.evidence.places)) == (Code.POLL_TIMEOUT, 1, 1)


WORKER = "[2025-04-01 08:00:0{0},000] INFO [Worker clientId=connect-1, groupId=connect] {1}"
AT = "Current config state offset {} does not match group assignment {}. Forcing rebalance. (org.apache.Herder:1)"


def test_a_worker_that_read_its_config_topic_to_the_end_and_is_behind_has_another_one(tmp_path: Path) -> None:
    behind = "Current config state offset -1 is behind group assignment 4, reading to end of config log (org.H:1)"
    lines = [
        WORKER.format(0, behind),
        WORKER.format(1, AT.format(-1, 4)),
        WORKER.format(1, "Rebalance started (o.W:1)"),
    ]
    found = first(tmp_path, *lines)
    assert (found.code, found.certainty) == (Code.CONNECT_CONFIG, Certainty.LIKELY)
    assert found.what == "connect-1 is behind in its config topic and rejoined"


def test_a_worker_that_is_ahead_only_rejoins(tmp_path: Path) -> None:
    lines = [WORKER.format(1, AT.format(6, 4)), WORKER.format(1, "Rebalance started (o.W:1)")]
    assert Code.CONNECT_CONFIG not in codes(tmp_path, *lines)


BROKER = (
    "[2025-04-01 08:0{0}:00,000] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=4] [GroupId billing]"
    " {1}"
)
MANAGER = " (org.apache.kafka.coordinator.group.GroupMetadataManager)"


def test_a_static_member_that_left_for_a_while_did_not_leave_for_good(tmp_path: Path) -> None:
    left = "Static Member aaaaaaaaaaaaaaaaaaaaaa with instance id pod-1 temporarily left the consumer group."
    fenced = "Member bbbbbbbbbbbbbbbbbbbbbb fenced from the group because the member session expired.."
    lines = [BROKER.format(0, left + MANAGER), BROKER.format(9, fenced + MANAGER)]
    assert codes(tmp_path, *lines) == [Code.SESSION_EXPIRED]


PYTHON = "2025-04-01 08:0{0},000 - kafka.coordinator - {1}"


def test_kafka_python_that_heard_no_answer_was_not_surely_frozen(tmp_path: Path) -> None:
    found = first(
        tmp_path,
        PYTHON.format("0:00", "INFO - Successfully joined group billing with generation 3"),
        PYTHON.format("3:00", "WARNING - Heartbeat session expired, marking coordinator dead"),
        PYTHON.format("3:00", "WARNING - Marking the coordinator dead (node 0) for group billing: Heartbeat session"
                              " expired."),
    )  # fmt: skip
    assert found.code is Code.SESSION_EXPIRED
    assert "froze" not in found.what


NEST = "[Nest] 1  - 04/01/2025, 8:00:0{0} AM   ERROR [ServerKafka] ERROR [Consumer] Crash: {1} {2}"
BEHIND = '{"timestamp":"2025-04-01T08:00:01.272Z","logger":"kafkajs","groupId":"billing","retryCount":5}'


@pytest.mark.parametrize(
    ("error", "is_its_own"),
    [
        ("KafkaJSNumberOfRetriesExceeded: PaymentError: the card was refused", True),
        ("TypeError: Cannot read properties of undefined (reading 'id')", True),
        ("KafkaJSNumberOfRetriesExceeded: The coordinator is not aware of this member", False),
        ("KafkaJSConnectionError: connect ECONNREFUSED 10.1.0.9:9092", False),
        ("KafkaJSNumberOfRetriesExceeded: Request Fetch(key: 1, version: 11) timed out", False),
    ],
)
def test_a_crash_of_kafkajs_is_the_applications_where_its_error_is_not_of_kafka(
    tmp_path: Path, error: str, is_its_own: bool
) -> None:
    assert (Code.APP_ERROR in codes(tmp_path, NEST.format(1, error, BEHIND))) is is_its_own


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: The coordinator is not aware of this member, re-joining the group",
        kgo(
            4,
            "heartbeat errored again while waiting for user revoke to finish",
            group="billing",
            error="UNKNOWN_MEMBER_ID: The coordinator is not aware of this member.",
        ),
    ],
)
def test_an_error_that_names_an_unknown_member_alone_is_a_lost_session(tmp_path: Path, line: str) -> None:
    found = first(tmp_path, line)
    assert (found.code, found.certainty) == (Code.SESSION_EXPIRED, Certainty.LIKELY)


def test_a_commits_exception_alone_is_a_refused_commit_and_says_what_is_most_often_behind_it(tmp_path: Path) -> None:
    lines = (
        "01-04 08:00:11 131 pool-3-thread-1 ERROR [] -",
        "could not commit",
        "org.apache.kafka.clients.consumer.CommitFailedException: Commit cannot be completed since the group has"
        " already rebalanced and assigned the partitions to another member.",
    )
    assert codes(tmp_path, *lines) == [Code.POLL_TIMEOUT, Code.COMMIT_FAILED]


def test_a_client_that_marks_its_coordinator_dead_after_its_session_lost_its_session(tmp_path: Path) -> None:
    celery = "[2025-04-01 08:00:01,{}: {}]: {}"
    lines = (
        celery.format(112, "WARNING", "Heartbeat failed: local member_id was not recognized; resetting and re-joining"),
        celery.format(117, "ERROR", "Heartbeat session expired - marking coordinator dead"),
        celery.format(119, "WARNING", "Marking the coordinator dead (node 107)for group billing."),
        celery.format(344, "ERROR", "['Marking the coordinator dead (node 107)for group billing.']"),
    )
    explanation = explained(tmp_path, *lines)
    assert [group.group for group in explanation.groups] == ["billing"]
    assert explanation.groups[0].findings[0].code is Code.SESSION_EXPIRED


OLD = "2025-04-01 08:00:{:02} INFO  AbstractCoordinator:{} - {}"
DEAD = "Marking the coordinator broker-1:9092 (id: 2147483645 rack: null) dead for group billing"
FOUND_IT = "Discovered coordinator broker-1:9092 (id: 2147483645 rack: null) for group billing."
JOINING = "(Re-)joining group billing"


def test_an_old_client_that_loses_its_coordinator_again_and_again_gives_no_cause(tmp_path: Path) -> None:
    lines = [OLD.format(second, 542, text) for second, text in enumerate((JOINING, DEAD, FOUND_IT) * 3)]
    found = first(tmp_path, *lines)
    assert found.code is Code.COORDINATOR_MOVED
    assert "3 times" in found.what


RDKAFKA = '%7|1743494434.{}|{}|rdkafka#consumer-1| [thrd:main]: Group "billing" {}'


def test_librdkafkas_heartbeat_that_is_refused_by_another_broker_is_a_moved_coordinator(tmp_path: Path) -> None:
    refused = (
        "heartbeat error response in state up (join-state steady, 16 partition(s) assigned): Broker: Not coordinator"
    )
    lines = (
        RDKAFKA.format(147, "HEARTBEAT", refused),
        RDKAFKA.format(156, "COORDSET", "coordinator set to broker b/2"),
    )
    found = first(tmp_path, *lines)
    assert (found.code, found.certainty, found.here) == (Code.COORDINATOR_MOVED, Certainty.SHOWN, "")


def test_a_client_that_finds_its_coordinator_twice_before_it_joins_has_started(tmp_path: Path) -> None:
    python = "{}:kafka.coordinator:{}"
    found = codes(
        tmp_path,
        python.format("INFO", "Discovered coordinator coordinator-0 for group billing"),
        python.format("WARNING", "Marking the coordinator dead (node coordinator-0) for group billing."),
        python.format("INFO", "Discovered coordinator coordinator-0 for group billing"),
        python.format("INFO", "(Re-)joining group billing"),
        python.format("INFO", "Successfully joined group billing with generation 3"),
    )
    assert Code.COORDINATOR_MOVED not in found


def test_a_line_about_a_heartbeat_is_no_reason_to_refuse_a_log(tmp_path: Path) -> None:
    old = "2025-04-01_08:00:5{}.69055 {}:kafka.coordinator:{}"
    lines = (
        old.format(4, "INFO", "Heartbeat successful"),
        old.format(7, "WARNING", "Coordinator unknown during heartbeat -- will retry"),
    )
    assert codes(tmp_path, *lines)


JAVA = "2025-04-01 08:00:0{0},000 INFO [Consumer clientId=c1, groupId=billing] {1}"
LOST = "Group coordinator broker-1:9092 (id: 2147483646 rack: null) is unavailable or invalid"


@pytest.mark.parametrize(
    "how", [", will attempt rediscovery", " due to cause: coordinator unavailable.{}isDisconnected: false. Rediscovery"]
)
@pytest.mark.parametrize("space", ["", " "])
def test_a_coordinator_that_is_lost_once_without_a_cause_is_possibly_an_idle_connection(
    tmp_path: Path, how: str, space: str
) -> None:
    found = first(tmp_path, JAVA.format(1, f"{LOST}{how.format(space)} will be attempted."))
    assert (found.code, found.certainty) == (Code.COORDINATOR_MOVED, Certainty.POSSIBLE)
    assert "only an idle connection" in found.what


def test_a_broker_that_starts_is_no_coordinator_that_moved(tmp_path: Path) -> None:
    broker = "[2025-04-01 08:00:01,000] INFO [GroupCoordinator 1]: {} (kafka.coordinator.group.GroupCoordinator)"
    assert codes(tmp_path, broker.format("Starting up."), broker.format("Startup complete.")) == [Code.HEALTHY]


def test_no_log_ends_before_its_last_line(tmp_path: Path) -> None:
    """The head of Nest's lines has whole seconds, what stands behind it has milliseconds."""
    stopped = "[Nest] 1  - 04/01/2025, 8:00:01 AM     LOG [ServerKafka] INFO [Consumer] Stopped "
    broker = (
        "[2025-04-01 08:00:01,900] INFO [GroupCoordinator 0]: Member[group.instance.id None, member.id c1-{}] in group"
        " billing has left, removing it from the group (kafka.coordinator.group.GroupCoordinator)"
    ).format("0619b903-29b6-452a-851e-6f8d928e86bc")
    said = explained(tmp_path, broker, stopped + BEHIND)
    assert "-" not in said.answer.partition("end ")[2]


def test_a_broker_that_answers_that_it_is_not_the_coordinator_moved_whatever_stood_before(tmp_path: Path) -> None:
    why = "rebalance failed due to 'This is not the correct coordinator.' (NotCoordinatorException)"
    lines = (
        JAVA.format(1, "Discovered group coordinator broker-1:9092 (id: 2147483646 rack: null)"),
        JAVA.format(1, f"Request joining group due to: {why}"),
        JAVA.format(1, "(Re-)joining group"),
    )
    assert first(tmp_path, *lines).code is Code.COORDINATOR_MOVED


def test_a_member_that_never_asks_for_its_assignment_did_not_die(tmp_path: Path) -> None:
    coordinator = "INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=4]"
    found = first(
        tmp_path,
        f"[2025-04-01 08:00:00,000] {coordinator} Stabilized group billing generation 3"
        " (__consumer_offsets-4) with 2 members.",
        f"[2025-04-01 08:05:00,000] {coordinator} Group billing removed members who haven't sent their sync"
        f" request: [pay-1-{UUID}]",
        f"[2025-04-01 08:05:00,001] {coordinator} Preparing to rebalance group billing in state PreparingRebalance with"
        f" old generation 3 (reason: Removing [pay-1-{UUID}] on pending sync request expiration).",
    )
    assert (found.code, found.members) == (Code.SESSION_EXPIRED, ("pay-1",))
    assert "never asked for its assignment" in found.what
    assert "session.timeout.ms" not in found.what


COORD = '%7|1743494434.156|{}|rdkafka#consumer-1| [thrd:main]: Group "billing"{}'
CHANGING = COORD.format("CGRPCOORD", " changing coordinator 3 -> 2")
CLEARED = COORD.format("COORDCLEAR", " broker broker-3:9092/3 is no longer coordinator")


@pytest.mark.parametrize(
    ("line", "certainty"),
    [
        (CHANGING, Certainty.SHOWN),
        (CHANGING.replace("changing", "changed"), Certainty.SHOWN),
        (COORD.format("CGRPCOORD", " changing coordinator 3 -> -1"), Certainty.POSSIBLE),
        (CLEARED, Certainty.POSSIBLE),
        (
            COORD.format("COORD", ": marking the coordinator (3) dead: Broker: Not coordinator: Heartbeat failed"),
            Certainty.SHOWN,
        ),
        (
            COORD.format("COORD", ": marking the coordinator (3) dead: Local: Broker transport failure: Join failed"),
            Certainty.LIKELY,
        ),
    ],
)
def test_a_line_of_librdkafka_about_its_coordinator_alone_is_a_moved_coordinator(
    tmp_path: Path, line: str, certainty: Certainty
) -> None:
    (found,) = explained(tmp_path, line).groups[0].findings
    assert (found.code, found.certainty) == (Code.COORDINATOR_MOVED, certainty)


def test_librdkafka_that_names_another_coordinator_has_found_it(tmp_path: Path) -> None:
    lines = (CHANGING, CLEARED, COORD.format("COORDSET", " coordinator set to broker broker-2:9092/2"))
    (found,) = explained(tmp_path, *lines).groups[0].findings
    assert found.code is Code.COORDINATOR_MOVED
    assert found.what.endswith("then it was found again")


def test_librdkafka_that_closes_lets_its_coordinator_go_and_loses_none(tmp_path: Path) -> None:
    leaves = COORD.format("LEAVE", ": leave (in state up)")
    assert Code.COORDINATOR_MOVED not in codes(tmp_path, leaves, CLEARED)


def test_a_connection_that_is_lost_before_the_first_join_is_part_of_the_start(tmp_path: Path) -> None:
    lost = "WARNING:kafka.coordinator:Marking the coordinator dead (node coordinator-0) for group billing:"
    python = "INFO:kafka.coordinator:{} group billing{}"
    found = python.format("Discovered coordinator coordinator-0 for", "")
    joined = python.format("Successfully joined", " with generation 3")
    assert codes(tmp_path, found, f"{lost} Node Disconnected.", found, joined) == [Code.START_UP]
    assert codes(tmp_path, joined, f"{lost} Node Disconnected.", found, joined)[0] is not Code.START_UP
    assert codes(tmp_path, found, f"{lost} Node Disconnected.")[0] is not Code.START_UP


RECEIVED = (
    "1743494485.763 RDKAFKA-7-RECV: web#consumer-1: [thrd:broker-3:9092/3]: broker-3:9092/3: Received JoinGroupResponse"
    " (v5, 108 bytes, CorrId 5, rtt {}ms)"
)
UP = (
    '1743494440.763 RDKAFKA-7-CGRPSTATE: web#consumer-1: [thrd:main]: Group "billing" changed state wait-broker -> up'
    " (v1, join-state init)"
)


def test_a_join_that_is_answered_late_may_have_waited_for_a_member_that_rejoined_late(tmp_path: Path) -> None:
    found = first(tmp_path, UP, RECEIVED.format("45000.12"))
    assert (found.code, found.certainty) == (Code.SLOW_REJOIN, Certainty.POSSIBLE)
    assert "waited 45.0 s in a rebalance for one that rejoined late, or had died" in found.what


def test_a_join_that_is_answered_after_the_initial_delay_waited_for_nobody(tmp_path: Path) -> None:
    assert Code.SLOW_REJOIN not in codes(tmp_path, UP, RECEIVED.format("3004.51"))
