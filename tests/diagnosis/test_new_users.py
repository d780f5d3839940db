"""What new users stumbled over in answers: sentences that fit who is there, one number for one thing, a way on."""

from __future__ import annotations

from pathlib import Path

from groupsim.diagnosis.explain import Explanation, explain_reading
from groupsim.diagnosis.to_text import as_text
from groupsim.incidents.logs.reading import read_files

_UUID = "1b2c3d4e-1111-4222-8333-444455556{:03d}"
_LISTENER = "c.i.ConsumerRebalanceListenerInvoker"


def _explained(folder: Path, *lines: str) -> Explanation:
    path = folder / "app.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    return explanation


def _broker(at: str, text: str) -> str:
    return f"[2024-03-04 {at}] INFO [GroupCoordinator 7]: {text} (kafka.coordinator.group.GroupCoordinator)"


def _loses(group: str, minute: int) -> list[str]:
    """A group of one that is restarted."""
    old, new = (f"{group}-app-{_UUID.format(n)}" for n in (minute, minute + 100))
    prepare = f"Preparing to rebalance group {group} in state PreparingRebalance with old generation"
    return [
        _broker(
            f"10:{minute:02d}:00,000",
            f"Member[group.instance.id None, member.id {old}] in group {group} has left, removing it from the group",
        ),
        _broker(
            f"10:{minute:02d}:00,001",
            f"{prepare} 5 (__consumer_offsets-3) (reason: removing member {old} on LeaveGroup)",
        ),
        _broker(f"10:{minute:02d}:00,002", f"Group {group} with generation 6 is now empty (__consumer_offsets-3)"),
        _broker(
            f"10:{minute:02d}:20,000",
            f"{prepare} 6 (__consumer_offsets-3) (reason: Adding new member {new} with group instance id None)",
        ),
        _broker(f"10:{minute:02d}:20,003", f"Stabilized group {group} generation 7 (__consumer_offsets-3)"),
        _broker(f"10:{minute:02d}:20,010", f"Assignment received from leader for group {group} for generation 7"),
    ]


def test_several_groups_say_of_what_a_share_is_and_how_many_had_the_same(tmp_path: Path) -> None:
    found = _explained(tmp_path, *_loses("prices", 1), *_loses("stock", 5))
    assert "(same cause in 1 other group); " in found.answer
    assert any("from the group's first line to the end of the log (" in line for line in as_text(found))


def test_an_applications_own_watch_is_no_leave_and_its_limit_is_its_own(tmp_path: Path) -> None:
    found = _explained(
        tmp_path,
        '{"level":"info","ts":"2024-03-04T10:00:01.000Z","msg":"beginning heartbeat loop","group":"pipes-7"}',
        '{"level":"warn","ts":"2024-03-04T10:30:02.000Z","msg":"consumer group expired","consumerName":"pipes-7"}',
        '{"level":"info","ts":"2024-03-04T10:30:09.000Z","msg":"beginning heartbeat loop","group":"pipes-7"}',
    )
    (finding,) = (f for f in found.groups[0].findings if f.code == "poll-timeout")
    assert "left" not in finding.what
    assert "own watchdog" in finding.what
    assert "max.poll.records" not in " ".join(remedy.what for remedy in finding.do)


def _client(at: str, text: str, client: str = "web-1", level: str = "INFO") -> str:
    return f"2024-03-04 {at} {level} [Consumer clientId={client}, groupId=orders] {text}"


def test_one_batch_has_one_length(tmp_path: Path) -> None:
    lines = [
        line
        for start in (0, 20)
        for line in (
            _client(f"10:00:{start:02d},000", "Adding newly assigned partitions: orders-0"),
            _client(f"10:00:{start + 5:02d},010", "consumer poll timeout has expired. This means"),
            _client(f"10:00:{start + 5:02d},011", "Member web-1-x sending LeaveGroup request to coordinator b:9092 due"
                    " to consumer poll timeout has expired."),
            _client(f"10:00:{start + 12:02d},310", "Giving away all assigned partitions as lost since generation has"
                    " been reset,indicating that consumer is no longer part of the group"),
            _client(f"10:00:{start + 12:02d},320", "Lost previously assigned partitions orders-0"),
            _client(f"10:00:{start + 12:02d},330", "(Re-)joining group"),
        )
    ]  # fmt: skip
    (finding,) = (f for f in _explained(tmp_path, *lines).groups[0].findings if f.code == "poll-timeout")
    assert "took about 12 s between two polls" in finding.what
    assert "well above 12 s" in finding.do[0].what


