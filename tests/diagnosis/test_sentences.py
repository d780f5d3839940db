"""Sentences claim what a line shows, with its figures, and name members as people know them."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.finding import Finding
from groupsim.incidents.logs.reading import read_files
from tests.diagnosis.small_logs import explained

BROKER = "[GroupCoordinator 0]: "
PREPARING = BROKER + "Preparing to rebalance group {} in state PreparingRebalance with old generation {} (reason: {})"
FAILED = BROKER + "Member {} in group {} has failed, removing it from the group (kafka.coordinator.group)"
UUID = "0a1b2c3d-1111-2222-3333-4444555566{:02}"


def first_of(folder: Path, *lines: str) -> Finding:
    """The first finding in such a log."""
    return explained(folder, *lines).groups[0].findings[0]


def at(second: float, text: str) -> str:
    """A line so many seconds after ten o'clock."""
    minutes, rest = divmod(round(second * 1_000), 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"[2026-03-01 {10 + hours:02}:{minutes:02}:{rest // 1_000:02},{rest % 1_000:03}] INFO {text}"


def python(second: float, text: str) -> str:
    """A line of kafka-python, which names no client."""
    return at(second, text).replace("[2026", "2026").replace("] INFO", " - kafka.coordinator - INFO -")


def member(client: str, number: int = 1) -> str:
    """A member id of a client."""
    return f"{client}-{UUID.format(number)}"


SLEEPS = [
    python(0, "(Re-)joining group night"),
    python(3, "Successfully joined group night with generation 4"),
    python(3, "Setting newly assigned partitions {TopicPartition(topic='t', partition=0)} for group night"),
    python(9_000, "Closing idle connection coordinator-1, last active 7260000 ms ago"),
    python(9_000.2, "Heartbeat session expired, marking coordinator dead"),
    python(9_000.3, "Discovered coordinator coordinator-1 for group night"),
]


def test_a_machine_that_slept_is_said_to_have_slept_and_was_not_removed(tmp_path: Path) -> None:
    answer = explained(tmp_path, *SLEEPS).answer
    assert answer.startswith("The consumer of night froze for 2h01m;")
    assert answer.endswith("; keep its machine awake: no setting of Kafka bridges that.")
    assert "removed" not in answer
    short = [line.replace("7260000", "14000") for line in SLEEPS]
    assert "froze for 14.0 s; find what stops the process" in explained(tmp_path, *short).answer


def test_only_one_client_without_a_name_is_called_by_its_group(tmp_path: Path) -> None:
    nameless = python(0, "Heartbeat failed for group night because it is rebalancing")
    assert "some.log" not in explained(tmp_path, nameless).answer
    other = tmp_path / "other.log"
    other.write_text(nameless.replace(":00,000", ":01,000") + "\n", encoding="utf-8")
    both = explain_reading(read_files([tmp_path / "some.log", other]))
    assert both is not None
    assert both.groups[0].findings[0].members == ("the client in some.log", "the client in other.log")


def expires(client: str, back: float | None = None) -> list[str]:
    """A broker's log of a member whose session ends, and that comes back so many seconds later."""
    lines = [
        at(0, BROKER + "Stabilized group orders generation 7 (__consumer_offsets-1) with 2 members"),
        at(30, FAILED.format(member(client), "orders")),
        at(30, PREPARING.format("orders", 7, f"removing member {member(client)} on heartbeat expiration")),
        at(31, BROKER + "Stabilized group orders generation 8 (__consumer_offsets-1) with 1 members"),
        at(31, BROKER + "Assignment received from leader for group orders for generation 8."),
    ]
    if back is not None:
        joins = f"Adding new member {member(client, 2)} with group instance id None"
        lines.append(at(30 + back, PREPARING.format("orders", 8, joins)))
    return [*lines, at(200, BROKER + "Stabilized group orders generation 9 (__consumer_offsets-1) with 1 members")]


def test_what_became_of_a_member_whose_session_ended(tmp_path: Path) -> None:
    gone = first_of(tmp_path, *expires("app-a"))
    assert gone.what == ("app-a sent no heartbeats for session.timeout.ms, was removed, and did not come back")
    assert gone.do[0].brief == "read the end of app-a's log, and call close() on SIGTERM"
    back = first_of(tmp_path, *expires("app-a", back=12))
    assert back.what.endswith(", and came back 12.0 s later")
    assert back.do[0].brief == "see whether app-a's log ends or has a gap"  # a client that froze gets a new id, too


def test_a_thread_of_streams_is_named_without_the_uuid_of_its_process(tmp_path: Path) -> None:
    client = f"orders-{UUID.format(9)}-StreamThread-1-consumer"
    found = first_of(tmp_path, *expires(client))
    assert found.what.startswith("orders…StreamThread-1 sent no heartbeats")
    assert found.members == (client,)
    two = [at(0, FAILED.format(member(f"orders-{n}{UUID.format(9)[1:]}-StreamThread-1-consumer"), "g")) for n in "12"]
    whats = [f.what for f in explained(tmp_path, *expires(client), *two[:1]).groups[0].findings]
    assert all(UUID.format(9) not in what for what in whats)


def test_the_only_member_that_never_sent_its_assignment(tmp_path: Path) -> None:
    joins = "Adding new member a-1 with group instance id None"
    found = first_of(
        tmp_path,
        at(0, BROKER + "Dynamic Member with unknown member id joins group g in Empty state. Created a new member id a-1"
              " for this member and add to the group."),
        at(0, PREPARING.format("g", 2, joins)),
        at(3, BROKER + "Stabilized group g generation 3 (__consumer_offsets-29) with 1 members"),
        at(13, FAILED.format("a-1", "g")),
    )  # fmt: skip
    assert found.what.endswith("led a rebalance, never sent its assignment, and was removed 10.0 s later")


def test_a_group_that_is_empty_twice_says_so_and_that_its_broker_lost_its_data(tmp_path: Path) -> None:
    lines = []
    for start, old in ((0, 3), (30, 5)):
        joins = f"Adding new member {member('a', start)} with group instance id None"
        leaves = f"Removing member {member('a', start)} on LeaveGroup"
        lines += [
            at(start, PREPARING.format("g", old, joins)),
            at(start + 3, BROKER + f"Stabilized group g generation {old + 1} (__consumer_offsets-29) with 1 members"),
            at(start + 3, BROKER + f"Assignment received from leader for group g for generation {old + 1}."),
            at(start + 20, PREPARING.format("g", old + 1, leaves)),
            at(start + 20, BROKER + f"Group g with generation {old + 2} is now empty (__consumer_offsets-29)"),
        ]
    last = at(60, PREPARING.format("g", 7, f"Adding new member {member('a', 70)} with group instance id None"))
    found = first_of(tmp_path, *lines, last)
    assert found.what == "g had no member twice, 20.0 s in all: a stopped and started again"
    lost = first_of(tmp_path, *lines, last.replace("old generation 7", "old generation 0"))
    assert lost.what.endswith("stopped and started again, and its broker had lost the group's data")
    assert lost.do[0].settings == ("log.dirs", "bootstrap.servers")


def test_a_start_says_how_long_it_took_and_does_not_claim_an_assignment(tmp_path: Path) -> None:
    subscribes = python(0, "Updating subscribed topics to: ('t',)")
    finds = python(0.1, "Discovered coordinator coordinator-1 for group night")
    assigned = python(1.2, "Setting newly assigned partitions {TopicPartition(topic='t', partition=0)} for group night")
    begins = explained(tmp_path, subscribes, finds).answer
    assert begins == "Nothing is wrong: the consumer of night started; this log ends before its first assignment."
    assert "got the first assignment after 1.2 s" in explained(tmp_path, subscribes, finds, assigned).answer


def test_a_group_of_thousands_of_generations_is_not_called_well(tmp_path: Path) -> None:
    answer = explained(tmp_path, at(0, BROKER + "Stabilized group g generation 12345 (__consumer_offsets-2)")).answer
    assert answer == (
        "g has rebalanced 12,345 times since it was made, and these lines do not show why; read the reasons in the"
        " broker's log."
    )


def test_what_a_member_lost_to_others_is_counted(tmp_path: Path) -> None:
    two = "{TopicPartition(topic='t', partition=0), TopicPartition(topic='t', partition=1)}"
    lines = [
        python(0, "Heartbeat failed for group night because it is rebalancing"),
        python(0, f"Revoking previously assigned partitions {two} for group night"),
        python(1, "Successfully joined group night with generation 4"),
        python(1, "Setting newly assigned partitions {TopicPartition(topic='t', partition=1)} for group night"),
    ]
    assert explained(tmp_path, *lines).answer == (
        "Others took 1 of the 2 partitions of the consumer of night when the group rebalanced: its log does not show"
        " why (probably another member joined or left); read the broker's log."
    )
    lines[-1] = lines[-1].replace("{TopicPartition(topic='t', partition=1)}", two)
    assert " took " not in explained(tmp_path, *lines).answer


def test_a_streams_application_that_leaves_at_once_probably_misses_a_topic(tmp_path: Path) -> None:
    client = f"shop-{UUID.format(5)}-StreamThread-1-consumer"

    def lines(seconds: float) -> list[str]:
        return [
            at(0, PREPARING.format("shop", 0, f"Adding new member {member(client)} with group instance id null")),
            at(3, BROKER + "Stabilized group shop generation 1 (__consumer_offsets-3) with 1 members"),
            at(3, BROKER + f"Assignment received from leader {member(client)} for group shop for generation 1."),
            at(3 + seconds, f"{BROKER}[Group shop] Member {member(client)} has left group through explicit `LeaveGroup`"
                            " request; client reason: the consumer unsubscribed from all topics"),
        ]  # fmt: skip

    found = first_of(tmp_path, *lines(0.05))
    assert found.what.startswith("shop…StreamThread-1 left 50 ms after the group's first assignment")
    assert found.do[0].brief == "create the topic first"
    assert "topic" not in first_of(tmp_path, *lines(600)).what


def test_a_quiet_log_says_where_its_client_is(tmp_path: Path) -> None:
    waits = 'Group "g" received op GET_SUBSCRIPTION in state wait-broker-transport (join-state init)'
    line = f"%7|1709546400.000|CGRPOP|web#consumer-1| [thrd:main]: {waits}"
    assert "has not joined yet, and waits for its coordinator" in explained(tmp_path, line).answer
    added = [f"[sarama] consumer/broker/{n} added subscription to t/{n}" for n in range(3)]
    assert "sarama has 3 partitions" in explained(tmp_path, *added).answer


def test_a_member_between_two_listeners_was_not_in_a_batch(tmp_path: Path) -> None:
    own = "[Consumer clientId=a, groupId=g] "
    joins = f"Adding new member {member('b')} with group instance id null"
    lines = [
        at(10, PREPARING.format("g", 4, joins)),
        at(10.1, own + "Request joining group due to: group is already rebalancing"),
        at(10.2, own + "Revoke previously assigned partitions t-0, t-1"),
        at(16, own + "(Re-)joining group"),
        at(16.1, BROKER + "Stabilized group g generation 5 (__consumer_offsets-3) with 2 members"),
    ]
    codes = [finding.code.value for finding in explained(tmp_path, *lines).groups[0].findings]
    assert "slow-callback" in codes
    assert "slow-rejoin" not in codes
    batch = [line for line in lines if "Revoke" not in line]
    assert "slow-rejoin" in [finding.code.value for finding in explained(tmp_path, *batch).groups[0].findings]


def test_listeners_that_took_long_are_counted(tmp_path: Path) -> None:
    own = "[Consumer clientId=a, groupId=g] "
    lines = []
    for start in (0, 20, 40):
        lines += [
            at(start, own + "Revoke previously assigned partitions t-0, t-1"),
            at(start + 2, own + "(Re-)joining group"),
            at(start + 2.1, own + "Adding newly assigned partitions: t-0, t-1"),
        ]
    assert first_of(tmp_path, *lines).what.startswith("the rebalance listener of a ran 3 times for up to 2.0 s")


def test_how_long_a_client_was_between_two_polls(tmp_path: Path) -> None:
    said = "Application maximum poll interval (60000ms) exceeded by 750ms (adjust max.poll.interval.ms for long-running"
    line = f"%4|1709546400.000|MAXPOLL|web#consumer-1| [thrd:main]: {said} message processing): leaving group"
    what = first_of(tmp_path, line).what
    assert "took more than 60.8 s between two polls: max.poll.interval.ms allows 60.0 s" in what


@pytest.mark.parametrize(("error", "asked"), [("could not be established", False), ("disconnected", True)])
def test_a_connection_that_fails_at_once_was_not_idle(error: str, asked: bool, tmp_path: Path) -> None:
    line = at(0, f"[Consumer clientId=a, groupId=g] Connection to node 1 (b/10.0.0.1:9092) {error}.")
    found = first_of(tmp_path, line, at(1, "[Consumer clientId=a, groupId=g] Node 1 disconnected."))
    assert ("idle" in found.do[0].what) is asked


def test_a_commit_that_could_not_be_sent_was_not_refused(tmp_path: Path) -> None:
    failed = "Auto offset commit failed for group night: NodeNotReadyError: coordinator-1"
    findings = explained(tmp_path, *SLEEPS[:3], python(60, failed)).groups[0].findings
    (unsent,) = (finding for finding in findings if finding.code is Code.COMMIT_FAILED)
    assert unsent.what.endswith("of the consumer of night failed, because the coordinator could not be reached")
    assert "what put the member out" not in unsent.do[0].what
    refused = first_of(tmp_path, *SLEEPS[:3], python(60, failed.replace("NodeNotReadyError", "CommitFailedError")))
    assert refused.what == "a commit of the consumer of night was refused"


def test_visits_of_one_client_id_are_counted(tmp_path: Path) -> None:
    lines = [at(0, BROKER + "Stabilized group g generation 20 (__consumer_offsets-3) with 1 members")]
    for start, old in ((10, 20), (310, 22), (610, 24)):
        visitor = member("tail", old)
        joins, leaves = (
            f"Adding new member {visitor} with group instance id null",
            f"Removing member {visitor} on LeaveGroup",
        )
        lines += [
            at(start, PREPARING.format("g", old, joins)),
            at(start + 1, BROKER + f"Stabilized group g generation {old + 1} (__consumer_offsets-3) with 2 members"),
            at(start + 8, PREPARING.format("g", old + 1, leaves)),
            at(start + 9, BROKER + f"Stabilized group g generation {old + 2} (__consumer_offsets-3) with 1 members"),
        ]
    whats = [finding.what for finding in explained(tmp_path, *lines).groups[0].findings]
    assert any(what == "tail joined and left the group 3 times, each time on purpose" for what in whats), whats


def test_who_changed_its_subscription_is_named(tmp_path: Path) -> None:
    own = "[Consumer clientId=app-7, groupId=g] "
    changed = "subscription has changed from [a] at the beginning of the rebalance to [a, b]"
    asked = at(0, own + f"Request joining group due to: {changed}")
    found = first_of(tmp_path, asked, at(0.1, own + "(Re-)joining group"))
    assert found.what == "app-7 changed its subscription, so partitions were assigned anew"
    assert "subscribe()" in found.do[0].what
