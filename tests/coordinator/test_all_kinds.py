"""A swarm over one coordinator whose group ids are used by clients of all kinds, with failovers."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.commands import Commit, DeleteGroup, DeleteOffsets, FetchOffsets
from groupsim.coordinator.share.commands import AlterShareOffsets, DeleteShareOffsets, DescribeShareOffsets
from groupsim.coordinator.share.state import ShareGroup
from groupsim.events.types import TopicPartition
from tests.coordinator.all_kinds import TOPOLOGY, Client, Cluster, kind_of
from tests.thinned import examples

KINDS = ("classic", "consumer", "streams", "share")
GROUPS = ("g0", "g1", "g2", "g3", "g4", "offsets")
"""Most clients of a group are of one kind, which is that of its number; of `offsets` there is no member."""
PARTITIONS = (TopicPartition("a", 0), TopicPartition("b", 7))
QUIET_MS = 4_000
ACTIONS = {
    "proceed": 60,
    "wait": 12,
    "wrong": 8,
    "commit": 4,
    "leave": 3,
    "lose": 2,
    "turn": 2,
    "administer": 4,
    "shut down": 1,
    "standbys": 2,
    "topics": 3,
    "sleep": 1,
    "fail over": 1,
}


class Swarm:
    """Twelve clients, some of which are static, and what is drawn for them."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.cluster = Cluster(GROUPS)
        self.clients = [Client(self.cluster, f"m{i}", f"i{i}" if i % 3 == 0 else None) for i in range(12)]
        for client in self.clients:
            self.turn(client)

    def turn(self, client: Client) -> None:
        """The client stops without a word, and is one of another kind or group."""
        number = self.draw.randrange(len(GROUPS) - 1)
        kind = KINDS[number % 4] if self.draw.random() < 0.8 else self.draw.choice(KINDS)
        client.begin(kind, GROUPS[number])

    def run(self, steps: int) -> None:
        actions, weights = list(ACTIONS), list(ACTIONS.values())
        for _ in range(steps):
            client = self.draw.choice(self.clients)
            self.act(client, self.draw.choices(actions, weights)[0])

    def act(self, client: Client, action: str) -> None:
        cluster, draw = self.cluster, self.draw
        match action:
            case "proceed":
                client.proceed()
                self.make_internal(client)
            case "wait" | "sleep":
                cluster.wait(draw.choice((50, 1_000, 5_000)) if action == "wait" else 50_000)
            case "wrong":
                self.wrong(client)
            case "commit":
                client.commit(client.epoch + draw.choice((0, 0, 0, -1, 1)))
            case "leave":
                client.leave(for_good=draw.random() < 0.5)
            case "lose":  # it says everything again, as after an answer that was lost
                client.begin(client.kind, client.group)
            case "turn":
                self.turn(client)
            case "administer":
                self.administer(draw.choice(GROUPS))
            case "topics":
                self.change_topics()
            case "shut down":
                client.proceed(**({"shutdown": True} if client.kind == "streams" else {}))
            case "standbys":
                cluster.settings[client.group] = {"streams.num.standby.replicas": draw.randrange(3)}
            case "fail over":
                cluster.fail_over()

    def make_internal(self, client: Client) -> None:
        if client.creates and self.draw.random() < 0.5:
            self.cluster.create_internal(client.group, client.creates, fails=self.draw.random() < 0.3)
        client.creates = ()

    def wrong(self, client: Client) -> None:
        """A request that no client should send. Its answer is not taken in."""
        if client.kind == "classic":
            client.commit(99)
            return
        other = self.draw.choice(self.clients).name
        choices: tuple[tuple[int, dict[str, Any]], ...] = (
            (client.epoch - 1, {}),
            (client.epoch + 1, {}),
            (-3, {}),
            (client.epoch, {"member": ""}),
            (client.epoch, {"member": other}),
            (0, {}),
            (client.epoch, {} if client.kind == "share" else {"instance_id": f"i{other[1:]}"}),
            (0 if client.epoch else 5, {"topology": TOPOLOGY} if client.kind == "streams" else {}),
            (client.epoch, {"active": (TopicPartition("9", 9),)} if client.kind == "streams" else {}),
        )
        epoch, fields = self.draw.choice(choices)
        client.beat(epoch, counts=False, **fields)

    def administer(self, group: str) -> None:
        ask, draw = self.cluster.administer, self.draw
        match draw.randrange(8):
            case 0 | 1:
                ask(group, DeleteGroup)
            case 2:
                ask(group, DeleteOffsets, partitions=PARTITIONS)
            case 3:
                ask(group, FetchOffsets, partitions=PARTITIONS)
            case 4:
                ask(group, AlterShareOffsets, offsets=(("a", 0, 7), ("b", 99, 7), ("nowhere", 0, 7)))
            case 5:
                ask(group, DeleteShareOffsets, topics=("a", "nowhere"))
            case 6:
                ask(group, DescribeShareOffsets)
            case _:
                ask(draw.choice(("offsets", group)), Commit, offsets=(("a", 0, 1), ("b", 0, 2)))

    def change_topics(self) -> None:
        name = self.draw.choice(("a", "b", "log"))
        topic = self.cluster.topics.by_name.get(name)
        if topic is not None and self.draw.random() < 0.4:
            self.cluster.delete_topic(name)
        elif topic is None or topic.partitions < 9:
            self.cluster.make_topic(name, topic.partitions + 1 if topic else self.draw.randint(1, 4))

    def heal(self) -> None:
        """Topics are there. In each group one kind of client stays; who is not let in tries until it is."""
        cluster = self.cluster
        for name in ("a", "b"):
            if name not in cluster.topics.by_name:
                cluster.make_topic(name, 2)
        cluster.make_topic("log", cluster.topics.by_name["a"].partitions)
        cluster.wait(2 * 60_000)  # whoever a client was before is gone
        for client in self.clients:
            client.begin(kind_of(cluster.host.group(client.group)), client.group)
            client.plan = ()
        for _ in range(30):
            self.round()

    def round(self) -> None:
        for client in self.clients:
            client.proceed()
            self.make_internal(client)
        self.cluster.wait(QUIET_MS)

    def settled(self, group: str) -> None:
        """Everybody is a member, knows what it has, and all there is has one owner."""
        clients = [client for client in self.clients if client.group == group]
        if not clients:
            return
        state = self.cluster.host.group(group)
        assert all(client.joined for client in clients), [(c.name, c.kind, c.error) for c in clients]
        assert {client.member for client in clients} == set(state.members)
        assert state.phase.value == "Stable"
        if not isinstance(state, ClassicGroup):
            assert {client.epoch for client in clients} == {state.epoch}
        names = {part.id: part.sources[0] for part in TOPOLOGY.subtopologies}
        held = [tp for c in clients for tp in (c.held["active"] if c.kind == "streams" else c.held)]
        owned = Counter((names.get(topic, topic.partition("#")[0]), number) for topic, number in held)
        wanted = Counter(tuple(partition) for partition in self.cluster.partitions())
        if isinstance(state, ShareGroup):
            owned = Counter(set(owned))
        assert owned == wanted


@pytest.mark.parametrize("seed", range(examples(6, 1000)))
def test_no_invariant_is_broken_and_who_stays_is_stable_at_last(seed: int) -> None:
    swarm = Swarm(seed)
    swarm.run(150)
    swarm.heal()
    for group in GROUPS:
        swarm.settled(group)
    written = {group: len(swarm.cluster.log[group]) for group in GROUPS}
    for _ in range(20):
        swarm.round()
    for group, before in written.items():
        later = {type(event).__name__ for event in swarm.cluster.log[group][before:]}
        assert all(name.endswith("HeartbeatReceived") for name in later), "nothing happens in peace"
    swarm.cluster.wait(10 * 60_000)
    assert not any(swarm.cluster.host.group(group).members for group in GROUPS), "nobody stays for ever"
    assert not any(client.awaits for client in swarm.clients), "nobody waits for ever"
