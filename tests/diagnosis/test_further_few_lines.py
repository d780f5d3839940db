"""Further few lines: of brod and kafka-go, of heartbeats without a join, of refused commits alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding
from tests.diagnosis.small_logs import explained

_BROD = "12:00:0{} [info] Group member (billing,coor=#PID<0.77.0>,cb=#PID<0.73.0>,generation={}):"
_OLD_BROD = "12:00:01 [info] group coordinator (groupId=billing,memberId=,generation=0,pid=#PID<0.77.0>):"
_JAVA = "2025-04-01 08:00:{:02},000 INFO [Consumer clientId=app, groupId=billing] {}"
_ASKED = "Request joining group due to: group is already rebalancing"
_BROKER = "[2025-04-01 08:00:{:02},000] INFO [GroupCoordinator 1]: {} (kafka.coordinator.group.GroupCoordinator)"


def first(folder: Path, *lines: str) -> Finding:
    return explained(folder, *lines).groups[0].findings[0]


def codes(folder: Path, *lines: str) -> list[Code]:
    return [finding.code for finding in explained(folder, *lines).groups[0].findings]


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        (":unknown_member_id", Code.SESSION_EXPIRED),
        ("{:connection_down, {:shutdown, :tcp_closed}}", Code.CONNECTION_LOST),
        (":rebalance_in_progress", Code.OTHERS),
    ],
)
def test_brod_gives_its_reason_below_its_head(tmp_path: Path, reason: str, code: Code) -> None:
    assert first(tmp_path, _BROD.format(1, 18), f"re-joining group, reason:{reason}").code is code


def test_the_head_of_brod_2_is_read_too(tmp_path: Path) -> None:
    found = first(tmp_path, _OLD_BROD, "failed to join group", "reason:{:sock_down,", " {:function_clause,")
    assert found.code is Code.CONNECTION_LOST


def test_kafka_go_prints_the_titles_of_errors(tmp_path: Path) -> None:
    failed = 'Failed to join group "billing": [16] Not Coordinator For Group: the broker returns this error code if'
    joined = 'joined group "billing" as member app@host-1 in generation 10'
    found = first(tmp_path, failed, failed, joined)
    assert found.code is Code.COORDINATOR_MOVED
    assert "then it was found again" in found.what


def test_a_join_that_ends_with_the_connection_is_no_misuse_of_the_protocol(tmp_path: Path) -> None:
    assert codes(tmp_path, *["Failed to join group billing: EOF"] * 3) == [Code.CONNECTION_LOST]


def test_a_member_that_hears_of_a_rebalance_and_does_not_rejoin_is_late(tmp_path: Path) -> None:
    revoked = _JAVA.format(2, "Revoke previously assigned partitions orders-0, orders-1")
    found = first(tmp_path, revoked, _JAVA.format(5, _ASKED), _JAVA.format(8, _ASKED))
    assert (found.code, found.certainty) == (Code.SLOW_REJOIN, Certainty.LIKELY)
    assert found.what.startswith("app heard for 3.0 s that the group rebalances and did not rejoin")


@pytest.mark.parametrize("then", ["(Re-)joining group", "Adding newly assigned partitions: orders-0"])
def test_one_that_polls_meanwhile_is_not(tmp_path: Path, then: str) -> None:
    assert Code.SLOW_REJOIN not in codes(
        tmp_path, _JAVA.format(5, _ASKED), _JAVA.format(6, then), _JAVA.format(8, _ASKED), _JAVA.format(9, then)
    )


@pytest.mark.parametrize(
    "message",
    [
        "Offset commit cannot be completed since the consumer is not part of an active group for auto partition",
        "Commit cannot be completed since the group has already rebalanced and assigned the partitions to another",
    ],
)
def test_a_refused_commit_alone_is_most_often_a_batch_that_took_too_long(tmp_path: Path, message: str) -> None:
    (group,) = explained(tmp_path, f"org.apache.kafka.clients.consumer.CommitFailedException: {message}").groups
    late, refused = group.findings
    assert (late.code, late.certainty) == (Code.POLL_TIMEOUT, Certainty.POSSIBLE)
    assert (refused.code, refused.after) == (Code.COMMIT_FAILED, Code.POLL_TIMEOUT)


def test_a_refused_commit_beside_another_cause_is_its_consequence(tmp_path: Path) -> None:
    lines = (
        _JAVA.format(1, "Attempt to heartbeat failed since member id app-1 is not valid: session timed out"),
        _JAVA.format(2, "Resetting generation due to encountered UNKNOWN_MEMBER_ID from HEARTBEAT response"),
        _JAVA.format(3, "Offset commit failed: CommitFailedException: the consumer is not part of an active group"),
    )
    assert Code.POLL_TIMEOUT not in codes(tmp_path, *lines)


def test_a_client_that_is_given_nothing_is_idle(tmp_path: Path) -> None:
    lines = (
        "12:00:01.815 | INFO | kafka.coordinator.consumer | (Re-)joining group billing",
        "12:00:03.815 | INFO | kafka.coordinator | Successfully joined group billing with generation 361",
        "12:00:03.815 | INFO | kafka.coordinator.consumer | Setting newly assigned partitions set([]) for group"
        " billing",
    )
    (group,) = explained(tmp_path, *lines).groups
    assert group.findings[0].code is Code.IDLE_MEMBERS
    assert group.at_end in (
        None,
        "at the end of these lines the consumer of billing is in the group and has no partition",
    )


def test_a_lone_member_that_asks_for_a_new_assignment_saw_other_partitions(tmp_path: Path) -> None:
    begins = (
        "Preparing to rebalance group billing in state PreparingRebalance with old generation 7 (__consumer_offsets-4)"
        " (reason: leader app-5c1f0c53-63b6-4f02-8a6d-7f0f2b1d9a11 re-joining group during Stable)"
    )
    stable = "Stabilized group billing generation 8 (__consumer_offsets-4) with {} members"
    lone = first(tmp_path, _BROKER.format(1, begins), _BROKER.format(1, stable.format(1)))
    assert (lone.code, lone.certainty) == (Code.ASSIGNMENT_CHANGED, Certainty.LIKELY)
    several = codes(tmp_path, _BROKER.format(1, begins), _BROKER.format(1, stable.format(3)))
    assert Code.ASSIGNMENT_CHANGED not in several


def test_librdkafkas_rejoin_of_a_member_that_has_partitions_is_no_start(tmp_path: Path) -> None:
    said = (
        'Group "billing": Rejoining group with 1 owned partition(s): Group is rebalancing',
        'Group "billing" changed join state steady -> init (state up)',
        "JoinGroup response: GenerationId 38, Protocol cooperative-sticky, LeaderId a-1, my MemberId b-1, member"
        " metadata count 0: (no error)",
        'Group "billing" changed join state wait-join -> wait-sync (state up)',
    )
    assert codes(tmp_path, *(f"%7|1647975827.929|CGRP|rdkafka#consumer-1| [thrd:main]: {each}" for each in said)) == [
        Code.OTHERS
    ]


def test_a_member_that_hears_again_while_it_revokes_is_in_its_listener_or_a_batch(tmp_path: Path) -> None:
    revoked = _JAVA.format(5, "Revoke previously assigned partitions orders-0")
    assert first(tmp_path, _JAVA.format(5, _ASKED), revoked, _JAVA.format(8, _ASKED)).code is Code.SLOW_REJOIN


def test_a_coordinator_that_is_not_available_is_no_healthy_group(tmp_path: Path) -> None:
    head = "[thrd:main]: broker-0:9092/bootstrap: "
    answers = f'{head}Group "billing" GroupCoordinator response error: Broker: Group coordinator not available'
    commits = f'{head}Group "billing": unable to OffsetCommit in state up: Broker: Not coordinator: retrying later'
    assert first(tmp_path, answers, answers).code is Code.COORDINATOR_MOVED
    assert codes(tmp_path, commits) == [Code.COORDINATOR_MOVED, Code.COMMIT_FAILED]


def test_a_start_that_asks_the_wrong_broker_once_lost_no_coordinator(tmp_path: Path) -> None:
    head = "%7|1795003887.4|REJOIN|app#consumer-1| [thrd:main]: Group"
    line = f'{head} "billing": Rejoining group without an assignment: JoinGroup error: Broker: Not coordinator'
    assert Code.COORDINATOR_MOVED not in codes(tmp_path, line)


def test_topics_are_unknown_while_their_broker_comes_back(tmp_path: Path) -> None:
    unknown = _JAVA.format(
        8, "Error while fetching metadata with correlation id 7 : {orders=UNKNOWN_TOPIC_OR_PARTITION}"
    )
    away = _JAVA.format(
        2,
        "Group coordinator broker-1:9092 (id: 2147483646 rack: null) is unavailable or invalid, will attempt"
        " rediscovery",
    )
    back = _JAVA.format(9, "Discovered group coordinator broker-1:9092 (id: 2147483646 rack: null)")
    assert codes(tmp_path, away, unknown, back)[0] is Code.COORDINATOR_MOVED
    assert Code.TOPIC_MISSING not in codes(tmp_path, away, unknown, back)
    assert Code.TOPIC_MISSING in codes(tmp_path, away, unknown)


@pytest.mark.parametrize("state", ["ERROR", "PENDING_ERROR"])
def test_a_streams_application_that_goes_to_its_error_state_failed(tmp_path: Path, state: str) -> None:
    line = "stream-client [feed-1] State transition from {} to {}"
    lines = [line.format("RUNNING", "REBALANCING"), line.format("REBALANCING", state)]
    assert codes(tmp_path, *lines) == [Code.APP_ERROR]


def test_a_group_grows_by_its_generations(tmp_path: Path) -> None:
    line = (
        "Assignment received from leader app-5c1f0c53-63b6-4f02-8a6d-7f0f2b1d9a11 for group billing for generation {0}."
        " The group has {1} members, 0 of which are static."
    )
    lines = [_BROKER.format(10 + n, line.format(n, n)) for n in (1, 2, 3)]
    found = first(tmp_path, *lines)
    assert (found.code, found.what) == (Code.SCALE_OUT, "the group grew from 1 to 3 members")
    shrinks = [_BROKER.format(10 + n, line.format(n, 4 - n)) for n in (1, 2, 3)]
    assert Code.SCALE_OUT not in codes(tmp_path, *shrinks)


@pytest.mark.parametrize("time", ["1681132527.138", "...", "…", "***"])
def test_librdkafkas_lines_are_read_where_somebody_took_their_times_out(tmp_path: Path, time: str) -> None:
    said = (
        "Application maximum poll interval (300000ms) exceeded by 162ms (adjust max.poll.interval.ms for long-running"
    )
    line = f"%4|{time}|MAXPOLL|app#consumer-1| [thrd:main]: {said} message processing): leaving group"
    assert codes(tmp_path, line) == [Code.POLL_TIMEOUT]


def test_an_assignor_that_throws_leaves_nobody_with_an_assignment(tmp_path: Path) -> None:
    lines = (
        "java.lang.IllegalStateException: No more unfilled consumers to be assigned.",
        "\tat org.apache.kafka.clients.consumer.CooperativeStickyAssignor.assignPartitions(X.java:111)",
        "\tat org.apache.kafka.clients.consumer.internals.ConsumerCoordinator.onLeaderElected(X.java:703)",
    )
    found = first(tmp_path, *lines)
    assert (found.code, found.do[0].brief) == (Code.APP_ERROR, "update the client, or take another assignor")
