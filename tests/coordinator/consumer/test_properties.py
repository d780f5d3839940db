"""What holds of every consumer group, whatever its clients do and whatever happens to them."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import example, given, settings

from groupsim.coordinator.modern.state import Phase
from groupsim.events.types import TopicPartition
from tests.coordinator.consumer.clients import STEPS, Crowd

Steps = list[tuple[int, str]]
FEW = settings(max_examples=25, deadline=None)


def run(steps: Steps) -> Iterator[Crowd]:
    """The crowd after each step."""
    crowd = Crowd()
    for slot, action in steps:
        crowd.do(slot, action)
        yield crowd


@FEW
@given(STEPS)
def test_no_partition_is_recorded_for_two_members(steps: Steps) -> None:
    for crowd in run(steps):
        held = [p for member in crowd.members.values() for p in (*member.assigned, *member.pending)]
        assert len(held) == len(set(held))
        assert all(p in crowd.group.owners for p in held)
        for client in crowd.clients:
            member = crowd.members.get(client.id)
            if client.joined and member is not None and member.epoch >= client.epoch > 0:
                assert client.uses <= {*member.assigned, *member.pending}


@FEW
@given(STEPS)
def test_epochs_never_go_back(steps: Steps) -> None:
    before: dict[str, int] = {}
    epochs = (0, 0)
    for crowd in run(steps):
        assert (crowd.group.epoch, crowd.group.target_epoch) >= epochs
        assert crowd.group.target_epoch >= epochs[1]
        assert crowd.group.target_epoch <= crowd.group.epoch
        epochs = (crowd.group.epoch, crowd.group.target_epoch)
        now = {member.id: member.epoch for member in crowd.members.values() if member.epoch > 0}
        assert all(epoch >= before.get(member, 0) for member, epoch in now.items())
        before |= now


@FEW
@given(STEPS)
@example([(2, "join"), (2, "subscribe"), (2, "subscribe"), (2, "subscribe"), (2, "join")])
def test_a_group_that_heals_reaches_its_target(steps: Steps) -> None:
    """A member that came without topics changes no subscription, so no target is computed that names it."""
    *_, crowd = run(steps)
    crowd.heal()
    assert crowd.group.phase is Phase.STABLE
    targets = {member.id: crowd.group.targets.get(member.id, ()) for member in crowd.members.values()}
    assert crowd.group.targets.keys() <= targets.keys()
    assert {m: tuple(sorted(member.assigned)) for m, member in crowd.members.items()} == targets
    assert all(client.uses == set(targets[client.id]) for client in crowd.clients)
    assert {m for m, member in crowd.members.items() if member.topics} <= crowd.group.targets.keys()


@FEW
@given(STEPS)
def test_a_removed_member_commits_nothing_at_the_epochs_it_had(steps: Steps) -> None:
    fenced: dict[str, int] = {}
    held: dict[str, int] = {}
    for crowd in run(steps):
        for member in ("m0", "m1"):
            now = crowd.members[member].epoch if member in crowd.members else -1
            if member in held and now < held[member]:
                fenced[member] = held.pop(member)
            if now > 0:
                held[member] = now
        for member, epoch in fenced.items():
            for partition in (TopicPartition("a", 0), TopicPartition("b", 0)):
                assert not crowd.members or not crowd.commits(member, epoch, partition)


@FEW
@given(STEPS)
def test_a_coordinator_that_takes_over_knows_what_the_records_say(steps: Steps) -> None:
    for crowd in run(steps):
        by_records, goes_on = crowd.restarted()
        assert by_records == goes_on