def test_a_client_id_that_is_no_name_is_called_a_client(tmp_path: Path) -> None:
    rebalancing = "Attempt to heartbeat failed since group is rebalancing"
    lines = [_client(f"10:00:0{n},000", rebalancing, client="7d01c2aa93fe") for n in (1, 1)]
    assert _explained(tmp_path, *lines).answer == (
        "The group rebalanced, and client 7d01c2aa93fe had to rejoin: its log does not show why (probably another"
        " member joined or left); read the broker's log."
    )


def test_a_lone_member_did_not_roll(tmp_path: Path) -> None:
    member = f"web-1-{_UUID.format(1)}"
    leave = f"Member {member} sending LeaveGroup request to coordinator b:9092 due to the consumer is being closed"
    lines = [
        line
        for start in (0, 20)
        for line in (
            _client(f"10:00:{start:02d},000", "Subscribed to topic(s): orders"),
            _client(f"10:00:{start:02d},100", "(Re-)joining group"),
            _client(f"10:00:{start + 3:02d},000", "Adding newly assigned partitions: orders-0"),
            _client(f"10:00:{start + 9:02d},000", leave),
        )
    ]
    text = list(as_text(_explained(tmp_path, *lines)))
    assert not any("rolling-restart (" in line and "here: one member restarted" not in line for line in text)
    assert not any("scale-in (" in line and "here: one member" not in line for line in text)


def test_a_group_that_its_broker_only_loaded_says_what_to_read(tmp_path: Path) -> None:
    loaded = (
        "Loaded member MemberMetadata(memberId=app-{}, groupInstanceId=None, clientId=app, clientHost=/10.1.1.5,"
        " sessionTimeoutMs=30000, rebalanceTimeoutMs=30000, supportedProtocols=List(range)) in group mails with"
        " generation 88123."
    )
    found = _explained(tmp_path, *(_broker(f"10:00:00,00{n}", loaded.format(_UUID.format(n))) for n in (1, 2)))
    assert "88,123 times" in found.answer
    assert found.answer.endswith("; read more of the broker's log.")


def test_a_group_that_its_broker_removed_says_where_the_next_start_reads(tmp_path: Path) -> None:
    dead = "Group prices transitioned to Dead in generation 7"
    lines = [
        *_loses("prices", 1),
        _broker("10:09:00,000", dead).replace("[GroupCoordinator 7]:", "[GroupMetadataManager brokerId=7]"),
    ]
    assert any('note: the broker removed the group ("Dead")' in line for line in as_text(_explained(tmp_path, *lines)))


def test_what_is_still_wrong_at_the_end_is_in_the_first_sentence(tmp_path: Path) -> None:
    lines = [
        _client("10:00:00,000", "Adding newly assigned partitions: orders-0"),
        _client("10:05:00,000", "consumer poll timeout has expired. This means the time", level="WARN"),
        _client("10:05:00,001", "Member web-1-x sending LeaveGroup request to coordinator b:9092 (id: 1 rack: null)"
                " due to consumer poll timeout has expired."),
        _client("10:06:00,000", "Lost previously assigned partitions orders-0"),
        _client("10:06:00,010", "(Re-)joining group"),
        _client("10:06:00,200", "Adding newly assigned partitions: orders-0"),
        _client("10:09:00,000", "Group coordinator b:9092 (id: 2147483646 rack: null) is unavailable or invalid due to"
                " cause: null. isDisconnected: true. Rediscovery will be attempted."),
        _client("10:09:40,000", "Group coordinator b:9092 (id: 2147483646 rack: null) is unavailable or invalid due to"
                " cause: null. isDisconnected: true. Rediscovery will be attempted."),
    ]  # fmt: skip
    found = _explained(tmp_path, *lines)
    assert found.groups[0].findings[0].code == "poll-timeout"
    assert ", and its broker was still gone at the end; " in found.answer
    assert found.answer.endswith("look at the broker.")
