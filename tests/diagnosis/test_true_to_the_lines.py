"""What is said is as sure as the lines are, and no surer: rebalances that do not end, wrapped errors, joins."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Certainty, Code
from tests.diagnosis.small_logs import explained
from tests.diagnosis.test_few_lines import codes, first

BROKER = "[2025-04-01 08:0{},000] INFO [GroupCoordinator 0]: {} (kafka.coordinator.group.GroupCoordinator)"
IDS = ("c1-0619b903-29b6-452a-851e-6f8d928e86b1", "c2-36893988-abdb-46b6-a949-7b581d3bd8c2")
JOINS = (
    "Dynamic Member with unknown member id joins group billing in Stable state. Created a new member id {} for this"
    " member and add to the group."
)
BEGINS = "Preparing to rebalance group billing in state PreparingRebalance with old generation {} (reason: Adding new member {})"  # noqa: E501
LEFT = "Member[group.instance.id None, member.id {}] in group billing has left, removing it from the group"
STABLE = "Stabilized group billing generation {} (__consumer_offsets-9) with 2 members"
OPEN = [BROKER.format("0:00", JOINS.format(IDS[1])), BROKER.format("0:00", BEGINS.format(6, IDS[1]))]


def test_a_rebalance_that_is_open_for_minutes_comes_before_who_left_meanwhile(tmp_path: Path) -> None:
    lines = [*OPEN, BROKER.format("3:00", LEFT.format(IDS[0]))]
    found = explained(tmp_path, *lines)
    one = found.groups[0].findings[0]
    assert (one.code, one.certainty) == (Code.SLOW_REJOIN, Certainty.POSSIBLE)
    assert found.answer.startswith("No line shows the end of the last rebalance, which began 3m00s before the")
    assert Code.SCALE_IN in codes(tmp_path, *lines)


def test_a_log_that_shows_the_ends_of_others_is_surer_of_it(tmp_path: Path) -> None:
    one = first(tmp_path, BROKER.format("0:00", STABLE.format(6)), *OPEN, BROKER.format("3:00", LEFT.format(IDS[0])))
    assert (one.code, one.certainty) == (Code.SLOW_REJOIN, Certainty.LIKELY)


def test_a_rebalance_that_ended_or_that_had_no_time_to_end_is_not_open(tmp_path: Path) -> None:
    left = LEFT.format(IDS[0])
    assert Code.SLOW_REJOIN not in codes(tmp_path, *OPEN, BROKER.format("0:09", left))
    ended = BROKER.format("0:02", STABLE.format(7))
    assert Code.SLOW_REJOIN not in codes(tmp_path, *OPEN, ended, BROKER.format("3:00", left))


@pytest.mark.parametrize("after", ["[GroupCoordinator 0]: Shutting down.", "[Log orders-0] rolled a segment"])
def test_a_log_that_says_no_more_of_the_group_does_not_show_that_it_is_open(tmp_path: Path, after: str) -> None:
    late = [BROKER.format(f"{at}:00", "").partition("[Group")[0] + after for at in (3, 4)]
    assert Code.SLOW_REJOIN not in codes(tmp_path, *OPEN, *late)


SPRING = "2025-04-01 08:00:0{} ERROR [container-0-C-1] o.s.k.l.KafkaMessageListenerContainer : Consumer exception"
LATE = (
    "2025-04-01 08:00:01 WARN [Consumer clientId=c1, groupId=billing] consumer poll timeout has expired. This means the"
    " time between subsequent calls to poll() was longer than the configured max.poll.interval.ms"
)
OF_KAFKA = [
    "java.lang.IllegalStateException: This error handler cannot process exceptions of that kind; no record is known",
    "\tat org.springframework.kafka.listener.SeekUtils.seekOrRecover(SeekUtils.java:151)",
    "Caused by: org.apache.kafka.clients.consumer.CommitFailedException: Offset commit cannot be completed since the"
    " consumer is not part of an active group for auto partition assignment",
]
ITS_OWN = [
    "org.springframework.kafka.listener.ListenerExecutionFailedException: Listener method 'shop.Orders.take' threw",
    "Caused by: java.lang.NullPointerException: order has no customer",
]


@pytest.mark.parametrize(("below", "is_its_own"), [(OF_KAFKA, False), (ITS_OWN, True), ([], True)])
def test_an_exception_of_kafka_in_springs_words_is_not_the_applications(
    tmp_path: Path, below: list[str], is_its_own: bool
) -> None:
    found = codes(tmp_path, LATE, SPRING.format(2), *below)
    assert found[0] is Code.POLL_TIMEOUT
    assert (Code.APP_ERROR in found) is is_its_own


RDKAFKA = '%7|1743494434.{}|{}|rdkafka#consumer-1| [thrd:main]: Group "billing": {}'
UNSEEN = RDKAFKA.format(147, "SUBSCRIPTION", "no topics in metadata matched subscription")


def test_a_topic_that_a_client_does_not_see_may_be_forbidden(tmp_path: Path) -> None:
    one = first(tmp_path, UNSEEN)
    assert (one.code, one.certainty) == (Code.TOPIC_MISSING, Certainty.LIKELY)
    assert "may not see" in one.what
    assert "DESCRIBE" in " ".join(remedy.what for remedy in one.do)


def test_a_topic_that_is_said_to_be_unknown_is_missing(tmp_path: Path) -> None:
    unknown = "%3|1743494434.149|ERROR|rdkafka#consumer-1| [thrd:main]: Subscribed topic not available: orders: Broker: Unknown topic or partition"  # noqa: E501
    one = first(tmp_path, UNSEEN, unknown)
    assert (one.code, one.certainty) == (Code.TOPIC_MISSING, Certainty.SHOWN)


def test_a_topic_that_is_forbidden_comes_before_one_that_is_not_seen(tmp_path: Path) -> None:
    forbidden = "%3|1743494434.149|ERROR|rdkafka#consumer-1| [thrd:main]: orders: Broker: Topic authorization failed"
    found = explained(tmp_path, UNSEEN, forbidden).groups[0].findings
    assert found[0].code is Code.NOT_AUTHORIZED
    assert [f.certainty for f in found if f.code is Code.TOPIC_MISSING] == [Certainty.LIKELY]


BARE = "2025-04-01 08:0{} {}"
LATE_BARE = BARE.format("0:00", LATE.partition("] ")[2])


@pytest.mark.parametrize("partitions", ["", " orders-0, orders-1"])
def test_a_member_that_joined_again_is_not_without_partitions_to_the_end(tmp_path: Path, partitions: str) -> None:
    one = first(
        tmp_path,
        LATE_BARE,
        BARE.format("2:00", "(Re-)joining group"),
        BARE.format("3:00", "Successfully joined group with generation 12"),
        BARE.format("3:00", f"Adding newly assigned partitions:{partitions}"),
        BARE.format("9:00", "Attempt to heartbeat failed since group is rebalancing"),
    )
    assert one.code is Code.POLL_TIMEOUT
    low, high = one.cost.member_without_partitions_ms or (None, None)
    assert low == 180_000
    assert high in (180_000, None)


WORKER = "[2025-04-01 08:00:0{0},000] INFO [Worker clientId=connect-1, groupId=connect] {1}"
JOINED = "Successfully joined group with generation Generation{{generationId={}, memberId='connect-1-0619b903-29b6-452a-851e-6f8d928e86bc', protocol='sessioned'}}"  # noqa: E501
GIVEN = "Request joining group due to: need to re-join with the given member-id: connect-1-0619b903-29b6-452a-851e-6f8d928e86bc"  # noqa: E501


@pytest.mark.parametrize(
    ("generation", "before", "starts"),
    [(5, [], False), (1, [], True), (5, [WORKER.format(1, GIVEN)], True)],
)
def test_a_member_that_was_there_before_does_not_start(
    tmp_path: Path, generation: int, before: list[str], starts: bool
) -> None:
    found = codes(
        tmp_path,
        WORKER.format(0, "Rebalance started"),
        WORKER.format(0, "(Re-)joining group"),
        *before,
        WORKER.format(1, JOINED.format(generation)),
    )
    assert (found[0] is Code.START_UP) is starts
    assert starts or found[0] is Code.OTHERS


@pytest.mark.parametrize(
    ("generation", "noted", "answered"), [(76_053, False, True), (640, True, False), (9, False, False)]
)
def test_a_group_that_rebalanced_often_is_said_to(tmp_path: Path, generation: int, noted: bool, answered: bool) -> None:
    failed = WORKER.format(0, "SyncGroup failed: The group began another rebalance. Need to re-join the group.")
    starts = WORKER.format(0, "Discovered group coordinator b-1:9092 (id: 2147483646 rack: null)")
    for begin in (failed, starts):
        found = explained(
            tmp_path, begin, WORKER.format(1, "(Re-)joining group"), WORKER.format(1, JOINED.format(generation))
        )
        often = f"rebalanced {generation:,} times"
        assert (often in found.answer) is answered
        assert any(often in note for note in found.groups[0].notes) is noted
        assert not answered or "othing is wrong" not in found.answer
