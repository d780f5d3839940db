"""Racks of members and of replicas: which assignors look at them (KIP-881), and which do not (KIP-848)."""

from __future__ import annotations

import pytest

from groupsim.events import consumer as k
from groupsim.events.client import ProcessStarted
from groupsim.scenarios.dsl import World, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from tests.simulation.finished_run import FinishedRun, play

RACKS = [["a"], ["b"], ["c"]]
QUICK = {"heartbeat.interval.ms": 1_000, "session.timeout.ms": 10_000}


def given(owned: dict[str, list[int]], **options: object) -> FinishedRun:
    """A run of three members in three racks; what each gets goes to `owned`."""
    protocol = str(options.pop("protocol", "classic"))
    assignor = str(options.pop("assignor", "range"))

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=6, racks=RACKS)
        group = world.group(
            "billing", protocol=protocol, assignor=assignor, config={} if protocol != "classic" else QUICK
        )
        members = [
            group.join(f"in-{rack}", topics=[orders], config={"client.rack": rack}, **options)[0]  # type: ignore[arg-type]
            for rack in ("a", "b", "c")
        ]
        yield group.stable(members=3, within=seconds(60))
        for member in members:
            owned[member.label] = sorted(partition.partition for partition in group.granted(member.member_id))

    return play(story, 90_000)


NEAR = {"in-a": [0, 3], "in-b": [1, 4], "in-c": [2, 5]}


@pytest.mark.parametrize("client", ["java", "librdkafka"])
@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky"])
def test_classic_assignors_give_members_what_is_near(client: str, assignor: str) -> None:
    owned: dict[str, list[int]] = {}
    given(owned, client=client, assignor=assignor)
    assert owned == NEAR


def test_a_library_that_sends_no_rack_gets_ranges() -> None:
    owned: dict[str, list[int]] = {}
    given(owned, client="kafka-python")
    assert sorted(owned.values()) == [[0, 1], [2, 3], [4, 5]]


def test_the_broker_knows_the_racks_of_members_and_its_range_does_not_look_at_them() -> None:
    owned: dict[str, list[int]] = {}
    run = given(owned, protocol="consumer", assignor="range")
    assert sorted(owned.values()) == [[0, 1], [2, 3], [4, 5]]
    assert {event.rack for _, event in run.each(k.ConsumerMemberUpdated)} == {"a", "b", "c"}


def test_racks_are_part_of_what_starts_a_rebalance() -> None:
    nowhere, apart, together = (hash_of_topics(racks) for racks in ([], RACKS, [["a", "b"]]))
    assert len({nowhere, apart, together}) == 3


def hash_of_topics(racks: list[list[str]]) -> int:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=6, racks=racks)
        group = world.group("billing", protocol="consumer")
        group.join(1, topics=[orders])
        yield group.stable(members=1, within=seconds(30))

    return play(story, 40_000).each(k.GroupEpochBumped)[-1][1].metadata_hash


def test_a_member_that_moves_to_another_rack_gets_what_is_near_there() -> None:
    owned: list[int] = []

    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=6, racks=RACKS)
        group = world.group("billing", assignor="range", config=QUICK)
        _, second, third = (
            group.join(name, topics=[orders], config={"client.rack": name})[0] for name in ("a", "b", "c")
        )
        yield group.stable(members=3, within=seconds(60))
        third.close()
        yield group.stable(members=2, within=seconds(60))
        second.configure({"client.rack": "c"})
        yield second.restart(downtime=seconds(1))
        yield group.stable(members=2, within=seconds(60))
        owned.extend(sorted(partition.partition for partition in group.granted(second.member_id)))

    run = play(story, 150_000)
    assert {2, 5} <= set(owned)
    printed = [event.config.get("client.rack") for _, event in run.each(ProcessStarted)]
    assert printed == ["a", "b", "c", "c"]


def test_added_partitions_lie_in_the_same_racks_again() -> None:
    def story(world: World) -> Script:
        orders = world.topic("orders", partitions=2, racks=RACKS)
        world.add_partitions(orders, 5)
        world.check(orders.replica_racks() == (("a",), ("b",), ("c",), ("a",), ("b",)), "racks go round")
        yield world.sleep(1)

    play(story, 1_000)


@pytest.mark.parametrize("racks", ["ab", [[]], ["a"], [[1]], {"a": 1}])
def test_racks_that_are_none_are_refused_with_the_name_of_the_topic(racks: object) -> None:
    def story(world: World) -> Script:
        with pytest.raises(BadScenario, match="topic 'orders'"):
            world.topic("orders", partitions=2, racks=racks)  # type: ignore[arg-type]
        yield world.sleep(1)

    play(story, 1_000)
