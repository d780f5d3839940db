"""The topic beside logs: what a log says is not said twice, what both say differently is named, and what is unknown."""

from __future__ import annotations

from pathlib import Path

from groupsim.analysis.timelines.builder import rebalances
from groupsim.events import classic as c
from groupsim.events.group import CommitAccepted
from tests.incidents.imported import BROKER, C1, adding, import_logs, joined, of
from tests.incidents.lines import CLASS, stamped
from tests.incidents.offsets_topic.dumps import commit, generation, write_records

FOUNDED = {"c1-a": [0], "m2-b": [1]}


def _one_gone(second: float, folder: Path) -> Path:
    """A dump of two generations: c1-a is not in the second, at `second`."""
    return write_records(
        folder / "d.gz", {1: generation(1, 1, FOUNDED), second: generation(second, 2, {"m2-b": [0, 1]})}
    )


def test_a_partition_is_in_doubt_from_its_old_owner_s_last_commit_to_its_new_owner_s_first(tmp_path: Path) -> None:
    batches = {
        1: generation(1, 1, {"m1-a": [0, 1]}),
        2: commit(0),
        8: commit(1),
        10: generation(10, 2, {"m1-a": [0], "m2-b": [1]}),
        13: commit(1),
        14: commit(0),
    }
    dump = write_records(tmp_path / "d.gz", batches)
    result, facts = import_logs(dump)
    doubts = {
        (number, each["from_ms"], each["to_ms"])
        for each in result.run.summary["doubts"]  # type: ignore[attr-defined]
        for _, number in each["partitions"]
    }
    # time 0 is the join phase's end, 20 ms before the record; a single commit proves an instant
    assert doubts == {(0, 20, 9_000), (1, 20, 9_000), (0, 9_020, 13_020), (1, 9_020, 12_020)}
    assert [event.member for event in of(facts, CommitAccepted)] == ["m1-a", "m1-a", "m2-b", "m1-a"]


def test_a_generation_that_the_broker_s_log_has_is_not_said_twice_and_a_difference_is_named(tmp_path: Path) -> None:
    dump = write_records(tmp_path / "d.gz", {1: generation(1, 1, {"m1-a": [0, 1], "m2-b": [2]})})
    log = tmp_path / "broker.log"
    stabilized = f"{BROKER}Stabilized group billing generation 1 (__consumer_offsets-1) with 3 members"
    log.write_text(stamped(0.98, f"{stabilized} (kafka.coordinator.group.GroupCoordinator)") + "\n")
    result, facts = import_logs(dump, log)
    assert len(of(facts, c.JoinPhaseCompleted)) == 1
    assert [each for each in result.remarks if "generation 1 has 2 members here and 3 there" in each]


def test_a_client_s_log_decides_on_its_member_and_the_topic_on_the_others(tmp_path: Path) -> None:
    dump = write_records(tmp_path / "d.gz", {1: generation(1, 1, FOUNDED), 3: commit(1), 9: commit(1)})
    log = tmp_path / "c1.log"
    log.write_text("\n".join([*joined(0.9, 1, "c1-a"), adding(1.2, "orders-0")]) + "\n")
    result, _ = import_logs(dump, log)
    doubted = {
        number
        for each in result.run.summary["doubts"]  # type: ignore[attr-defined]
        for _, number in each["partitions"]
    }
    assert doubted == {1}
    assert any("1 member without a client log" in note for note in result.notes)


def test_a_member_that_left_in_a_long_join_phase_is_gone_when_it_left_and_the_rebalance_began_when_a_client_knew(
    tmp_path: Path,
) -> None:
    dump = _one_gone(20, tmp_path)
    log = tmp_path / "c1.log"
    heard = "Attempt to heartbeat failed since group is rebalancing"
    left = "Member c1-a sending LeaveGroup request to coordinator b1:9092 due to consumer poll timeout has expired."
    lines = [*joined(0.9, 1, "c1-a"), adding(1.2, "orders-0")]
    lines += [stamped(second, f"{C1}{said}{CLASS}") for second, said in ((12.003, heard), (18.003, left))]
    log.write_text("\n".join(lines) + "\n")
    _, facts = import_logs(dump, log)
    begun = [fact.at_ms for fact in facts if isinstance(fact.event, c.RebalanceStarted)]
    gone = [fact.at_ms for fact in facts if isinstance(fact.event, c.MemberRemoved)]
    assert [at - begun[0] for at in (*begun[1:], *gone)] == [11_103, 17_103]


def test_what_the_topic_does_not_say_of_a_member_s_end_is_unknown(tmp_path: Path) -> None:
    _, facts = import_logs(_one_gone(9, tmp_path))
    assert [(event.member, event.cause) for event in of(facts, c.MemberRemoved)] == [("c1-a", "unknown")]
    assert [event.cause for event in of(facts, c.RebalanceStarted)] == ["member-joined", "member-gone"]


def test_a_member_s_session_is_the_topic_s_also_where_the_leader_s_log_has_the_assignment(tmp_path: Path) -> None:
    dump = write_records(tmp_path / "d.gz", {1: generation(1, 1, FOUNDED)})
    log = tmp_path / "c1.log"
    computed = "Finished assignment for group at generation 1: {c1-a=Assignment(partitions=[orders-0]),"
    lines = [*joined(0.9, 1, "c1-a"), stamped(0.95, f"{C1}{computed} m2-b=Assignment(partitions=[orders-1])}}{CLASS}")]
    log.write_text("\n".join([*lines, adding(1.2, "orders-0")]) + "\n")
    for files in ([dump], [dump, log]):
        _, facts = import_logs(*files)
        added = {event.member: event.session_timeout_ms for event in of(facts, c.MemberAdded)}
        assert added == {"c1-a": 6_000, "m2-b": 6_000}


def test_lengths_of_the_topic_alone_are_lower_bounds_unless_a_log_shows_when_the_rebalance_began(
    tmp_path: Path,
) -> None:
    dump = _one_gone(9, tmp_path)
    log = tmp_path / "b.log"
    begun = "Preparing to rebalance group billing in state PreparingRebalance with old generation 1 (reason: r)"
    log.write_text(stamped(8.5, f"{BROKER}{begun} (kafka.coordinator.group.GroupCoordinator)") + "\n")
    for files, second in (([dump], (True, 20)), ([dump, log], (False, 500))):
        _, facts = import_logs(*files)
        assert [(each.at_least, each.duration_ms) for each in rebalances(facts)] == [(True, 20), second]
