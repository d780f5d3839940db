"""The owners of a consumer group's partitions are kept fact by fact; they are what members and targets say."""

from __future__ import annotations

import pytest

from groupsim.analysis.consumer_group_state import ConsumerGroupState
from groupsim.analysis.group_state import AnyGroupState
from groupsim.analysis.replay import fold
from groupsim.events.consumer import MemberReconciled, MemberState
from groupsim.events.types import Held, MemberId, TopicPartition
from groupsim.scenarios.dsl import World
from groupsim.simulation.clients.process import Script
from tests.adversary.compare import facts_of
from tests.simulation.finished_run import play


def owners(state: ConsumerGroupState) -> dict[TopicPartition, tuple[MemberId, ...]]:
    """By reading all members: those that may use a partition, then those that have to give it up."""
    found: dict[TopicPartition, tuple[MemberId, ...]] = {}
    for held in ("assigned", "pending"):
        for name in sorted(state.members):
            for partition in getattr(state.members[name], held):
                found[partition] = (*found.get(partition, ()), name)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_after_each_fact_owners_and_withheld_partitions_are_those_of_members_and_targets(seed: int) -> None:
    states: dict[str, AnyGroupState] = {}
    looked = 0
    before: dict[str, tuple[int, dict[TopicPartition, tuple[MemberId, ...]]]] = {}
    for fact in facts_of("consumer_swarm", seed):
        fold(states, fact)
        for name, state in states.items():
            if isinstance(state, ConsumerGroupState):
                looked += 1
                now = owners(state)
                assert state.owners == now, fact
                targeted = {p for partitions in state.targets.values() for p in partitions}
                assert state.withheld == targeted - now.keys(), fact
                same, last = before.get(name, (0, {}))
                if same == id(state) and last != now:
                    assert {tp for tp, _ in last.items() ^ now.items()} <= state.moved, fact
                before[name] = (id(state), now)
    assert looked > 100


def test_a_fact_about_one_member_costs_what_that_member_has() -> None:
    def script(world: World) -> Script:
        orders = world.topic("orders", partitions=60)
        group = world.group("billing", protocol="consumer")
        group.join(60, topics=[orders])
        yield group.stable(members=60)
        group.join(1, topics=[orders])
        yield group.stable(members=61)

    states: dict[str, AnyGroupState] = {}
    looked = facts = 0
    for fact in play(script, 30_000).log:
        fold(states, fact)
        state = states.get("billing")
        if isinstance(state, ConsumerGroupState) and fact.stream == "group:billing":
            facts += 1
            looked += len(state.moved)
    assert facts > 240
    assert looked < 6 * facts, (looked, facts)  # all partitions at each fact would be sixty for each


def test_a_step_of_a_member_looks_only_at_what_changes_hands() -> None:
    held = tuple(("orders", number, 1) for number in range(6))
    state = ConsumerGroupState()
    state.apply(step(epoch=1, assigned=held, pending=()))
    assert len(state.moved) == 6
    state.apply(step(epoch=1, assigned=held[:4], pending=held[4:]))
    assert state.moved == {TopicPartition("orders", 4), TopicPartition("orders", 5)}
    state.apply(step(epoch=2, assigned=held[:4], pending=()))
    assert state.moved == {TopicPartition("orders", 4), TopicPartition("orders", 5)}
    state.apply(step(epoch=3, assigned=held[:4], pending=()))
    assert state.moved == set()


def step(epoch: int, assigned: Held, pending: Held) -> MemberReconciled:
    return MemberReconciled(
        member="m", epoch=epoch, previous_epoch=epoch, state=MemberState.STABLE, assigned=assigned, pending=pending
    )
