"""What wrote a line is kept: rows name the program, facts the library and the causes in one word each."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.types import LeaveCause, RejoinCause
from groupsim.incidents.facts.causes import new_subscription, rejoin_cause
from groupsim.incidents.logs.rows import Program
from tests.incidents.imported import BROKER, C1, import_logs, joined, of
from tests.incidents.lines import CLASS, CLIENT, M1, OLD, only, read, stamped, write

AT = "[2024-03-01 10:00:00,000] INFO "
GROUP = 'Group "billing"'


@pytest.mark.parametrize(
    ("line", "program"),
    [
        (AT + f"{BROKER}Stabilized group billing generation 4 {OLD}", Program.BROKER),
        (CLIENT + "(Re-)joining group" + CLASS, Program.JAVA),
        (
            f"%7|1709287200.000|HEARTBEAT|c1#consumer-1| [thrd:main]: {GROUP} changing coordinator 1 -> -1",
            Program.LIBRDKAFKA,
        ),
        (AT + "Heartbeat poll expired, leaving group", Program.KAFKA_PYTHON),
        (AT + f"Joined group 'billing' (generation 4) with member_id {M1}", Program.AIOKAFKA),
        (AT + "client/coordinator coordinator for consumergroup billing is #1 (a:9092)", Program.SARAMA),
        (AT + "joining group; group: billing", Program.FRANZ_GO),
    ],
)
def test_a_row_names_the_program_that_wrote_it(tmp_path: Path, line: str, program: Program) -> None:
    assert {row.program for row in read(tmp_path, line).rows} == {program}


def test_a_wording_of_several_libraries_names_none(tmp_path: Path) -> None:
    assert only(tmp_path, AT + "(Re-)joining group billing").program is None
    named = "2024-03-01 10:00:00,000 INFO org.apache.kafka.clients.consumer (Re-)joining group billing"
    assert only(tmp_path, named).program is Program.JAVA


def test_a_process_has_the_library_of_its_lines_and_rejoins_have_a_cause(tmp_path: Path) -> None:
    because = "Request joining group due to: "
    changed = "subscription has changed from [a] at the beginning of the rebalance to [b, a]"
    log = write(
        tmp_path,
        *joined(0, 4),
        stamped(1, C1 + because + changed + CLASS),
        stamped(2, C1 + because + "group is already rebalancing" + CLASS),
        stamped(3, C1 + because + "the weather" + CLASS),
    )
    _, facts = import_logs(log)
    assert [started.library for started in of(facts, p.ProcessStarted)] == ["java"]
    assert [(rejoin.cause, rejoin.topics) for rejoin in of(facts, p.RejoinRequested)] == [
        (RejoinCause.SUBSCRIPTION_CHANGED, ("a", "b")),
        (RejoinCause.GROUP_REBALANCING, None),
        (None, None),
    ]


def test_a_removal_and_a_rebalance_have_the_cause_that_the_client_gave(tmp_path: Path) -> None:
    leave = f"[Group billing] Dynamic member {M1} has left group through explicit `LeaveGroup` request"
    rebalance = "Preparing to rebalance group billing in state PreparingRebalance with old generation 4"
    client_reason = "client reason: need to revoke partitions [a-0] as indicated by the current assignment and re-join"
    log = write(
        tmp_path,
        stamped(0, f"{BROKER}{leave}; client reason: consumer poll timeout has expired. {OLD}"),
        stamped(
            1, f"{BROKER}{rebalance} (reason: Updating metadata for member {M1} during Stable; {client_reason}) {OLD}"
        ),
    )
    _, facts = import_logs(log)
    assert [removed.leave_cause for removed in of(facts, c.MemberRemoved)] == [LeaveCause.POLL_TIMEOUT]
    assert [started.client_cause for started in of(facts, c.RebalanceStarted)] == [RejoinCause.PARTITIONS_REVOKED]


def test_an_unknown_sentence_has_no_cause() -> None:
    assert rejoin_cause("the weather") is None
    assert new_subscription("group is already rebalancing") is None
