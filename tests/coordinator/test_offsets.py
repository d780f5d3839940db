"""Who may commit and read offsets in a consumer group; deletion of offsets and of groups of both protocols."""

from __future__ import annotations

from typing import Any

import pytest

from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.commands import Commit, DeleteGroup, DeleteOffsets, FetchOffsets, Load, Request, Unload
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, absent
from groupsim.coordinator.offsets import GroupOffsets
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.base import Event
from groupsim.events.consumer import ConsumerGroupCreated, ConsumerMemberUpdated, MemberReconciled, MemberState
from groupsim.events.group import CommitAccepted, GroupCreated, GroupDeleted, OffsetsDeleted
from groupsim.events.types import TopicPartition
from tests.coordinator.given import EMPTIED, PREPARING, STABLE, tps

TOPICS = Topics().with_topic(Topic("orders", "orders", 4)).with_topic(Topic("other", "other", 1))
MEMBER = (
    ConsumerGroupCreated(),
    ConsumerMemberUpdated(member="a", topics=("orders",), rebalance_timeout_ms=1000),
    MemberReconciled(
        member="a",
        epoch=5,
        previous_epoch=4,
        state=MemberState.UNREVOKED_PARTITIONS,
        assigned=(("orders", 0, 2), ("orders", 1, 4)),
        pending=(("orders", 2, 3),),
    ),
)
SIMPLE = (GroupCreated(), CommitAccepted(member="", generation=-1, offsets=(("orders", 0, 7),)))


def group(*facts: Event) -> tuple[State, GroupOffsets]:
    offsets = GroupOffsets()
    state: Any = absent("g", Configs())
    for fact in facts:
        state = MACHINES[type(state)].evolve(state, fact)
        offsets.apply(fact)
    return state, offsets


def ask(facts: tuple[Event, ...], command: Request) -> tuple[Any, tuple[Event, ...], State]:
    """The answer, the facts and the group after a command."""
    state, offsets = group(*facts)
    outcome = MACHINES[type(state)].decide(state, command.at(Context(topics=TOPICS, offsets=offsets)))
    return outcome.replies[0].answer, outcome.events, outcome.state


def commit(epoch: int, *numbers: int, member: str = "a", topic: str = "orders", **more: Any) -> Commit:
    return Commit(request=1, member=member, generation=epoch, offsets=tuple((topic, n, 9) for n in numbers), **more)


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (commit(5, 0, 3), "NONE"),
        (commit(5, 0, topic="other"), "NONE"),
        (commit(6, 0), "STALE_MEMBER_EPOCH"),
        (commit(2, 0), "NONE"),
        (commit(1, 0), "STALE_MEMBER_EPOCH"),
        (commit(3, 0, 2), "NONE"),
        (commit(3, 0, 1), "STALE_MEMBER_EPOCH"),
        (commit(4, 0, 1, 2), "NONE"),
        (commit(4, 0, 3), "STALE_MEMBER_EPOCH"),
        (commit(4, 0, topic="other"), "STALE_MEMBER_EPOCH"),
        (commit(-1, 0), "STALE_MEMBER_EPOCH"),
        (commit(5, 0, member="b"), "UNKNOWN_MEMBER_ID"),
        (commit(-1, 0, member=""), "UNKNOWN_MEMBER_ID"),
        (commit(5, 0, version=8), "UNSUPPORTED_VERSION"),
        (commit(5, 0, instance_id="anybody"), "NONE"),
        (commit(-1, 0, member="", transactional=True), "NONE"),
        (commit(-1, 0, member="", instance_id="i", transactional=True), "UNKNOWN_MEMBER_ID"),
        (commit(6, 0, transactional=True, version=5), "ILLEGAL_GENERATION"),
        (commit(6, 0, transactional=True, version=6), "STALE_MEMBER_EPOCH"),
    ],
)
def test_a_commit_needs_the_members_epoch_or_one_since_which_it_holds_every_partition(
    command: Commit, error: str
) -> None:
    answer, events, _ = ask(MEMBER, command)
    assert answer.error.name == error
    assert isinstance(events[-1], CommitAccepted) == (error == "NONE")


