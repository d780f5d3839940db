"""World: what a scenario works with: time, topics, groups, the network, the broker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import simpy

from groupsim.coordinator.config import Configs
from groupsim.events.base import WORLD_STREAM
from groupsim.events.world import CheckMade, PartitionsAdded, TopicCreated
from groupsim.simulation import checks
from groupsim.simulation.broker import Broker
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, REFUSED, STREAMS
from groupsim.simulation.clients.connect.cluster import ConnectProtocol, WorkerTimes
from groupsim.simulation.clients.connect.declared import cluster_of, worker_settings
from groupsim.simulation.clients.streams.application import Part, StreamsApplication
from groupsim.simulation.clients.streams.config import divided
from groupsim.simulation.connect_group import ConnectHandle
from groupsim.simulation.consumer_context import DATA, ConsumerContext
from groupsim.simulation.errors import BadScenario, ScenarioFailed
from groupsim.simulation.group import GroupHandle
from groupsim.simulation.heartbeat_timers import HeartbeatTimers
from groupsim.simulation.host_speed import DEFAULT
from groupsim.simulation.kubernetes.autoscaler import Autoscaler, autoscale
from groupsim.simulation.kubernetes.nodes import LOST_AFTER_MS, Nodes
from groupsim.simulation.kubernetes.pods import Span
from groupsim.simulation.kubernetes.start_workload import deploy
from groupsim.simulation.kubernetes.workload import Workload
from groupsim.simulation.log import Log
from groupsim.simulation.member_ids import MemberIds
from groupsim.simulation.network import Network
from groupsim.simulation.quiet_group import has_been_quiet
from groupsim.simulation.rng import Rng
from groupsim.simulation.settings import Settings, host_of, load_of, quiet_ms_of
from groupsim.simulation.topics import Arrivals, Backlog, Constant, Poisson, Recorded, Topic, Topics
from groupsim.simulation.world_host import Host

Handle = TypeVar("Handle", bound=GroupHandle)


class Data:
    """The brokers that hold the data, as an end of a network link: `network.cut(alice, world.data)`."""

    address = DATA


class World:
    """Everything a scenario can touch. `settings` are Kafka settings by name; they win over what the scenario says."""

    def __init__(self, env: simpy.Environment, log: Log, seed: int, settings: Settings | None = None) -> None:
        self._env = env
        self._log = log
        self.record = log.append
        self.rng = Rng(seed)
        self.settings = dict(settings or {})
        self.topics = Topics()
        self.groups: dict[str, GroupHandle] = {}
        self._published_ms = 0
        self.network = Network(env, self.rng, self.record)
        self.configs = Configs().with_settings(Configs().among(self.settings))
        self.member_ids = MemberIds(self.rng)
        self.broker = Broker(env, self.network, self.member_ids, self.record, self.configs, self.topics)
        self.data = Data()
        self.heartbeat_timers = HeartbeatTimers()
        self.context = ConsumerContext(
            env=env,
            network=self.network,
            broker=self.broker,
            topics=self.topics,
            rng=self.rng,
            member_ids=self.member_ids,
            host=Host(self.rng, self.network, self.heartbeat_timers, self.broker.address),
            settings=self.settings,
            record=self.record,
            watch=log.watchers.append,
            heartbeat_timers=self.heartbeat_timers,
        )
        self.act = self.context.act
        speed = host_of(self.settings)
        self.broker.log_creation_ms = self.context.host.be(DEFAULT if speed is None else speed, lambda: self.now)

    @property
    def now(self) -> int:
        """Milliseconds since the run's start."""
        return int(self._env.now)

    @property
    def env(self) -> simpy.Environment:
        """SimPy's environment, for scenarios that need more than the words here."""
        return self._env

    @property
    def log(self) -> Log:
        """The run's log."""
        return self._log

    def configure_broker(self, settings: Settings) -> None:
        """Set broker settings by their Kafka names, before the first group is made; settings of the run win."""
        if self.groups:
            raise BadScenario("configure_broker must come before the first group")
        self.configs = self.configs.with_settings({**settings, **self.configs.among(self.settings)})
        self.broker.configs = self.configs

    def host(self, speed: str | float) -> None:
        """Programs and broker run on such a host: `ideal`, `quiet`, `half-busy`, `busy`, `overloaded`, or a factor.

        The profiles are measured (simulation.host_speed.HOSTS), and the quiet one is the default; the factor is against
        the half-busy one. On the ideal one a step that waits for nothing takes no time, and all heartbeats of a group
        come in the same millisecond. The setting `host` of the run wins.
        """
        if host_of(self.settings) is None:
            self.broker.log_creation_ms = self.context.host.set(speed, lambda: self.now)

    def topic(
        self,
        name: str,
        partitions: int,
        rate: float = 10.0,
        arrivals: str = "constant",
        times: Mapping[int, Sequence[int]] | None = None,
        racks: Sequence[Sequence[str]] = (),
        backlog: int = 0,
    ) -> Topic:
        """Create a topic; `rate` is records per second and partition, `constant` or `poisson`.

        The run's own load wins (simulation.settings). `times` are recorded arrivals instead: sorted milliseconds by
        partition number. `racks` are those of the replicas of each partition, from the first again where there are
        more partitions: [["a"], ["b"]]. `backlog`: so many records of each partition are there at the start; how many
        wait to be read is then known as little as with recorded arrivals.
        """
        checks.name(name, "the name of a topic")
        if name in self.topics:
            raise BadScenario(f"topic {name!r} exists already")
        partitions = checks.partitions(partitions, name)
        load = load_of(self.settings).rate
        rate = checks.number(rate if load is None else load, f"topic {name!r}: rate")
        if arrivals not in ("constant", "poisson"):
            raise BadScenario(f"topic {name!r}: arrivals must be constant or poisson, not {arrivals!r}")
        drawn: Arrivals = Poisson(rate, self.rng, name) if arrivals == "poisson" else Constant(rate)
        if times is not None and load is None:
            drawn, rate = Recorded(_arrivals(times, name)), 0.0  # facts: no rate is known
        if backlog := checks.whole(backlog, f"topic {name!r}: backlog", 0):
            drawn, rate = Backlog(backlog, drawn), 0.0
        topic = Topic(name, partitions, drawn, checks.racks(racks, name))
        self._show(topic, partitions)
        self.record(WORLD_STREAM, [TopicCreated(topic=name, partitions=partitions, rate=float(rate))])
        for group in self.groups.values():
            group.topic_created(name)
        return topic

    def add_partitions(self, topic: Topic, partitions: int) -> None:
        """Let a topic grow to so many partitions in all: it means *to* `partitions`, not by so many."""
        if not isinstance(topic, Topic):
            raise BadScenario(f"add_partitions needs what world.topic() gave, not {topic!r}")
        there = topic.partitions
        if checks.partitions(partitions, topic.name) <= there:
            raise BadScenario(
                f"add_partitions(…, {partitions}) means to {partitions} in all, and topic {topic.name!r} has"
                f" {there} already: {there + partitions} would be {partitions} more"
            )
        added, topic.partitions = int(partitions) - topic.partitions, int(partitions)
        self._show(topic, added)
        self.record(WORLD_STREAM, [PartitionsAdded(topic=topic.name, partitions=topic.partitions)])

    def _show(self, topic: Topic, added: int) -> None:
        """Metadata have the new partitions at once; the coordinator once their logs are made, one after the other.

        Kafka: BrokerMetadataPublisher.onMetadataUpdate, where ReplicaManager.applyDelta comes before the coordinators.
        """
        self.topics[topic.name] = topic
        if not self.now or not self.broker.log_creation_ms:
            self.topics.publish(topic)
            return
        self._published_ms = max(self.now, self._published_ms) + round(added * self.broker.log_creation_ms)
        done = self._env.timeout(self._published_ms - self.now)
        done.callbacks.append(lambda _: self.topics.publish(topic))

    def group(
        self,
        name: str,
        *,
        protocol: str = "classic",
        assignor: str | Iterable[str] | None = None,
        config: Settings | None = None,
        group_config: Mapping[str, int] | None = None,
        quiet_for: int = 0,
    ) -> GroupHandle:
        """Declare a consumer group. `assignor`: one name, or several in order of preference.

        `quiet_for`: once it has settled, its members' heartbeats are as far apart as after so many ms without a
        rebalance, which are not simulated; not on the ideal host, on which they stay together. `stable()` fires then,
        at a random time between two heartbeats.

        `protocol`: `classic`, or `consumer` (KIP-848), where `assignor` is the server's. `group_config`: what an
        administrator has set for this group alone (`consumer.session.timeout.ms`, …).
        """
        protocols = [each for each in REFUSED if each != STREAMS]
        if protocol not in protocols:
            instead = ": an application of Kafka Streams is made by world.streams()" if protocol == STREAMS else ""
            raise BadScenario(
                f"group {name!r}: protocol must be one of {', '.join(protocols)}, not {protocol!r}{instead}"
            )
        settings: dict[str, object] = dict(config or {})
        if assignor is not None and protocol == CONSUMER:
            self._check_server_assignor(name, assignor)
        if protocol != CLASSIC:
            settings["group.protocol"] = protocol
        if assignor is not None and protocol == CONSUMER:
            settings["group.remote.assignor"] = assignor
        elif assignor is not None:
            settings["partition.assignment.strategy"] = (assignor,) if isinstance(assignor, str) else tuple(assignor)
        return self._declare(name, settings, group_config, quiet_ms=checks.ms(quiet_for, f"group {name!r}: quiet_for"))

    def _declare(
        self,
        name: str,
        settings: Settings | Mapping[str, object],
        group_config: Mapping[str, int] | None,
        streams: StreamsApplication | None = None,
        quiet_ms: int = 0,
    ) -> GroupHandle:
        settings = {**settings, **self.context.consumer_settings()}
        return self._add(GroupHandle(self.context, name, settings, streams), group_config, quiet_ms)

    def _add(self, group: Handle, group_config: Mapping[str, int] | None, quiet_ms: int = 0) -> Handle:
        """`quiet_ms`: how old it is, where the run's settings do not say."""
        name, of_run = group.name, quiet_ms_of(self.settings)
        quiet_ms = quiet_ms if of_run is None else of_run
        if quiet_ms and not self.context.host.drifts:
            raise BadScenario(
                f"group {name!r} can't have been quiet for so long: on an ideal host heartbeats stay together;"
                ' take another one: world.host("quiet"), or --set host=quiet'
            )
        if name:
            checks.name(name, "the name of a group")
        if name in self.groups or not name:
            raise BadScenario(f"group {name!r} exists already" if name else "a group needs a name")
        self.broker.configure_group(name, group_config or {})
        self.groups[name] = group
        self.context.groups.add(name)
        if quiet_ms:
            has_been_quiet(self.context, group, quiet_ms)
        return group

    def streams(
        self,
        name: str,
        *parts: Part,
        config: Settings | None = None,
        group_config: Mapping[str, int] | None = None,
        processes: Mapping[str, str] | None = None,
    ) -> GroupHandle:
        """Declare a Kafka Streams application; `join` starts its instances, each of which has one stream thread.

        `parts` are its subtopologies. `config`: settings of Kafka Streams and of its consumers. `group.protocol` is
        `streams` (KIP-1071) by default, or `classic`, where `num.standby.replicas`, `max.warmup.replicas`,
        `acceptable.recovery.lag` and `probing.rebalance.interval.ms` count. `group_config`: what an administrator has
        set for a streams group (`streams.session.timeout.ms`, `streams.num.standby.replicas`, …). `processes`: the
        process ids of instances by their names, UUIDs, if they are known: who gets which task depends on their order.
        """
        if not parts or not all(part.topics for part in parts):
            raise BadScenario(f"application {name!r}: it needs a Part, and each Part a topic")
        protocol, own, settings = divided(name, config or {}, self.settings)
        application = StreamsApplication(name, parts, protocol, own, processes or {})
        return self._declare(name, settings, group_config, application)

    def connect(
        self,
        name: str,
        connectors: Mapping[str, int] | None = None,
        *,
        delay: int = 300_000,
        protocol: str = ConnectProtocol.SESSIONED,
        times: WorkerTimes | None = None,
        config: Settings | None = None,
    ) -> ConnectHandle:
        """Declare a cluster of Kafka Connect (KIP-415); `join(3)` starts its workers.

        `connectors`: how many tasks each has; more with `add_connector`. `delay`: scheduled.rebalance.max.delay.ms.
        `protocol`: connect.protocol, `sessioned`, `compatible` or `eager`. `times`: how long its workers take to start
        and stop things. `config`: session.timeout.ms, heartbeat.interval.ms, rebalance.timeout.ms. The run's own
        settings win.
        """
        cluster = cluster_of(name, delay, protocol, times, self.settings)
        settings = worker_settings(config or {}, self.settings)
        handle = ConnectHandle(
            self.context, name, {**settings, **self.context.consumer_settings()}, cluster, self._unit
        )
        self._add(handle, None)
        for connector, tasks in (connectors or {}).items():
            handle.has(connector, tasks)
        return handle

    def _unit(self, topic: str, count: int) -> None:
        """The partitions that stand for a connector or its tasks: clusters beside each other may share them."""
        known = self.topics.get(topic)
        if known is None:
            self.topic(topic, count, rate=0.0)
        elif known.partitions != count:
            raise BadScenario(f"{topic!r} is a topic, or a connector with {known.partitions} tasks in another cluster")

    def _check_server_assignor(self, group: str, assignor: str | Iterable[str]) -> None:
        """Raises BadScenario for an assignor that brokers do not have: members that name it are refused for ever."""
        offered = self.broker.configs.consumer.group_consumer_assignors
        if assignor not in offered:
            raise BadScenario(
                f"group {group!r}: with the consumer protocol the broker assigns, and has no {assignor!r}: it has"
                f" {' and '.join(offered)}"
            )

    def deployment(
        self, name: str, *, replicas: int, topics: Iterable[Topic], group: GroupHandle | None = None, **settings: Any
    ) -> Workload:
        """Members of a group as pods of a Deployment or a StatefulSet (more: `simulation.kubernetes.start_workload`).

        `group`: by default the one of this name, which is made if there is none.
        """
        known = group or self.groups.get(name) or self.group(name)
        return deploy(self.context, known, name, replicas=replicas, topics=topics, **settings)

    def nodes(
        self, count: int, *, name: str = "node", room: int | None = None, lost_after_ms: Span = LOST_AFTER_MS
    ) -> Nodes:
        """The machines for `deployment(nodes=…)`: `nodes[0].drain()`, `.take(notice_ms)`, `nodes.interrupt(every_ms)`.

        `room`: pods that fit on one. `lost_after_ms`: from the end of a node until Kubernetes removes its pods.
        """
        return Nodes(self.context, count, checks.name(name, "the name of nodes"), room, lost_after_ms)

    def autoscaler(
        self, workload: Workload, *, topics: Iterable[Topic], group: GroupHandle | None = None, **settings: Any
    ) -> Autoscaler:
        """Let the lag of a group decide how many pods there are (settings: `simulation.kubernetes.autoscaler.Scaling`).

        `group`: by default the one with the workload's name.
        """
        name = group.name if group is not None else workload.name
        return autoscale(self.context, workload, name, topics, **settings)

    def sleep(self, ms: int, up_to: int | None = None) -> simpy.Event:
        """An event that fires in `ms` milliseconds; with `up_to` after a time between both that the seed draws.

        What a fault costs depends on when it comes between two heartbeats: draw that, and seeds show it.
        """
        ms = checks.ms(ms, "world.sleep")
        if up_to is not None:
            most = checks.ms(up_to, "world.sleep: up_to")
            if most < ms:
                raise BadScenario(f"world.sleep: up_to={most:,} is less than {ms:,}")
            ms = self.rng.stream("sleep").randint(ms, most)
        return self._env.timeout(ms)

    def check(self, holds: bool, claim: str) -> None:
        """Check a claim; the run fails if it does not hold."""
        self.record(WORLD_STREAM, [CheckMade(claim=str(claim), ok=bool(holds))])
        if not holds:
            raise ScenarioFailed(f"at {self.now:,} ms: not true that {claim}")


def _arrivals(times: Mapping[int, Sequence[int]], topic: str) -> dict[int, list[int]]:
    """Recorded arrivals, checked: sorted whole milliseconds. Partitions that share one list share the check."""
    what = f"topic {topic!r}: an arrival"
    lists = {id(shared): shared for shared in times.values()}
    checked = {key: [checks.ms(at, what) for at in shared] for key, shared in lists.items()}
    if any(arrivals_ms != sorted(arrivals_ms) for arrivals_ms in checked.values()):
        raise BadScenario(f"topic {topic!r}: the arrivals of a partition must be sorted")
    return {number: checked[id(shared)] for number, shared in times.items()}
