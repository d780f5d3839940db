"""One coordinator with groups of all kinds, and clients of all kinds that share its group ids.

After every command the facts lead to the state, records alone bring each group back, and no invariant is broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import simpy

from groupsim.coordinator.classic.commands import Heartbeat, Join, Leave, Leaving, Sync
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.commands import Commit, Load, Request, TopicDeleted, Unload
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import MACHINES, AnyGroup, absent, evolve
from groupsim.coordinator.modern.commands import ModernHeartbeatAnswer
from groupsim.coordinator.offsets import GroupOffsets
from groupsim.coordinator.outcome import Answer, Error, Reply
from groupsim.coordinator.share.commands import ShareHeartbeat
from groupsim.coordinator.streams.commands import InternalTopicsFailed, StreamsHeartbeat
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.base import Event, Recorded, group_stream
from groupsim.events.consumer import ConsumerGroupCreated
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupDeleted
from groupsim.events.streams import InternalTopic, Subtopology, Topology
from groupsim.events.types import Partitions, Protocol, Subscription, TopicPartition
from groupsim.invariants import Watch, all_invariants
from groupsim.simulation.group_host import GroupHost
from tests.coordinator import durable

TOPOLOGY = Topology(
    0,
    (Subtopology(id="0", sources=("a",), changelogs=(InternalTopic("log"),)), Subtopology(id="1", sources=("b",))),
)
INPUTS = ("a", "b")
SESSION_MS, REBALANCE_MS = 45_000, 60_000
KEPT = (ConsumerGroupCreated, GroupCreated, CoordinatorUnloaded, CoordinatorLoaded)
"""Without a record, but known: a coordinator knows what itself does, and records of first members stand for a group.

