"""What the invariant of streams groups finds."""

from __future__ import annotations

import pytest

from groupsim.events import streams as facts
from groupsim.events.base import Event
from groupsim.events.consumer import MemberState, StaticMemberAway, StaticMemberReplaced
from groupsim.events.group import CommitAccepted
from groupsim.events.types import TopicPartition
from groupsim.invariants.streams_groups import StreamsTasks
from tests.invariants.watched import watch

T = TopicPartition("0", 1)


def member(name: str, process: str) -> Event:
    return facts.StreamsMemberUpdated(member=name, process=process)


def step(name: str, epoch: int, active: int = 0, standby: int = 0, pending: int = 0) -> Event:
    tasks = (("0", 1, epoch),)
    return facts.StreamsMemberReconciled(
        member=name,
        epoch=epoch,
        previous_epoch=0,
        state=MemberState.STABLE,
        active=tasks * active,
        standby=(T,) * standby,
        pending_active=tasks * pending,
    )


START: tuple[Event, ...] = (facts.StreamsGroupCreated(), member("a", "p"), member("b", "p"), member("c", "q"))


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ((step("a", 2, active=1), step("c", 2, standby=1)), []),
        ((step("a", 2, active=1), step("c", 2, active=1)), ["task 0-1 is active in c and in a"]),
        ((step("a", 2, pending=1), step("c", 2, active=1)), ["task 0-1 is active in c and in a"]),
        (
            (step("a", 2, active=1), step("b", 2, standby=1)),
            ["task 0-1 is given to b, and a of the same process has it"],
        ),
        ((step("a", 2, active=1), step("c", 2, standby=1), member("c", "p"), step("c", 3, standby=1)), []),
        ((step("a", 3), step("a", 2)), ["the epoch of a went back from 3 to 2"]),
        ((step("a", 3), StaticMemberReplaced(instance_id="i", old="a", member="d"), step("d", 2)), []),
        ((step("a", 2, pending=1), StaticMemberAway(member="a"), step("c", 2, active=1)), []),
        (
            (step("a", 2), CommitAccepted(member="a", generation=3, offsets=())),
            ["commit of a at epoch 3 was accepted, but the member is at 2"],
        ),
    ],
)
def test_a_task_has_one_owner_and_one_copy_in_a_process_and_epochs_grow(
    events: tuple[Event, ...], said: list[str]
) -> None:
    found = watch(StreamsTasks(), *((0, event) for event in (*START, *events)))
    assert [violation.sentence.removesuffix(" in billing") for violation in found] == said
