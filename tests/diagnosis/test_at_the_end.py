"""Whether what happened is over when the lines end."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.finding import Diagnosis
from groupsim.diagnosis.to_json import as_json
from groupsim.diagnosis.to_text import as_text
from tests.diagnosis.small_logs import explained

_BROKER = "[2024-03-01 10:00:{at},000] INFO [GroupCoordinator 1]: {what} (kafka.coordinator.group.GroupCoordinator)"
_CLIENT = "2024-03-01 10:00:{at},000 INFO [Consumer clientId=c1, groupId=g] {what} (o.a.k.c.c.i.ConsumerCoordinator)"
_FAILED = "Member c1-6f9619ff-8b86-d011-b42d-00cf4fc964ff in group g has failed, removing it from the group"
_BEGINS = (
    "Preparing to rebalance group g in state PreparingRebalance with old generation 7 (__consumer_offsets-3) (reason:"
    " removing member c1-6f9619ff-8b86-d011-b42d-00cf4fc964ff on heartbeat expiration)"
)
_STABLE = "Stabilized group g generation 8 (__consumer_offsets-3) with 2 members"
_HAS_ALL = (
    "Assignment received from leader c2-1f9619ff-8b86-d011-b42d-00cf4fc964ff for group g for generation 8. The group"
    " has 2 members, 0 of which are static."
)
_EMPTY = "Group g with generation 8 is now empty (__consumer_offsets-3)"
_TOO_LATE = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the"
    " configured max.poll.interval.ms, which typically implies that the poll loop is spending too much time processing"
    " messages."
)
_LEAVES = (
    "Member c1-6f9619ff sending LeaveGroup request to coordinator b:9092 due to consumer poll timeout has expired."
)
_ASKS = "(Re-)joining group"
_GIVEN = "Adding newly assigned partitions: t-0, t-1"
_NOT_YET = "at the end of these lines c1 has not rejoined yet"
_OTHER = "Some other line of the program"


def _of(folder: Path, line: str, *whats: str) -> Diagnosis:
    lines = [line.format(at=f"{10 + 5 * nth}", what=what) for nth, what in enumerate(whats)]
    (group,) = explained(folder, *lines).groups
    return group


@pytest.mark.parametrize(
    ("whats", "said"),
    [
        ((_FAILED, _BEGINS), "at the end of these lines a rebalance goes on"),
        ((_FAILED, _BEGINS, _STABLE), None),
        ((_FAILED, _BEGINS, _STABLE, _HAS_ALL), "at the end of these lines the group is stable"),
        ((_FAILED, _BEGINS, _STABLE, _HAS_ALL, _OTHER), "for the last 5.0 s of these lines the group is stable"),
        ((_FAILED, _BEGINS, _EMPTY, _OTHER), "for the last 5.0 s of these lines the group has no member"),
        ((_FAILED, _BEGINS, _STABLE, _HAS_ALL, _FAILED), None),
    ],
)
def test_a_group_by_its_brokers_lines(tmp_path: Path, whats: tuple[str, ...], said: str | None) -> None:
    assert _of(tmp_path, _BROKER, *whats).at_end == said


@pytest.mark.parametrize(
    ("whats", "said"),
    [
        ((_GIVEN, _TOO_LATE, _LEAVES), "at the end of these lines c1 is out of the group"),
        ((_GIVEN, _TOO_LATE, _LEAVES, _ASKS, _ASKS), "for the last 5.0 s of these lines c1 is not back in the group"),
        ((_GIVEN, _TOO_LATE, _LEAVES, _ASKS, _GIVEN), "at the end of these lines c1 has its partitions"),
        ((_GIVEN, _TOO_LATE), None),
        ((_GIVEN, _TOO_LATE, _LEAVES, _ASKS, "Adding newly assigned partitions: "), None),
        ((_GIVEN, "Attempt to heartbeat failed since group is rebalancing"), _NOT_YET),
    ],
)
def test_a_client_whose_log_is_the_only_one(tmp_path: Path, whats: tuple[str, ...], said: str | None) -> None:
    assert _of(tmp_path, _CLIENT, *whats).at_end == said


def test_where_nothing_is_wrong_it_is_not_asked(tmp_path: Path) -> None:
    assert _of(tmp_path, _CLIENT, _ASKS, _GIVEN).at_end is None


def test_it_stands_below_the_answer_and_in_the_json(tmp_path: Path) -> None:
    lines = [_BROKER.format(at=10 + nth, what=what) for nth, what in enumerate((_FAILED, _BEGINS))]
    found = explained(tmp_path, *lines)
    said = "at the end of these lines a rebalance goes on"
    assert list(as_text(found))[1] == said
    assert as_json(found)["groups"][0]["at_end"] == said