In the place of a forgotten group (`coordinator.consumer.forgotten_group`) a new one counts as written at once.
"""
NO_TASKS: dict[str, Any] = {"active": (), "standby": (), "warmup": ()}


class Cluster:
    """The coordinator on a real host, its clock, its topics. `log`: the facts of each group."""

    def __init__(self, groups: Sequence[str]) -> None:
        self.env = simpy.Environment()
        self.topics = Topics().with_topic(Topic("a", "a", 3)).with_topic(Topic("b", "b", 2))
        self.topics = self.topics.with_topic(Topic("log", "log", 3))
        self.configs = Configs()
        self.log: dict[str, list[Event]] = {group: [] for group in groups}
        self.offsets = {group: GroupOffsets() for group in groups}
        self.settings: dict[str, dict[str, Any]] = {group: {} for group in groups}
        self.watch = Watch(all_invariants())
        self.folded: dict[str, AnyGroup] = {group: absent(group, self.configs) for group in groups}
        self.written = dict(self.folded)
        self.durable = {group: durable.Known() for group in groups}
        self.waiting: dict[int, Client | None] = {}
        self.answers: dict[int, Answer] = {}
        self.facts = self.requests = 0
        self.host = self._new_host(self.folded)

    @property
    def now(self) -> int:
        return int(self.env.now)

    def _new_host(self, known: dict[str, AnyGroup]) -> GroupHost:
        found = dict(known)

        def record(group: str, events: Sequence[Event]) -> None:
            if self.host is host:
                self._record(group, events)
            else:
                assert not events, "a coordinator that gave its groups up writes nothing"

        host = GroupHost(
            self.env,
            record=record,
            answer=lambda group, reply, wrote: self._answered(reply),
            initial=lambda group: found[group],
            context=lambda group: Context(self.now, self.topics, self.settings[group], offsets=self.offsets[group]),
        )
        return host

    def _record(self, group: str, events: Sequence[Event]) -> None:
        for event in events:
            before = self.folded[group]
            self.folded[group] = after = evolve(before, event)
            self._write(group, before, after, event)
            self.offsets[group].apply(event)
            self.log[group].append(event)
            self.facts += 1
            stream = group_stream(group)
            self.watch.observe(Recorded("r", self.facts, self.now, stream, len(self.log[group]), event))

    def _write(self, group: str, before: AnyGroup, after: AnyGroup, event: Event) -> None:
        """A classic group keeps by itself what was written of it: that this is right, `durable` computes anew."""
        survives, remains = MACHINES[type(before)].survives(event), isinstance(before, ClassicGroup)
        if survives or remains or isinstance(event, KEPT):
            self.written[group] = evolve(self.written[group], event)
        if isinstance(after, ClassicGroup):
            if not remains:
                found = evolve(after, CoordinatorLoaded())
                assert isinstance(found, ClassicGroup)
                self.durable[group] = durable.loaded(found)
            elif isinstance(event, GroupDeleted):
                self.durable[group] = durable.Known()
            elif survives:
                self.durable[group].apply(event)

    def _answered(self, reply: Reply) -> None:
        assert reply.request in self.waiting, "a request is answered once"
        client = self.waiting.pop(reply.request)
        if client is None:
            self.answers[reply.request] = reply.answer
        elif client.awaits == reply.request:
            client.take(reply.answer)

    def send(self, group: str, command: Any, client: Client | None = None) -> Answer | None:
        """A request of a client, or of an administrator: then its answer."""
        self.waiting[command.request] = client
        self.host.handle(group, command)
        self.check(group)
        return self.answers.pop(command.request, None)

    def number(self) -> int:
        """The number of a next request."""
        self.requests += 1
        return self.requests

    def administer(self, group: str, kind: type[Request], **fields: Any) -> Answer | None:
        """A request of nobody in particular."""
        return self.send(group, kind(request=self.number(), **fields))

    def check(self, *groups: str) -> None:
        """What holds at any time."""
        for group in groups or self.folded:
            state = self.host.group(group)
            assert self.folded[group] == state, "facts lead to the state"
            loaded = CoordinatorLoaded()
            found = evolve(state, loaded)
            assert evolve(self.written[group], loaded) == found, "records bring the group back"
            if isinstance(found, ClassicGroup):
                assert durable.loaded(found) == self.durable[group], "and so they do a classic one"
                assert not durable.remnants(found)
        assert not any(self.watch.violations.values()), self.watch.violations

    def wait(self, ms: int) -> None:
        """Timers fire."""
        self.env.run(until=self.env.now + ms)
        self.check()

    def fail_over(self) -> None:
        """Another coordinator finds the records, and nothing else; who waits for an answer gets none any more."""
        for group in self.folded:
            self.host.handle(group, Unload())
        self.check()
        waiting, self.waiting = self.waiting, {}
        for client in waiting.values():
            if client is not None:
                client.lost()
        self.folded = dict(self.written)
        self.host = self._new_host(self.folded)
        for group in self.folded:
            self.host.handle(group, Load())
        self.check()

    def delete_topic(self, name: str) -> None:
        """Every group hears of it."""
        self.topics = self.topics.without(name)
        for group in self.folded:
            self.host.handle(group, TopicDeleted(topic=name))
        self.check()

    def make_topic(self, name: str, partitions: int) -> None:
        """A topic that was there grows, or shrinks by being made anew."""
        before = self.topics.by_name.get(name)
        if before is not None and before.partitions > partitions:
            self.delete_topic(name)
            before = None
        id = before.id if before is not None else f"{name}#{self.topics.version}"
        self.topics = self.topics.with_topic(Topic(id, name, partitions))

    def create_internal(self, group: str, topics: Sequence[InternalTopic], *, fails: bool) -> None:
        """What the answer to a member of a streams group asks of the broker."""
        for topic in topics:
            if fails or topic.name in self.topics.by_name:
                self.host.handle(group, InternalTopicsFailed(reasons=((topic.name, "no"),)))
            else:
                self.make_topic(topic.name, topic.partitions)
        self.check(group)

    def partitions(self) -> Partitions:
        """All partitions of the topics that everybody reads, by name."""
        return tuple(TopicPartition(t.name, n) for t in self.topics.named(INPUTS) for n in range(t.partitions))


class Client:
    """A client of any kind: what it was answered last. It sends nothing while it waits for an answer.

    `epoch` is that of its member, or its generation; 0: it has to join. `held`: what it was given; it says so once.
    """

    def __init__(self, cluster: Cluster, name: str, instance_id: str | None) -> None:
        self.cluster, self.name, self.instance_id = cluster, name, instance_id
        self.by_expression = int(name[1:]) % 4 == 1
        self.kind, self.group = "", ""
        self.begin("classic", "")

    def begin(self, kind: str, group: str) -> None:
        """It becomes a client of this kind, and forgets everything."""
        self.kind, self.group, self.member = kind, group, "" if kind == "classic" else self.name
        self.epoch, self.joined, self.awaits = 0, False, 0
        self.error, self.sent, self.said = Error.NONE, "", None
        self.held: Any = NO_TASKS if kind == "streams" else ()
        self.creates: tuple[InternalTopic, ...] = ()
        self.plan: tuple[tuple[str, Partitions], ...] = ()

    def lost(self) -> None:
        """No answer will come."""
        self.awaits = 0

    def send(self, command: Any, *, counts: bool = True) -> None:
        """`counts`: the answer is taken in."""
        if counts:
            self.awaits, self.sent = command.request, type(command).__name__
        self.cluster.send(self.group, command, self if counts else None)

    def proceed(self, **says: Any) -> None:
        """What a client that behaves does now."""
        if self.awaits:
            return
        match self.kind:
            case "classic":
                self._classic()
            case "consumer":
                names = {"topics": (), "expression": "[ab]"} if self.by_expression else {"topics": INPUTS}
                first: dict[str, Any] = {**names, "owned": (), "rebalance_timeout_ms": REBALANCE_MS}
                owned = {} if self.said == self.held else {"owned": self.held}
                self.beat(self.epoch, **(owned if self.joined else first), **says)
            case "share":
                first = {"topics": INPUTS}
                self.beat(self.epoch, **({} if self.joined else first), **says)
            case "streams":
                process = f"p{int(self.name[1:]) // 2}"
                first = {"topology": TOPOLOGY, "process": process, "rebalance_timeout_ms": REBALANCE_MS, "tags": ()}
                owned = {} if self.said == self.held and self.joined else self.held
                self.beat(self.epoch, **({} if self.joined else first), **owned, **says)

    def beat(self, epoch: int, *, counts: bool = True, **fields: Any) -> None:
        """A heartbeat with an epoch, of the client's own kind."""
        kinds: dict[str, Any] = {"consumer": ConsumerHeartbeat, "share": ShareHeartbeat, "streams": StreamsHeartbeat}
        static = {} if self.kind == "share" else {"instance_id": self.instance_id}
        sent: dict[str, Any] = static | {"member": self.name, "client_id": self.name} | fields
        self.send(kinds[self.kind](request=self.cluster.number(), epoch=epoch, **sent), counts=counts)

    def _classic(self) -> None:
        named: dict[str, Any] = {"member": self.member, "instance_id": self.instance_id}
        number = self.cluster.number()
        if self.joined and self.sent == "Join":
            self.send(Sync(request=number, generation=self.epoch, assignment=self.plan, version=4, **named))
        elif self.joined:
            self.send(Heartbeat(request=number, generation=self.epoch, **named))
        else:
            offer = Protocol("range", Subscription(topics=INPUTS, owned=self.held))
            new = f"{self.name}-{number}"
            times: dict[str, Any] = {"session_timeout_ms": SESSION_MS, "rebalance_timeout_ms": REBALANCE_MS}
            ids: dict[str, Any] = {"new_member": new, "new_uuid": new, "client_id": self.name}
            self.send(Join(request=number, protocols=(offer,), **named, **ids, **times))

    def leave(self, *, for_good: bool) -> None:
        """A classic static member can only leave for good."""
        self.awaits = 0
        if self.kind == "classic":
            gone = Leaving(self.member, self.instance_id)
            self.cluster.administer(self.group, Leave, members=(gone,))
        else:
            away = self.instance_id is not None and self.kind != "share" and not for_good
            self.beat(-2 if away else -1, counts=False)
        self.begin(self.kind, self.group)

    def commit(self, epoch: int) -> None:
        """An offset."""
        offsets = (("a", 0, self.cluster.facts),)
        self.cluster.administer(self.group, Commit, offsets=offsets, member=self.member, generation=epoch)

    def take(self, answer: Any) -> None:
        """Take an answer in."""
        self.awaits, self.error = 0, answer.error
        if isinstance(answer, ModernHeartbeatAnswer):
            self._take_modern(answer)
        else:
            self._take_classic(answer)

    def _take_modern(self, answer: Any) -> None:
        if answer.error is not Error.NONE:
            self.begin(self.kind, self.group)
            self.error = answer.error
            return
        self.epoch, self.joined, self.said = answer.epoch, True, self.held
        if self.kind == "streams":
            self.creates = answer.creates
            if answer.tasks is not None:
                self.held = {"active": answer.tasks.active, "standby": answer.tasks.standby, "warmup": ()}
        elif answer.assignment is not None:
            self.held = answer.assignment

    def _take_classic(self, answer: Any) -> None:
        if self.sent == "Join":
            self.joined = answer.error is Error.NONE
            if self.joined or answer.error is Error.MEMBER_ID_REQUIRED:
                self.member, self.epoch = answer.member, max(answer.generation, 0)
                ids = [listed.member for listed in answer.members if self.joined]
                dealt = [(id, self.cluster.partitions()[i :: len(ids)]) for i, id in enumerate(ids)]
                self.plan = tuple(dealt) if answer.leader == answer.member else ()
                return
        elif answer.error is Error.NONE:
            self.held = answer.assignment if self.sent == "Sync" else self.held
            self.sent = ""
            return
        self.joined = False  # it joins again, with its id if the group still knows it
        if answer.error is not Error.REBALANCE_IN_PROGRESS:
            self.member, self.held, self.epoch = "", (), 0


def kind_of(state: AnyGroup) -> str:
    """Which protocol a group speaks."""
    return "classic" if isinstance(state, ClassicGroup) else type(state).__name__.removesuffix("Group").lower()
