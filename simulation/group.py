"""GroupHandle: how a scenario controls one group: members join, wait until it is stable, ask who owns what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import simpy

from groupsim.coordinator.classic.state import Phase
from groupsim.coordinator.config import BadSetting, with_settings
from groupsim.coordinator.modern.state import Phase as ConsumerPhase
from groupsim.events.base import WORLD_STREAM, Recorded, group_of
from groupsim.events.types import MemberId, Partitions
from groupsim.events.world import GroupDeclared
from groupsim.simulation import checks
from groupsim.simulation.clients.client_process import ClientSettings, checked
from groupsim.simulation.clients.config import (
    BOUNDS,
    CLASSIC,
    STREAMS,
    Application,
    ConsumerConfig,
    Library,
    ProtocolMode,
    check_protocol,
)
from groupsim.simulation.clients.connect.cluster import ConnectCluster
from groupsim.simulation.clients.metadata import matching
from groupsim.simulation.clients.streams.application import StreamsApplication
from groupsim.simulation.clients.streams.config import consumer_defaults
from groupsim.simulation.clients.traits import TRAITS
from groupsim.simulation.coalesced import OnceAnInstant
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario, ScenarioFailed, one_of
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.settings import client_of, load_of
from groupsim.simulation.topics import Topic

MOST_MEMBERS = 100_000
STABLE = (Phase.STABLE, ConsumerPhase.STABLE)


class GroupHandle:
    """One group. Members are named; a member that restarts keeps its name and gets a new incarnation."""

    def __init__(
        self,
        context: ConsumerContext,
        name: str,
        settings: Mapping[str, object],
        streams: StreamsApplication | None = None,
        connect: ConnectCluster | None = None,
    ) -> None:
        """`streams`: the application of Kafka Streams whose instances are its members.

        `connect`: the cluster whose workers are its members, if it is one of Kafka Connect.
        """
        self._context = context
        self._streams = streams
        self._connect = connect
        self.name = name
        self.as_recorded = False
        """Whether a record says which assignors its members offer, whatever their library is known to have."""
        self._chosen = frozenset(settings)
        self.config = self._configured(settings)
        self.members: list[MemberHandle] = []
        self._declared: tuple[str, ...] = ()
        self._grows_old = False
        self._waits: list[tuple[Callable[[], bool], simpy.Event]] = []
        self._look_soon = OnceAnInstant(context.env, self._look)
        context.watch(self._watch)

    def _configured(self, given: Mapping[str, object], usual: ConsumerConfig | None = None) -> ConsumerConfig:
        """The settings of its consumers. Raises BadSetting for what they do not take."""
        if self._streams is None:
            config = with_settings(usual or ConsumerConfig(), given, BOUNDS)
        else:
            protocol = self._streams.protocol
            config = replace(
                with_settings(usual or consumer_defaults(protocol), given, BOUNDS), group_protocol=protocol
            )
            if protocol == CLASSIC and "partition.assignment.strategy" in given:
                raise BadSetting(
                    "partition.assignment.strategy cannot be set: Kafka Streams has an assignor of its own"
                )
        check_protocol(config, given)
        return config

    def join(
        self,
        *names: int | str,
        topics: Iterable[Topic] = (),
        spread: int = 0,
        static: bool = False,
        instance_id: str | None = None,
        pattern: str | None = None,
        client: str | None = None,
        release: str | None = None,
        protocol_mode: str = ProtocolMode.STATIC,
        config: Mapping[str, object] | None = None,
        application: Application | None = None,
        after: int | None = 0,
    ) -> list[MemberHandle]:
        """Start members over `spread` ms: `join(12, …)` names them m1…m12, `join("alice", …)` as given.

        `static`: with their names as instance ids; `instance_id`: one member with another one. `pattern` subscribes to
        all topics it matches, instead of `topics`.
        `client`: a library of `clients.config.Library`, by default the run's, or Java's; `release`: an older one of it
        (`4.0`), where that differs (simulation.clients.traits.RELEASES); `protocol_mode`: `static`, `dynamic` or
        `unsafe` (simulation.clients.config). `config` are Kafka settings of these members; those of the run win.
        `after`: so many ms from now; None: not before somebody calls start().
        """
        spread = checks.ms(spread, f"group {self.name!r}: spread")
        after = None if after is None else checks.ms(after, f"group {self.name!r}: after")
        labels = self._labels(names)
        library = self._library(client)
        subscription = self._subscription(tuple(topics), pattern, library, static=static or instance_id is not None)
        mode = one_of(ProtocolMode, "protocol_mode", protocol_mode)
        self._declare(subscription)
        usual = TRAITS[library].defaults if self.config.group_protocol == CLASSIC and self._streams is None else {}
        defaults = {name: value for name, value in usual.items() if name not in self._chosen}
        given = {**defaults, **(config or {}), **self._context.consumer_settings()}
        step = spread / max(len(labels) - 1, 1)
        joined = []
        for i, label in enumerate(labels):
            consumer = self._configured(given, self.config)
            settings = ClientSettings(
                group=self.name,
                topics=subscription,
                config=consumer,
                application=self._loaded(application or Application()),
                instance_id=instance_id or (label if static else None),
                pattern=pattern,
                library=library,
                protocol_mode=mode,
                release=release,
                streams=self._streams,
                connect=self._connect,
                as_recorded=self.as_recorded,
            )
            member = MemberHandle(self._context, label, checked(settings))
            if after is not None:
                member.start(after_ms=after + round(i * step))
            joined.append(member)
        self.members += joined
        return joined

    def _library(self, named: str | None) -> Library:
        """The one that join() names, else the run's, else Java's. Raises BadScenario."""
        if named is not None:
            return one_of(Library, "client", named)
        given = client_of(self._context.settings)
        java_only = self._streams is not None or self._connect is not None
        if java_only and given is not None and given is not Library.JAVA:
            what = "workers of Kafka Connect" if self._streams is None else "instances of Kafka Streams"
            raise BadScenario(f"group {self.name!r}: {what} are Java programs: its client can't be {given.value!r}")
        return given or Library.JAVA

    def _subscription(
        self, topics: tuple[Topic, ...], pattern: str | None, client: str, *, static: bool
    ) -> tuple[str, ...]:
        """What members subscribe to: of an application of Kafka Streams what it reads, of Connect what it runs."""
        if self._streams is not None and (topics or pattern is not None or client != Library.JAVA):
            reads = "instances of Kafka Streams are Java programs and read the topics of their parts"
            raise BadScenario(f"group {self.name!r}: {reads}: no topics, pattern or client can be given to join()")
        if self._connect is not None:
            if topics or pattern is not None or client != Library.JAVA or static:
                only = "workers of Kafka Connect are Java programs, run its connectors, and are never static"
                raise BadScenario(
                    f"group {self.name!r}: {only}: join() takes neither topics, pattern, client nor static"
                )
            return tuple(self._connect.topics)
        if pattern is not None:
            return matching(pattern, self._context.topics.counts())
        read = topics if self._streams is None else self._streams.topics
        if subscription := tuple(sorted(topic.name for topic in read)):
            return subscription
        raise BadScenario(f"group {self.name!r}: members need at least one topic")

    def _loaded(self, application: Application) -> Application:
        """With the run's own load, where it has one."""
        record_ms = load_of(self._context.settings).record_ms
        return application if record_ms is None else replace(application, record_ms=record_ms)

    def _labels(self, names: tuple[int | str, ...]) -> list[str]:
        labels: list[str] = []
        for name in names:
            if not isinstance(name, str):
                count = checks.whole(name, f"group {self.name!r}: the number of members", most=MOST_MEMBERS)
                first = len(self.members) + len(labels) + 1
                prefix = "m" if len(self._context.groups) == 1 else f"{self.name}-m"
                labels += [f"{prefix}{first + i}" for i in range(count)]
            else:
                labels.append(checks.name(name, f"group {self.name!r}: the name of a member"))
        for label in labels:
            if label in self._context.labels or label in (self._context.broker.address, ""):
                raise BadScenario(f"group {self.name!r}: the name {label!r} is taken")
            self._context.labels.add(label)
        return labels

    def _declare(self, topics: tuple[str, ...]) -> None:
        declared = tuple(sorted({*self._declared, *topics}))
        if declared != self._declared:
            self._declared = declared
            fact = GroupDeclared(group=self.name, protocol=self.config.group_protocol, topics=declared)
            self._context.record(WORLD_STREAM, [fact])

    def topic_created(self, name: str) -> None:
        """Its partitions count for the group if a member's pattern matches the name."""
        patterns = {member.settings.pattern for member in self.members} - {None}
        if any(matching(pattern, {name: 0}) for pattern in patterns if pattern):
            self._declare((name,))

    def grow_old(self) -> None:
        """It is to be as after a long quiet: until then it is not stable."""
        self._grows_old = True

    def is_old(self) -> None:
        """Its heartbeats are as after a long quiet."""
        self._grows_old = False
        self._look_soon()

    def stable(self, members: int, within: int | None = None) -> simpy.Event:
        """Fires when the group has settled with so many members; after `within` ms the scenario fails instead.

        Where the group has been quiet for long, it fires some heartbeats later, when these are as far apart as then.
        """
        members = checks.whole(members, f"group {self.name!r}: stable(members=…)")
        within = None if within is None else checks.ms(within, f"group {self.name!r}: stable(within=…)")
        event = self._context.env.event()
        self._waits.append((lambda: not self._grows_old and self.settled(members), event))
        self._look_soon()
        if within is not None:
            limit = self._context.env.timeout(within)
            limit.callbacks.append(lambda _: self._too_late(event, members, within))
        return event

    def settled(self, members: int) -> bool:
        """Whether the coordinator calls the group Stable, and every member holds exactly what was assigned to it.

        Of Connect: and every connector and task is assigned, so that none waits for a delay.
        """
        group = self._context.broker.group(self.name)
        if len(group.members) != members or group.phase not in STABLE:
            return False
        working = (m.client for m in self.members if m.running and m.client.subscribed)
        clients = []
        for client in working:  # most looks end at the first member that is not settled
            if not client.membership.settled:
                return False
            clients.append(client)
        assigned = group.assignment
        if self._connect is not None and set(self._connect.units) != {p for given in assigned.values() for p in given}:
            return False
        return {client.membership.member_id for client in clients} == set(assigned) and all(
            client.settled_with(self._read(assigned[client.membership.member_id])) for client in clients
        )

    def _read(self, assigned: Partitions) -> Partitions:
        """The partitions that were assigned, of a streams group by its tasks."""
        streams = self._streams if self.config.group_protocol == STREAMS else None
        return assigned if streams is None else streams.partitions(assigned)

    def _too_late(self, event: simpy.Event, members: int, within: int) -> None:
        if not event.triggered and not (self._grows_old and self.settled(members)):
            group = self._context.broker.group(self.name)
            event.fail(
                ScenarioFailed(
                    f"at {self._context.now:,} ms: group {self.name!r} was not stable with {members} members within "
                    f"{within:,} ms; it is {group.phase.value} with {len(group.members)}{self._fatal()}"
                )
            )

    def _fatal(self) -> str:
        """What consumers of the group ended with, if any did."""
        failed = [f"{m.label} failed with {m.failed}" for m in self.members if m.failed]
        return "; " + ", ".join(failed) if failed else ""

    def _watch(self, fact: Recorded) -> None:
        if self._waits and group_of(fact.stream) == self.name:
            self._look_soon()

    def _look(self) -> None:
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
        """The members to which the coordinator has assigned partitions of a topic."""
        assigned = self._context.broker.group(self.name).assignment
        return {m for m in self.members if _holds(self._read(assigned.get(m.member_id, ())), topic)}

    def granted(self, member: MemberId) -> Partitions:
        """What the coordinator has assigned to a member id."""
        return self._read(self._context.broker.group(self.name).assignment.get(member, ()))

    @property
    def generation(self) -> int:
        """The group's generation."""
        return self._context.broker.group(self.name).generation


def _holds(partitions: Partitions, topic: Topic) -> bool:
    return any(p.topic == topic.name for p in partitions)
