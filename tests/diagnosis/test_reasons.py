"""Reasons that librdkafka gives for a rebalance, where no other line says them: they are causes."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.explain import explain_reading
from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore
from tests.diagnosis.small_logs import explained

TIMED_OUT = (
    "with assignment: Consumer group session timed out (in join-state started) after 10499 ms without a successful"
    " response from the group coordinator (broker 2, last error was Success)"
)
TOO_LATE = "with 1 assigned partition(s): max.poll.interval.ms exceeded"


def log(folder: Path, why: str) -> Path:
    path = folder / "client.log"
    said = f'[thrd:main]: Group "g" is rebalancing (EAGER) in state up (join-state steady) {why}'
    path.write_text(f"%7|1592858379.286|REBALANCE|rdkafka#consumer-1| {said}\n")
    return path


@pytest.mark.parametrize(("why", "code"), [(TIMED_OUT, Code.SESSION_EXPIRED), (TOO_LATE, Code.POLL_TIMEOUT)])
def test_a_reason_alone_is_a_cause(tmp_path: Path, why: str, code: Code) -> None:
    explanation = explain_reading(read_files([log(tmp_path, why)]))
    assert explanation is not None
    first = explanation.groups[0].findings[0]
    assert (first.code, first.certainty, first.members) == (code, Certainty.SHOWN, ("rdkafka#consumer-1",))
    assert "restarts" not in str(first.confirm)  # its log is at hand, and it goes on


def test_why_nothing_can_be_imported_is_not_that_the_group_has_no_name(tmp_path: Path) -> None:
    with pytest.raises(LogError, match='1 line of the group "g" could be recognised, but none shows a member'):
        import_run(read_files([log(tmp_path, TIMED_OUT)]), MemoryStore(), name=None, topics={})


LEFT = "Timed out LeaveGroupRequest in flight (after 5982ms, timeout #0)"


def test_a_leave_without_an_answer_leaves_a_member_that_is_waited_for(tmp_path: Path) -> None:
    path = log(tmp_path, "with 1 assigned partition(s): unsubscribe")
    said = (
        f"%7|1592858383.286|REQTMOUT|rdkafka#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator/2: {LEFT}: behind\n"
    )
    path.write_text(path.read_text() + said)
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    (found,) = [each for each in explanation.groups[0].findings if each.code is Code.GHOST_MEMBERS]
    assert (found.certainty, found.members) == (Certainty.POSSIBLE, ("rdkafka#consumer-1",))


def test_a_leave_that_is_refused_because_the_member_is_gone_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "client.log"
    refused = "LeaveGroup request for group g failed with error: UnknownMemberIdError"
    path.write_text(
        "2024-03-01 10:00:00,250 INFO kafka.coordinator Discovered coordinator 1 for group g\n"
        f"2024-03-01 10:00:01,250 ERROR kafka.coordinator {refused}\n"
    )
    reading = read_files([path])
    assert [row.kind for row in reading.rows][-1:] == ["leave_failed"]
    explanation = explain_reading(reading)
    assert explanation is not None
    assert Code.GHOST_MEMBERS not in [each.code for each in explanation.groups[0].findings]


def test_sarama_of_2016_is_read_as_it_spelled(tmp_path: Path) -> None:
    line = "client/coordinator coordinator for consumergoup bills is #4 (kafka-4:9092)"
    assert explained(tmp_path, f"[sarama] 2016/05/02 10:00:00 {line}").groups[0].group == "bills"
