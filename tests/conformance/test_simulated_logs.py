"""Facts become the rows that the broker's log and the clients' logs would give."""

from __future__ import annotations

import pytest

from groupsim.conformance.timelines.observer import RunObserver
from groupsim.conformance.timelines.recorded_form import Libraries
from groupsim.conformance.timelines.simulated_logs import LEAVING, SimulatedBrokerLog, SimulatedClientLog
from groupsim.events import classic, client
from groupsim.events.base import Event, Recorded
from groupsim.events.types import TopicPartition
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA
from tests.conformance.runs import NAMES, played, recording

ORDERS = TopicPartition("orders", 3)
REPLACED = classic.MemberReplaced(instance_id="i", old="old", member="new", client_host="a.1")


def _rows(*facts: tuple[int, Event]) -> list[tuple[int, str, object]]:
    log = SimulatedBrokerLog()
    for at, fact in facts:
        log.observe(at, fact)
    log.finish()
    return [(row["t_ms"], row["kind"], row.get("state")) for row in log.rows]


def test_the_log_names_the_state_in_which_it_found_the_group() -> None:
    joined = classic.MemberAdded(member="a-1", client_host="a.0")
    assert _rows(
        (1, joined),
        (1, classic.RebalanceStarted(generation=0, cause="member-joined", reason="why")),
        (2, classic.MemberIdIssued(member="b-1", client_host="b.0")),
        (3, classic.JoinPhaseCompleted(generation=1, size=1, leader="a-1")),
        (4, classic.MemberIdIssued(member="c-1", client_host="c.0")),
        (5, classic.AssignmentStored(generation=1, assignment={"a-1": (ORDERS,)})),
        (6, classic.MemberAdded(member="b-1", client_host="b.0")),
    ) == [
        (1, "member_added", "Empty"),
        (1, "rebalance_started", "PreparingRebalance"),
        (2, "member_id_issued", "PreparingRebalance"),
        (3, "join_completed", None),
        (4, "member_id_issued", "CompletingRebalance"),
        (5, "assignment_received", None),
        (6, "member_added", "Stable"),
    ]


def test_a_static_member_that_returns_without_a_rebalance_has_a_row_of_its_own() -> None:
    begun = classic.RebalanceStarted(generation=1, cause="static-replaced", reason="why")
    kinds = [[kind for _, kind, _ in _rows((7, REPLACED), *more)] for more in ((), ((7, begun),), ((8, begun),))]
    assert kinds == [
        ["static_replaced", "static_no_rebalance"],
        ["static_replaced", "rebalance_started"],
        ["static_replaced", "static_no_rebalance", "rebalance_started"],
    ]


@pytest.mark.parametrize("name", [n for n in NAMES if n.startswith(("S08", "S13"))])
def test_broker_lines_of_statics_and_of_a_restarted_broker_are_as_many_as_recorded(name: str) -> None:
    kinds = ("static_added", "static_replaced", "static_no_rebalance", "group_unloaded", "group_loaded")
    ours, theirs = ([b["kind"] for b in run["broker"]] for run in (played(name, 0), recording(name)))
    assert [ours.count(kind) for kind in kinds] == [theirs.count(kind) for kind in kinds]
    assert any(kind in ours for kind in kinds)


@pytest.mark.parametrize(
    ("library", "logged"),
    [
        (JAVA, ["join_sent", "rejoin_requested", "join_sent", "join_ok", "leave_sent", "reset", "rejoin_requested"]),
        (KAFKA_PYTHON, ["join_sent", "join_sent"]),
        (LIBRDKAFKA, []),
    ],
)
def test_a_clients_log_has_the_lines_its_library_writes(library: str, logged: list[str]) -> None:
    log = SimulatedClientLog()
    log.libraries = Libraries(library)
    for event in (
        client.JoinSent(process="a.0", member="", owned=()),
        client.JoinSent(process="a.0", member="a-1", owned=()),
        client.JoinOk(process="a.0", member="a-1", generation=1, protocol="range", leader=True),
        client.LeaveSent(process="a.0", member="a-1", reason="the consumer is being closed"),
        client.Closed(process="a.0"),
    ):
        log.observe(5, event)
    assert [row["kind"] for row in log.rows] == logged
    assert [row["reason"] for row in log.rows if row["kind"] == "reset"] == [LEAVING] * (library == JAVA)


@pytest.mark.parametrize(
    ("library", "errors"),
    [
        (JAVA, ["RebalanceInProgressException", None, "CommitFailedException"]),
        (LIBRDKAFKA, ["KafkaException", "KafkaException"]),
        (KAFKA_PYTHON, ["CommitFailedError", "CommitFailedError"]),
    ],
)
def test_a_program_sees_its_own_refused_commits_as_its_library_raises_them(
    library: str, errors: list[str | None]
) -> None:
    facts = (
        client.CommitFailed(process="a.0", error="REBALANCE_IN_PROGRESS", local=True, offsets=(("orders", 3, 9),)),
        client.CommitFailed(process="a.0", error="UNKNOWN_MEMBER_ID", local=False, offsets=(("orders", 3, 9),)),
    )
    for auto_commit in (False, True):
        observed = RunObserver()
        observed.use(Libraries(library))
        observed.progress.auto_commit = auto_commit
        observed.fold(Recorded(run="r", seq=n, at_ms=n, stream="s", version=1, event=f) for n, f in enumerate(facts))
        assert [e.get("error") for e in observed.events] == ([] if auto_commit else errors)


def test_positions_of_revoked_partitions_stand_with_the_callback_that_revokes_them() -> None:
    observed = RunObserver()
    facts = (
        client.CallbackStart(process="a.0", kind="revoked", partitions=(ORDERS,), generation=2),
        client.CallbackEnd(process="a.0", kind="revoked"),
        client.PositionReached(process="a.0", offsets=(("orders", 3, 41), ("orders", 4, 7))),
    )
    observed.fold(Recorded(run="r", seq=n, at_ms=n, stream="s", version=1, event=f) for n, f in enumerate(facts))
    assert [e["next_offsets"] for e in observed.events if e["kind"] == "revoked"] == [[["orders", 3, 41]]]
