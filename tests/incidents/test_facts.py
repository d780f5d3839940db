"""Runs made of hand-written logs: incarnations, groups that only one side speaks of, what is said and not guessed."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.analysis.timelines.builder import rebalances
from groupsim.events import classic, client, world
from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import Wanted, read_files
from groupsim.incidents.logs.times import moment
from groupsim.storage.memory import MemoryStore
from tests.incidents.imported import BROKER, C1, adding, import_logs, joined, joined_keeping, of, parts, revoking
from tests.incidents.lines import CLASS, M1, M2, OLD, stamped, write


def test_a_run_of_a_broker_log_says_that_it_knows_no_partitions(tmp_path: Path) -> None:
    log = write(
        tmp_path,
        stamped(0, BROKER + "Stabilized group billing generation 4 (__consumer_offsets-7) " + OLD),
        stamped(0.05, BROKER + "Assignment received from leader for group billing for generation 4 " + OLD),
    )
    result, facts = import_logs(log)
    assert result.run.source == "recorded"
    assert result.run.origin == "2024-03-01T10:00:00.000Z"
    assert of(facts, classic.AssignmentStored) == [classic.AssignmentStored(generation=4)]
    assert of(facts, world.GroupDeclared) == [world.GroupDeclared(group="billing", protocol="classic", topics=())]
    assert any("which partitions were unavailable is unknown" in note for note in result.notes)


def test_given_topics_are_declared_for_the_only_group(tmp_path: Path) -> None:
    log = write(tmp_path, stamped(0, BROKER + "Group billing with generation 5 is now empty " + OLD))
    _, facts = import_logs(log, topics={"orders": 12})
    assert of(facts, world.TopicCreated) == [world.TopicCreated(topic="orders", partitions=12)]
    assert of(facts, world.GroupDeclared)[0].topics == ("orders",)


def test_offset_lines_without_a_client_belong_to_who_was_assigned_the_partition(tmp_path: Path) -> None:
    c2 = C1.replace("c1", "c2")
    offset = (
        "Setting offset for partition orders-1 to the committed offset FetchPosition{offset=42, x} (x.ConsumerUtils)"
    )
    log = write(tmp_path, adding(0, "orders-0"), adding(0.1, "orders-1", c=c2), stamped(0.2, offset))
    _, facts = import_logs(log)
    assert [(e.process, e.offsets) for e in of(facts, client.PositionReady)] == [
        ("c1.0", (("orders", 0, -1),)),
        ("c2.0", (("orders", 1, 42),)),
    ]


@pytest.mark.parametrize(("looked_ms", "ready_ms"), [(5_250, 5_250), (6_200, 2_500)])
def test_an_offset_that_is_looked_for_when_the_next_rebalance_is_over_was_not_known_before(
    tmp_path: Path, looked_ms: int, ready_ms: int
) -> None:
    """A Java consumer does not look for it while it joins again; what comes much later is of something else."""
    offset = (
        "Setting offset for partition orders-1 to the committed offset FetchPosition{offset=42, x} (x.ConsumerUtils)"
    )
    kept = [adding(1.3, "orders-0"), stamped(1.4, offset.replace("orders-1", "orders-0")), adding(2.4, "orders-1")]
    later = [
        *joined_keeping(2.5, 5)[:1],
        *joined_keeping(5, 5)[1:],
        stamped(5.22, C1 + "Adding newly assigned partitions: []" + CLASS),
    ]
    _, facts = import_logs(write(tmp_path, *joined_keeping(1, 4), *kept, *later, stamped(looked_ms / 1_000, offset)))
    begun = next(fact.at_ms for fact in facts if isinstance(fact.event, client.JoinSent))
    ready = [
        f.at_ms
        for f in facts
        if isinstance(f.event, client.PositionReady) and ("orders", 1) in {o[:2] for o in f.event.offsets}
    ]
    assert [at - begun + 1_000 for at in ready] == [ready_ms]


def test_partitions_given_up_before_any_were_assigned_were_held_from_before(tmp_path: Path) -> None:
    result, facts = import_logs(
        write(tmp_path, stamped(0, C1 + "Discovered group coordinator h" + CLASS), revoking(3, "orders-2"))
    )
    views = [(f.at_ms, f.event.partitions) for f in facts if isinstance(f.event, client.ViewChanged)]
    assert views == [(0, parts(2)), (3000, ())]
    assert any("before its log begins" in note for note in result.notes)


def closing(second: float) -> list[str]:
    leave = f"Member {M1} sending LeaveGroup request to coordinator h:1 (id: 7 rack: null) due to the consumer is being closed"
    return [stamped(second, C1 + leave + CLASS)]


def test_a_client_that_closed_and_joins_again_is_its_next_incarnation(tmp_path: Path) -> None:
    _, facts = import_logs(write(tmp_path, *joined(0, 4), *closing(2), *joined(5, 6, M2)))
    assert [e.process for e in of(facts, client.ProcessStarted)] == ["c1.0", "c1.1"]
    assert of(facts, client.Closed) == [client.Closed(process="c1.0")]


def test_a_leave_by_poll_timeout_is_no_end_of_the_process_and_keeps_its_view(tmp_path: Path) -> None:
    leave = f"Member {M1} sending LeaveGroup request to coordinator h:1 (id: 7 rack: null) due to consumer poll timeout has expired."
    _, facts = import_logs(
        write(
            tmp_path,
            *joined(0, 4),
            adding(1, "orders-0"),
            stamped(2, C1 + "consumer poll timeout has expired. This means the time between" + CLASS),
            stamped(2, C1 + leave + CLASS),
            stamped(
                2, C1 + "Resetting generation and member id due to: consumer pro-actively leaving the group" + CLASS
            ),
            stamped(2, C1 + "Request joining group due to: consumer pro-actively leaving the group" + CLASS),
            stamped(4, C1 + "Lost previously assigned partitions orders-0" + CLASS),
            *joined(4.1, 6),
        )
    )
    assert [e.process for e in of(facts, client.ProcessStarted)] == ["c1.0"]
    assert of(facts, client.Closed) == []
    assert of(facts, client.RejoinRequested) == []
    assert [(f.at_ms, f.event.partitions) for f in facts if isinstance(f.event, client.ViewChanged)] == [
        (1000, parts(0)),
        (4100, ()),
    ]


def test_two_processes_of_one_name_at_one_time_have_the_names_of_their_logs(tmp_path: Path) -> None:
    a, b = write(tmp_path, *joined(0, 4), name="a.log"), write(tmp_path, *joined(0.05, 4, M2), name="b.log")
    result, facts = import_logs(a, b)
    assert sorted(e.process for e in of(facts, client.ProcessStarted)) == ["c1@a.0", "c1@b.0"]
    assert any("have the client id c1 at the same time" in note for note in result.notes)


def test_a_group_without_a_broker_log_has_its_generations_from_its_clients(tmp_path: Path) -> None:
    plan = f"{{{M1}=Assignment(partitions=[orders-0]), {M2}=Assignment(partitions=[orders-1])}}"
    lines = joined(1, 4)
    lines.insert(2, stamped(1.15, C1 + f"Finished assignment for group at generation 4: {plan}" + CLASS))
    result, facts = import_logs(
        write(tmp_path, stamped(0, C1 + "Request joining group due to: group is already rebalancing" + CLASS), *lines)
    )
    assert [e.generation for e in of(facts, classic.RebalanceStarted)] == [3]
    (completed,) = of(facts, classic.JoinPhaseCompleted)
    assert (completed.generation, completed.members, completed.size) == (4, (M1, M2), 2)
    (stored,) = of(facts, classic.AssignmentStored)
    assert stored.assignment == {M1: parts(0), M2: parts(1)}
    assert any("inferred from the logs of its clients" in note for note in result.notes)


def test_the_leaders_log_fills_what_the_broker_does_not_print(tmp_path: Path) -> None:
    plan = f"{{{M1}=Assignment(partitions=[orders-0])}}"
    broker = write(
        tmp_path,
        stamped(0, BROKER + "Stabilized group billing generation 4 (__consumer_offsets-7) with 1 members " + OLD),
        stamped(
            1,
            BROKER
            + f"Assignment received from leader {M1} for group billing for generation 4. The group has 1 members, 0 of which are static. "
            + OLD,
        ),
        name="broker.log",
    )
    leader = write(tmp_path, stamped(0.5, C1 + f"Finished assignment for group at generation 4: {plan}" + CLASS))
    _, facts = import_logs(broker, leader)
    (stored,) = of(facts, classic.AssignmentStored)
    assert (stored.leader, stored.assignment) == (M1, {M1: parts(0)})


def test_a_member_that_was_never_let_in_is_added_where_it_is_first_named(tmp_path: Path) -> None:
    log = write(
        tmp_path, stamped(3, BROKER + f"Member {M1} in group billing has failed, removing it from the group " + OLD)
    )
    result, facts = import_logs(log)
    kinds = [type(f.event).__name__ for f in facts if f.stream == "group:billing"]
    assert kinds == ["MemberAdded", "MemberRemoved"]
    assert of(facts, classic.MemberRemoved)[0].cause == "session-expired"
    assert any("does not show when 1 member joined" in note for note in result.notes)


def test_a_member_known_by_its_end_alone_counts_in_the_generation_before_and_is_not_called_the_slowest(
    tmp_path: Path,
) -> None:
    """Brokers before 3.0 print neither who joins a running rebalance nor how many a generation has."""
    ids = [f"c{n}-{n}1111111-2222-3333-4444-555555555555" for n in range(3)]
    prepare = "Preparing to rebalance group billing in state PreparingRebalance with old generation {} (__consumer_offsets-7) (reason: {}) "
    log = write(
        tmp_path,
        stamped(1, BROKER + prepare.format(3, f"Adding new member {ids[0]} with group instance id None") + OLD),
        stamped(2, BROKER + "Stabilized group billing generation 4 (__consumer_offsets-7) " + OLD),
        stamped(2.1, BROKER + "Assignment received from leader for group billing for generation 4 " + OLD),
        stamped(9, BROKER + f"Member {ids[1]} in group billing has failed, removing it from the group " + OLD),
        stamped(9, BROKER + prepare.format(4, f"removing member {ids[1]} on heartbeat expiration") + OLD),
        stamped(9.1, BROKER + f"Member {ids[2]} in group billing has failed, removing it from the group " + OLD),
        stamped(9.2, BROKER + "Stabilized group billing generation 5 (__consumer_offsets-7) " + OLD),
    )
    _, facts = import_logs(log)
    assert [e.size for e in of(facts, classic.JoinPhaseCompleted)] == [3, 1]
    assert [row.slowest_member for row in rebalances(facts)] == [None, None]


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        (f"Adding new member {M1} with group instance id None", "member-joined"),
        (f"removing member {M1} on heartbeat expiration.", "session-expired"),
        (f"removing member {M1} on LeaveGroup", "member-left"),
        (f"explicit `LeaveGroup` request for ({M1}) members.", "member-left"),
        (f"Leader {M1} re-joining group during Stable; client reason: cached metadata has changed", "leader-rejoined"),
        (f"Updating metadata for member {M1} during Stable; client reason: not provided", "member-rejoined"),
        ("Removing Set(a, b) on pending sync request expiration", "sync-timeout"),
        ("nobody knows", "unknown"),
    ],
)
def test_a_rebalances_reason_becomes_one_word(tmp_path: Path, reason: str, cause: str) -> None:
    line = f"Preparing to rebalance group billing in state PreparingRebalance with old generation 3 (reason: {reason}) "
    _, facts = import_logs(write(tmp_path, stamped(0, BROKER + line + OLD)))
    (started,) = of(facts, classic.RebalanceStarted)
    assert (started.cause, started.reason, started.generation) == (cause, reason, 3)


def test_a_log_without_times_cannot_be_imported(tmp_path: Path) -> None:
    log = write(tmp_path, "[main] INFO x.Y - " + C1 + "(Re-)joining group")
    with pytest.raises(LogError, match="1 line about groups could be recognised, but none has a time"):
        import_logs(log)


def test_a_log_without_groups_cannot_be_imported(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="no line names a consumer group"):
        import_logs(write(tmp_path, "nothing here"))


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (
            Wanted(frozenset({"nosuch"})),
            r'no line or record is of the group "nosuch"; there are "g0" \(1 line\), "g1" \(1 line\)',
        ),
        (
            Wanted(frozenset({"G"})),
            r'of the group "G"; near names are "g0" \(1 line\), "g1" \(1 line\); nothing to import',
        ),
        (
            Wanted(since="2030-01-01T00:00:00.000Z"),
            r"none of the 2 lines about groups is in the period asked for \(--since 2030-01-01T00:00:00.000Z\): they are"
            " from 2024-03-01T10:00:00.000Z to 2024-03-01T10:00:01.000Z",
        ),
        (Wanted(until="1999"), r"none of the 2 lines about groups is in the period asked for \(--until 1999\)"),
    ],
)
def test_where_the_options_match_nothing_the_error_says_what_the_logs_have(
    tmp_path: Path, wanted: Wanted, said: str
) -> None:
    lines = [stamped(n, BROKER + f"Group g{n} with generation 5 is now empty " + OLD) for n in (0, 1)]
    reading = read_files([write(tmp_path, *lines)], wanted=wanted)
    with pytest.raises(LogError, match=said):
        import_run(reading, MemoryStore(), name=None, topics={})


def test_a_log_that_only_the_period_leaves_out_is_named(tmp_path: Path) -> None:
    for name, at in (("a.log", 0), ("b.log", 60)):
        line = stamped(at, BROKER + "Group g with generation 5 is now empty " + OLD)
        (tmp_path / name).write_text(line + "\n")
    reading = read_files([tmp_path / "a.log", tmp_path / "b.log"], wanted=Wanted(since="2024-03-01T10:00:30.000Z"))
    result = import_run(reading, MemoryStore(), name=None, topics={})
    (said,) = [note for note in result.remarks if "in the period" in note]
    assert said.startswith("1 log has no line about groups in the period asked for (--since 2024-03-01T10:00:30.000Z)")
    assert said.endswith("a.log (2024-03-01T10:00:00.000Z to 2024-03-01T10:00:00.000Z)")


def test_hostile_names_stay_what_they_are(tmp_path: Path) -> None:
    evil = "<script>'; DROP TABLE facts; -- %s {0}"
    log = write(tmp_path, stamped(0, BROKER + f"Group {evil} with generation 5 is now empty " + OLD))
    _, facts = import_logs(log)
    assert {f.stream for f in facts} == {"world", f"group:{evil}"}


def test_a_day_is_its_first_instant() -> None:
    assert moment("2024-03-01", "--since") == "2024-03-01T00:00:00.000Z"
    with pytest.raises(LogError, match="is no instant"):
        moment("2024-13-01", "--since")
