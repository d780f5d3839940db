"""What somebody who is called at night reads must be true word by word: who, how often, how long, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.explain import Explanation
from groupsim.diagnosis.finding import Finding
from groupsim.diagnosis.to_text import as_text
from tests.diagnosis.small_logs import explained
from tests.diagnosis.test_sentences import BROKER, FAILED, PREPARING, at, member, python

_STABLE = BROKER + "Stabilized group {} generation {} (__consumer_offsets-1) with {} members"
_STORED = BROKER + "Assignment received from leader for group {} for generation {}."
_JOINS = "Adding new member {} with group instance id None"
_EMPTY = BROKER + "Group {} with generation {} is now empty (__consumer_offsets-1)"


def found(explanation: Explanation, code: Code) -> Finding:
    """The only finding of a code."""
    (finding,) = [finding for finding in explanation.groups[0].findings if finding.code is code]
    return finding


def codes(explanation: Explanation) -> set[Code]:
    """All codes of the first group."""
    return {finding.code for finding in explanation.groups[0].findings}


def rebalance_waits(*later: str) -> list[str]:
    """A rebalance that a join begins and that ends when a silent member of the same client is removed."""
    return [
        at(0, _STABLE.format("g", 4, 1)),
        at(0, _STORED.format("g", 4)),
        at(60, PREPARING.format("g", 4, _JOINS.format(member("app", 2)))),
        at(85, FAILED.format(member("app", 1), "g")),
        at(85, _STABLE.format("g", 5, 1)),
        *later,
    ]


def leader_dies(*later: str) -> list[str]:
    """The same; the new member then leads the rebalance, and dies before it sends an assignment."""
    return rebalance_waits(
        at(115, FAILED.format(member("app", 2), "g")),
        at(115, PREPARING.format("g", 5, f"removing member {member('app', 2)} on heartbeat expiration")),
        at(115, _EMPTY.format("g", 6)),
        *later,
    )


def test_a_leader_that_never_sent_its_assignment_leaves_the_group_empty(tmp_path: Path) -> None:
    returns = at(265, PREPARING.format("g", 6, _JOINS.format(member("app", 3))))
    finding = found(explained(tmp_path, *leader_dies(returns)), Code.GHOST_MEMBERS)
    lost = "waited 25.0 s for app, whose process was gone; the new one ended, too, and the group was empty for 2m30s"
    assert finding.what.endswith(lost)
    assert finding.do[0].brief == "find out why it ends"
    assert finding.evidence.last_ms is not None
    assert finding.evidence.first_ms is not None
    assert finding.evidence.last_ms - finding.evidence.first_ms == 205_000
    assert 8 in {place.line for place in finding.evidence.places[:2]}  # "is now empty"
    ends = explained(tmp_path, *leader_dies(at(200, BROKER + "Group other with generation 1 is now empty (x-1)")))
    assert found(ends, Code.GHOST_MEMBERS).what.endswith("the group was empty for at least 85.0 s")


def test_the_successor_of_a_dead_process_is_no_scale_out(tmp_path: Path) -> None:
    sent = at(85, _STORED.format("g", 5))
    assert Code.SCALE_OUT not in codes(explained(tmp_path, *rebalance_waits(sent)))
    beside = [line.replace(member("app", 2), member("other", 2)) for line in rebalance_waits(sent)]
    assert found(explained(tmp_path, *beside), Code.SCALE_OUT).what == "other joined the group while it was working"


def dies(number: int, second: float) -> str:
    """A line of the broker: a member of `app` is removed."""
    return at(second, FAILED.format(member("app", number), "g"))


def joins(number: int, second: float) -> str:
    """A line of the broker: a member of `app` joins."""
    return at(second, PREPARING.format("g", number, _JOINS.format(member("app", number))))


def test_a_member_that_had_a_successor_before_it_was_removed_did_not_vanish_and_come_back(tmp_path: Path) -> None:
    begins = [at(0, _STABLE.format("g", 1, 1)), at(0, _STORED.format("g", 1))]
    overlaps = [joins(2, 50), dies(1, 60), joins(3, 150), dies(2, 160), joins(4, 250), dies(3, 260), joins(5, 300)]
    said = found(explained(tmp_path, *begins, *overlaps), Code.CRASH_LOOP).what
    assert said == (
        "app of g ended 3 times without close(); each time another member of its client id was there before the old one"
        " was removed"
    )
    apart = [dies(1, 50), joins(2, 60), dies(2, 150), joins(3, 160), dies(3, 250), joins(4, 260)]
    said = found(explained(tmp_path, *begins, *apart), Code.CRASH_LOOP).what
    assert said == "app of g vanished and came back 3 times without close()"
    stays_away = found(explained(tmp_path, *begins, *apart[:-1]), Code.CRASH_LOOP).what
    assert stays_away == "app of g ended 3 times without close()"


def test_how_often_is_said_of_the_removals_and_not_of_the_timeout(tmp_path: Path) -> None:
    lines = [at(0, _STABLE.format("g", 1, 2)), dies(1, 50), joins(2, 60), dies(2, 150), joins(3, 160)]
    said = found(explained(tmp_path, *lines), Code.SESSION_EXPIRED).what
    assert said == "app was removed twice for missing heartbeats (session.timeout.ms), and came back"


@pytest.mark.parametrize(("goes_on", "then"), [(15, "this log ends 15.0 s later"), (130, "did not come back")])
def test_that_a_member_stayed_away_needs_lines_long_enough_for_a_restart(
    tmp_path: Path, goes_on: int, then: str
) -> None:
    lines = [at(0, _STABLE.format("g", 1, 2)), dies(1, 50), at(50 + goes_on, _STABLE.format("g", 2, 1))]
    finding = found(explained(tmp_path, *lines), Code.SESSION_EXPIRED)
    assert finding.what.endswith(f"was removed, and {then}")
    assert finding.do[0].brief.startswith("read the end of app's log")


def test_of_two_members_with_one_client_id_it_is_said_which_one(tmp_path: Path) -> None:
    one, other = "app-11111111-1111-2222-3333-444455556666", "app-22222222-1111-2222-3333-444455556666"
    explanation = explained(
        tmp_path,
        at(0, PREPARING.format("g", 7, _JOINS.format(one))),
        at(1, _STABLE.format("g", 8, 2)),
        at(1, _STORED.format("g", 8)),
        at(90, FAILED.format(other, "g")),
        at(91, _STABLE.format("g", 9, 1)),
    )
    assert found(explanation, Code.SESSION_EXPIRED).what.startswith("app-22222222 sent no heartbeats")
    assert found(explanation, Code.SCALE_OUT).what.startswith("app-11111111 joined the group")


def lives(*seconds: float) -> list[str]:
    """The log of a kafka-python client: lives of these lengths, a start one second after each end."""
    lines, now = [], 0.0
    one = "{TopicPartition(topic='t', partition=0)}"
    for life in seconds:
        lines += [
            python(now, "Updating subscribed topics to: ('t',)"),
            python(now + 0.1, "Discovered coordinator coordinator-1 for group night"),
            python(now + 0.1, "Revoking previously assigned partitions set() for group night"),
            python(now + 0.2, "(Re-)joining group night"),
            python(now + 9.2, "Successfully joined group night with generation 4"),
            python(now + 9.2, f"Setting newly assigned partitions {one} for group night"),
            python(now + life, "Stopping heartbeat thread"),
        ]
        now += life + 1
    return lines


def test_lives_of_equal_length_are_ended_by_a_timer(tmp_path: Path) -> None:
    explanation = explained(tmp_path, *lives(60.002, 60.001, 60.002, 60.004))
    regular = found(explanation, Code.CRASH_LOOP)
    assert "ended 4 times without close(), each time 60.0 s after its start, like a timer" in regular.what
    assert explanation.answer.endswith("; find that timer (consumer_timeout_ms?), and call close().")
    assert len(explanation.answer.split()) <= 26
    assert Code.SLOW_REJOIN not in codes(explanation)  # each waited when it was started: none had been a member before
    assert regular.times == 4
    other = found(explained(tmp_path, *lives(60, 63, 60, 60)), Code.CRASH_LOOP)
    assert "timer" not in other.what
    assert "ended 3 times without close()" in other.what


def test_several_starts_say_how_long_each_waited(tmp_path: Path) -> None:
    said = found(explained(tmp_path, *lives(60, 63, 60, 60)), Code.GHOST_MEMBERS)
    assert said.what.startswith("4 starts waited about 9.0 s each, 36.0 s in all, to get into night")
    assert any("group.instance.id (kafka-python has it since 2.3.0)" in remedy.what for remedy in said.do)


def test_a_static_id_is_for_clients_that_have_it(tmp_path: Path) -> None:
    said = found(explained(tmp_path, *rebalance_waits()), Code.GHOST_MEMBERS)
    assert any("group.instance.id (if your client library has it)" in remedy.what for remedy in said.do)
    java = [line.replace("app-", "consumer-g-1-") for line in rebalance_waits()]
    said = found(explained(tmp_path, *java), Code.GHOST_MEMBERS)
    assert any("give them a group.instance.id, so" in remedy.what for remedy in said.do)


def test_nothing_is_wrong_stands_in_one_remedy_with_what_makes_the_pause_shorter(tmp_path: Path) -> None:
    lines = [
        at(0, _STABLE.format("g", 8, 2)),
        at(40, PREPARING.format("g", 8, _JOINS.format(member("app", 1)))),
        at(41, _STABLE.format("g", 9, 3)),
    ]
    explanation = explained(tmp_path, *lines)
    assert explanation.answer == "Nothing is wrong: app joined the group while it was working."
    (only,) = found(explanation, Code.SCALE_OUT).do
    assert only.what == (
        "nothing is wrong; if the pause hurts, use cooperative-sticky (or group.protocol=consumer): then only the"
        " partitions that move stop (not simulated, as nothing is wrong)"
    )
    assert only.settings == ("partition.assignment.strategy", "group.protocol")
    kafkajs = [line.replace(member("app", 1), member("kafkajs", 1)) for line in lines]
    (only,) = found(explained(tmp_path, *kafkajs), Code.SCALE_OUT).do
    assert only == only._replace(what="nothing is wrong", settings=())


def test_the_last_member_that_is_stopped_leaves_an_empty_group(tmp_path: Path) -> None:
    leaves = at(30, PREPARING.format("g", 8, f"removing member {member('app')} on LeaveGroup"))
    lines = [at(0, _STABLE.format("g", 8, 1)), at(0, _STORED.format("g", 8)), leaves]
    said = found(explained(tmp_path, *lines, at(30, _EMPTY.format("g", 9))), Code.SCALE_IN).what
    assert said == "app, the last member, was stopped on purpose, and the group is empty since"
    said = found(explained(tmp_path, *lines, at(31, _STABLE.format("g", 9, 1))), Code.SCALE_IN).what
    assert said == "app left the group on purpose; this log ends 1.0 s later"
    later = at(600, PREPARING.format("g", 9, _JOINS.format(member("app", 2))))
    said = found(explained(tmp_path, *lines, at(31, _STABLE.format("g", 9, 1)), later), Code.SCALE_IN).what
    assert said == "app left the group on purpose and came back 9m30s later"
    other = at(29, PREPARING.format("g", 8, f"removing member {member('web')} on LeaveGroup"))
    both = [*lines[:2], other, *lines[2:], at(30, _EMPTY.format("g", 9))]
    said = found(explained(tmp_path, *both), Code.SCALE_IN).what
    assert said == "2 members left the group on purpose, and the group is empty since"


_WORKER = "[Worker clientId=connect-1, groupId=c] "
_ASSIGNED = (
    _WORKER + "Joined group at generation {} with protocol version 2 and got assignment: Assignment{{error=0,"
    " leader='connect-1-x', leaderUrl='http://h:8083/', offset=13, connectorIds=[{}], taskIds=[],"
    " revokedConnectorIds=[], revokedTaskIds=[], delay={}}} with rebalance delay: {} (x)"
)


def test_after_the_only_worker_was_stopped_no_assignment_is_to_be_waited_for(tmp_path: Path) -> None:
    lines = [at(0, _ASSIGNED.format(1, "one", 0, 0)), at(60, _ASSIGNED.format(2, "", 300_000, 300_000))]
    waits = found(explained(tmp_path, *lines), Code.CONNECT_DELAY).confirm
    assert waits == "a new assignment with this work, 5m00s after the line with the delay, at about 10:06:00"
    leaves = "Member connect-1-x sending LeaveGroup request to coordinator h:9092 (id: 2147483647 rack: null) due to"
    stops = at(280, f"{_WORKER}{leaves} the consumer is being closed (x)")
    said = found(explained(tmp_path, *lines, stops), Code.CONNECT_DELAY).confirm
    assert said is not None
    assert "the worker was stopped 3m40s into the delay" in said


def test_several_clients_without_a_connection_are_at_least_so_many(tmp_path: Path) -> None:
    failed = "[Consumer clientId=app-{}, groupId=g] Connection to node 0 (h/10.0.0.1:9092) could not be established."
    said = [found(explained(tmp_path, *[at(n, failed.format(n)) for n in range(many)]), Code.CONNECTION_LOST).what
            for many in (1, 2)]  # fmt: skip
    assert said == ["app-0 lost its connection to the broker", "at least 2 clients lost their connection to the broker"]


def test_what_only_repeats_its_cause_stands_last(tmp_path: Path) -> None:
    client = "[Consumer clientId=app-1, groupId=g] "
    lines = [
        at(0, client + "Adding newly assigned partitions: [t-0]"),
        at(10, client + "Connection to node 0 (h/10.0.0.1:9092) could not be established. Broker may not be there."),
        at(10, client + "Group coordinator h:9092 (id: 2147483647 rack: null) is unavailable or invalid due to cause:"
                        " coordinator unavailable.isDisconnected: false. Rediscovery will be attempted."),
        at(18, client + "Discovered group coordinator h:9092 (id: 2147483647 rack: null)"),
        at(20, client + "Offset commit failed on partition t-0 at offset 3: This is not the correct coordinator."),
        at(30, client + "Revoke previously assigned partitions t-0"),
        at(30, client + "Member app-1-x sending LeaveGroup request to coordinator h:9092 (id: 2147483647 rack: null)"
                        " due to the consumer is being closed"),
    ]  # fmt: skip
    order = [finding.code for finding in explained(tmp_path, *lines).groups[0].findings]
    assert order[0] is Code.COORDINATOR_MOVED
    assert order[-1] is Code.CONNECTION_LOST


def test_records_that_are_not_committed_twice_come_again_each_time(tmp_path: Path) -> None:
    client = "[Consumer clientId=app-1, groupId=g] "
    timeout = client + "consumer poll timeout has expired. This means the time between subsequent calls to poll() was"
    refused = client + "Offset commit failed on partition t-0 at offset 3: The coordinator is not aware of this"
    twice = [
        line
        for start in (0, 300)
        for line in (
            at(
                start,
                f"{client}Successfully joined group with generation Generation{{generationId={start + 1},"
                f" memberId='app-1-{start}', protocol='range'}}",
            ),
            at(start, client + "Adding newly assigned partitions: [t-0]"),
            at(start + 100, timeout + " longer than the configured max.poll.interval.ms"),
            at(start + 120, refused + " member."),
            at(start + 130, client + "(Re-)joining group"),
        )
    ]
    said = found(explained(tmp_path, *twice), Code.POLL_TIMEOUT)
    assert said.what == (
        "app-1 took about 130 s between two polls, max.poll.interval.ms allows about 100 s: it left twice, and the"
        " same records probably come again"
    )
    assert said.cost.no_progress
    assert said.do[0].what == (
        "raise max.poll.interval.ms well above 130 s, the longest batch, or lower max.poll.records to less than 1/2 of"
        " that batch's records"
    )
    once = found(explained(tmp_path, *twice[: len(twice) // 2]), Code.POLL_TIMEOUT)
    assert "same records" not in once.what


def test_a_batch_that_ends_after_its_member_left_cannot_be_committed(tmp_path: Path) -> None:
    client = "[Consumer clientId=app-1, groupId=g] "
    lines = [
        line
        for start in (0, 40)
        for line in (
            at(
                start,
                client + "Successfully joined group with generation Generation{generationId="
                f"{start + 1}, memberId='app-1-{start}', protocol='range'}}",
            ),
            at(start, client + "Adding newly assigned partitions: [t-0]"),
            at(start + 10, client + "consumer poll timeout has expired. This means the time between subsequent calls"),
            at(start + 39, client + "(Re-)joining group"),
        )
    ]
    explanation = explained(tmp_path, *lines)
    assert explanation.answer == (
        "app-1 took about 39 s between two polls, max.poll.interval.ms allows about 10.0 s: it left twice, and the same"
        " records probably come again; lower max.poll.records or raise max.poll.interval.ms."
    )
    shown = list(as_text(explanation))
    assert [line for line in shown if line.startswith("  cost: ") and "cannot be committed at its end" in line]


def test_settings_that_a_client_prints_stand_in_the_remedy(tmp_path: Path) -> None:
    client = "[Consumer clientId=app-1, groupId=g] "
    names = {"client.id": "app-1", "group.id": "g", "max.poll.interval.ms": 10_000, "max.poll.records": 20}
    config = at(0, "INFO ConsumerConfig values: \n\t" + "\n\t".join(f"{name} = {it}" for name, it in names.items()))
    lines = [
        at(1, client + "Adding newly assigned partitions: [t-0]"),
        at(11, client + "consumer poll timeout has expired. This means the time between subsequent calls to poll()"),
        at(41, client + "(Re-)joining group"),
    ]
    said = found(explained(tmp_path, config, *lines), Code.POLL_TIMEOUT)
    assert said.what == "app-1 took about 40 s between two polls, max.poll.interval.ms allows 10.0 s: it left"
    assert said.do[0].what.endswith("lower max.poll.records to 5 at most, and to less than 1/4 of that batch's records")
    silent = found(explained(tmp_path, *lines), Code.POLL_TIMEOUT)  # one batch shows no setting
    assert "allows" in silent.what
    assert "about" not in silent.what


def test_a_broker_that_came_back_was_away_rather_than_moved(tmp_path: Path) -> None:
    lines = [
        at(0, _STABLE.format("g", 4, 2)),
        at(0, _STORED.format("g", 4)),
        at(12, BROKER + "Starting up."),
        at(13, BROKER + "Startup complete."),
        at(20, PREPARING.format("g", 4, _JOINS.format(member("app", 2)))),
        at(23, _STABLE.format("g", 5, 2)),
    ]
    said = found(explained(tmp_path, *lines), Code.COORDINATOR_MOVED).what
    assert said == "the group's broker 0 was started again, after it was away for at most 12.0 s"


def test_times_that_do_not_agree_say_nothing_of_the_setting(tmp_path: Path) -> None:
    client = "[Consumer clientId=app-1, groupId=g] "
    lines = [
        line
        for start, late in ((0, 100), (300, 150))  # it polled once more before the second batch
        for line in (
            at(start, client + "Adding newly assigned partitions: [t-0]"),
            at(
                start + late, client + "consumer poll timeout has expired. This means the time between subsequent calls"
            ),
            at(start + late + 30, client + "(Re-)joining group"),
        )
    ]
    said = found(explained(tmp_path, *lines), Code.POLL_TIMEOUT)
    assert said.what.startswith("app-1 took longer between two polls than max.poll.interval.ms allows")


def test_clients_that_are_removed_at_one_moment_are_probably_one_process(tmp_path: Path) -> None:
    def removed(second: float, member: str) -> str:
        return at(
            second, f"[GroupCoordinator 0]: Member {member}-1-2-3-4 in group g has failed, removing it from the group"
        )

    def together(*seconds: float) -> str:
        names = ("a", "b", "c", "d")
        return found(
            explained(tmp_path, *(removed(s, n) for s, n in zip(seconds, names, strict=False))), Code.SESSION_EXPIRED
        ).what

    assert "3 of them at one moment, so probably one process or host" in together(0, 0, 0, 30)
    assert "one process" not in together(0, 10, 20, 30)


def test_a_client_that_is_there_later_did_not_leave_for_good(tmp_path: Path) -> None:
    """Brokers before 2.4 print no line when a member joins a group that rebalances."""
    first, later = (f"app-1-{digit * 8}-1111-1111-1111-{digit * 12}" for digit in "12")
    left = f"Member[group.instance.id None, member.id {first}] in group g has left, removing it from the group"
    failed = f"Member {later} in group g has failed, removing it from the group"
    lines = [at(0, BROKER + left), at(60, BROKER + failed)]
    codes = [finding.code for finding in explained(tmp_path, *lines).groups[0].findings]
    assert Code.SCALE_IN not in codes
    assert Code.SESSION_EXPIRED in codes