@pytest.mark.parametrize(
    ("member", "epoch", "error"),
    [
        ("a", 5, "NONE"),
        ("a", 4, "STALE_MEMBER_EPOCH"),
        ("b", 5, "UNKNOWN_MEMBER_ID"),
        (None, -1, "NONE"),
        (None, 0, "UNKNOWN_SERVER_ERROR"),
    ],
)
def test_offsets_are_read_at_the_members_epoch_only(member: str | None, epoch: int, error: str) -> None:
    committed = CommitAccepted(member="a", generation=5, offsets=(("orders", 1, 7),))
    opened = CommitAccepted(member="a", generation=5, offsets=(("orders", 2, 8),), transactional=True)
    answer, events, _ = ask(
        (*MEMBER, committed, opened),
        FetchOffsets(request=1, partitions=tps(0, 1, 2), member=member, epoch=epoch),
    )
    assert answer.error.name == error
    assert answer.offsets == ((("orders", 1, 7),) if error == "NONE" else ())
    assert events == ()


def test_offsets_of_subscribed_topics_stay_and_others_go() -> None:
    committed = CommitAccepted(member="a", generation=5, offsets=(("orders", 0, 7), ("other", 0, 7)))
    partitions = (*tps(0), TopicPartition("other", 0), TopicPartition("other", 1))
    answer, events, _ = ask((*MEMBER, committed), DeleteOffsets(request=1, partitions=partitions))
    results = [(topic, number, error.name) for topic, number, error in answer.partitions]
    assert results == [("orders", 0, "GROUP_SUBSCRIBED_TO_TOPIC"), ("other", 0, "NONE"), ("other", 1, "NONE")]
    assert [fact.partitions for fact in events if isinstance(fact, OffsetsDeleted)] == [(("other", 0),)]


@pytest.mark.parametrize(
    ("facts", "error"),
    [
        ((), "GROUP_ID_NOT_FOUND"),
        (MEMBER, "NON_EMPTY_GROUP"),
        (STABLE, "NON_EMPTY_GROUP"),
        (PREPARING, "NON_EMPTY_GROUP"),
        (EMPTIED, "NONE"),
        (SIMPLE, "NONE"),
        (MEMBER[:1], "NONE"),
    ],
)
def test_only_an_empty_group_is_deleted_and_it_is_gone_after_a_failover(facts: tuple[Event, ...], error: str) -> None:
    answer, events, state = ask(facts, DeleteGroup(request=1))
    assert answer.error.name == error
    assert (GroupDeleted() in events) == (error == "NONE")
    if error != "NONE":
        return
    assert state == absent("g", Configs())
    for command in (Unload(), Load()):
        state = MACHINES[type(state)].decide(state, command).state
    assert isinstance(state, ClassicGroup)
    assert not state.exists


def test_offsets_of_open_transactions_are_deleted_with_the_group() -> None:
    opened = CommitAccepted(member="", generation=-1, offsets=(("other", 0, 7),), transactional=True)
    _, events, _ = ask((*SIMPLE, opened), DeleteGroup(request=1))
    assert events == (OffsetsDeleted(partitions=(("orders", 0), ("other", 0))), GroupDeleted())  # type: ignore[arg-type]
    _, offsets = group(*SIMPLE, opened, *events)
    assert offsets.kept() == ()


@pytest.mark.parametrize(
    ("facts", "error"), [(STABLE, "GROUP_SUBSCRIBED_TO_TOPIC"), (EMPTIED, "NONE"), (SIMPLE, "NONE")]
)
def test_offsets_of_a_classic_group(facts: tuple[Event, ...], error: str) -> None:
    answer, _, _ = ask(facts, DeleteOffsets(request=1, partitions=tps(0)))
    assert [result.name for *_, result in answer.partitions] == [error]
