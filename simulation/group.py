"""A consumer group in a scenario's hands: let members join, wait until it is stable, ask who owns what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import simpy

from groupsim.coordinator.classic.state import Phase
from groupsim.coordinator.config import with_settings
from groupsim.events.base import WORLD_STREAM, Recorded, group_of
from groupsim.events.types import MemberId, Partitions
from groupsim.events.world import GroupDeclared
from groupsim.simulation.clients.config import (
    BOUNDS,
    CLIENTS,
    JAVA,
    PROTOCOL_MODES,
    STATIC,
    Application,
    ConsumerConfig,
)
from groupsim.simulation.clients.consumer import Settings
from groupsim.simulation.clients.member import State
from groupsim.simulation.clients.metadata import matching
from groupsim.simulation.clients.traits import TRAITS
from groupsim.simulation.errors import BadScenario, ScenarioFailed
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.topics import Topic

if TYPE_CHECKING:
    from groupsim.simulation.world import World


class GroupHandle:
    """One group. Members are named; a member that restarts keeps its name and gets a new incarnation."""

    def __init__(self, world: World, name: str, settings: Mapping[str, object]) -> None:
        self._world = world
        self.name = name
        self._chosen = "partition.assignment.strategy" in settings
        self.config = with_settings(ConsumerConfig(), settings, BOUNDS)
        self.members: list[MemberHandle] = []
        self._declared: tuple[str, ...] = ()
        self._waits: list[tuple[Callable[[], bool], simpy.Event]] = []
        self._looking = False
        world.log.watchers.append(self._watch)

    def join(
        self,
        *names: int | str,
        topics: Iterable[Topic] = (),
        spread: int = 0,
        static: bool = False,
        instance_id: str | None = None,
        pattern: str | None = None,
        client: str = JAVA,
        protocol_mode: str = STATIC,
        config: Mapping[str, object] | None = None,
        application: Application | None = None,
        after: int | None = 0,
    ) -> list[MemberHandle]:
        """Start members over `spread` ms: `join(12, …)` names them m1…m12, `join("alice", …)` as given.

        `static`: with their names as instance ids; `instance_id`: one member with another one. `pattern` subscribes to
        all topics it matches, instead of `topics`.
        `client`: `java`, `librdkafka` or `kafka-python`; `protocol_mode`: `static`, `dynamic` or `unsafe` (both:
        simulation.clients.config). `config` are Kafka settings of these members; those of the run win. `after`: so many
        ms from now; None: not before somebody calls start().
        """
        labels = self._labels(names)
        subscription = tuple(sorted(topic.name for topic in topics))
        if pattern is not None:
            subscription = matching(pattern, self._world.topics.counts())
        elif not subscription:
            raise BadScenario(f"group {self.name!r}: members need at least one topic")
        for what, value, known in (("client", client, CLIENTS), ("protocol_mode", protocol_mode, PROTOCOL_MODES)):
            if value not in known:
                raise BadScenario(f"{what} must be one of {', '.join(known)}, not {value!r}")
        self._declare(subscription)
        defaults = {} if self._chosen else TRAITS[client].defaults
        given = {**defaults, **(config or {}), **self._world.consumer_settings()}
        step = spread / max(len(labels) - 1, 1)
        joined = []
        for i, label in enumerate(labels):
            settings = Settings(
                group=self.name,
                topics=subscription,
                config=with_settings(self.config, given, BOUNDS),
                application=application or Application(),
                instance_id=instance_id or (label if static else None),
                pattern=pattern,
                client=client,
                protocol_mode=protocol_mode,
            )
            member = MemberHandle(self._world, label, settings)
            if after is not None:
                member.start(after_ms=after + round(i * step))
            joined.append(member)
        self.members += joined
        return joined

    def _labels(self, names: tuple[int | str, ...]) -> list[str]:
        labels: list[str] = []
        for name in names:
            if isinstance(name, int):
                first = len(self.members) + len(labels) + 1
                prefix = "m" if len(self._world.groups) == 1 else f"{self.name}-m"
                labels += [f"{prefix}{first + i}" for i in range(name)]
            else:
                labels.append(name)
        for label in labels:
            if label in self._world.labels or label in (self._world.broker.address, ""):
                raise BadScenario(f"group {self.name!r}: the name {label!r} is taken")
            self._world.labels.add(label)
        return labels

    def _declare(self, topics: tuple[str, ...]) -> None:
        declared = tuple(sorted({*self._declared, *topics}))
        if declared != self._declared:
            self._declared = declared
            fact = GroupDeclared(group=self.name, protocol="classic", topics=declared)
            self._world.record(WORLD_STREAM, [fact])

    def stable(self, members: int, within: int | None = None) -> simpy.Event:
        """Fires when the group has settled with so many members; after `within` ms the scenario fails instead."""
        event = self._world.env.event()
        self._waits.append((lambda: self.settled(members), event))
        self._look_soon()
        if within is not None:
            limit = self._world.env.timeout(within)
            limit.callbacks.append(lambda _: self._too_late(event, members, within))
        return event

    def settled(self, members: int) -> bool:
        """Stable by the books, and everybody holds exactly what the books say."""
        group = self._world.broker.group(self.name)
        if group.phase is not Phase.STABLE or len(group.members) != members:
            return False
        books = group.assignment
        consumers = [m.consumer for m in self.members if m.running and m.consumer.member.topics]
        known = {c.member.member_id for c in consumers}
        return known == set(books) and all(
            c.member.state is State.STABLE
            and not c.member.rejoin_needed
            and not c.member.in_callback
            and c.member.joining is None
            and c.view == books[c.member.member_id]
            and len(c.member.positions) == len(c.view)
            for c in consumers
        )

    def _too_late(self, event: simpy.Event, members: int, within: int) -> None:
        if not event.triggered:
            group = self._world.broker.group(self.name)
            event.fail(
                ScenarioFailed(
                    f"at {self._world.now:,} ms: group {self.name!r} was not stable with {members} members within "
                    f"{within:,} ms; it is {group.phase.value} with {len(group.members)}{self._fatal()}"
                )
            )

    def _fatal(self) -> str:
        """What consumers of the group ended with, if any did."""
        said = [f"{m.label} failed with {m.failed}" for m in self.members if m.failed]
        return "; " + ", ".join(said) if said else ""

    def _watch(self, fact: Recorded) -> None:
        if self._waits and group_of(fact.stream) == self.name:
            self._look_soon()

    def _look_soon(self) -> None:
        """Look once the present instant is over: several facts may belong together."""
        if not self._looking:
            self._looking = True
            self._world.env.timeout(0).callbacks.append(lambda _: self._look())

    def _look(self) -> None:
        self._looking = False
        still = []
        for holds, event in self._waits:
            if event.triggered:
                continue
            if holds():
                event.succeed()
            else:
                still.append((holds, event))
        self._waits = still

    def owners(self, topic: Topic) -> set[MemberHandle]:
        """Who is granted partitions of a topic by the coordinator's books."""
        books = self._world.broker.group(self.name).assignment
        return {m for m in self.members if _holds(books.get(m.member_id, ()), topic)}

    def granted(self, member: MemberId) -> Partitions:
        """What the books give to a member id."""
        return self._world.broker.group(self.name).assignment.get(member, ())

    @property
    def generation(self) -> int:
        """The group's generation."""
        return self._world.broker.group(self.name).generation


def _holds(partitions: Partitions, topic: Topic) -> bool:
    return any(p.topic == topic.name for p in partitions)
