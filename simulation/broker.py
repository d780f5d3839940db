"""The broker: mailboxes of connections in front of the coordinator, and the committed offsets.

It knows no group protocol: requests and answers say themselves what a loading coordinator answers, and what becomes of
an answer that is not durable yet. A connection is muted while one of its requests is unanswered (a parked JoinGroup,
say): what is sent behind it waits.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence

import simpy

from groupsim.coordinator import topics as image
from groupsim.coordinator.commands import Load, Request, Unload
from groupsim.coordinator.config import BadSetting, Configs
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import AnyGroup, absent
from groupsim.coordinator.modern.group_config import altered, why_refused
from groupsim.coordinator.offsets import GroupOffsets
from groupsim.coordinator.outcome import Answer, Error, Reply
from groupsim.coordinator.streams.commands import StreamsHeartbeatAnswer
from groupsim.events.base import Event, group_stream
from groupsim.events.streams import InternalTopic
from groupsim.events.types import GroupId, TopicPartition
from groupsim.simulation.checks import ms
from groupsim.simulation.group_host import GroupHost
from groupsim.simulation.member_ids import MemberIds
from groupsim.simulation.network import Message, Network
from groupsim.simulation.requests import CoordinatorIs, FetchOffsets, FindCoordinator, OffsetsAre, ToGroup
from groupsim.simulation.topics import Topics

Connection = tuple[str, int]
ADAPTIVE_APPEND_MS = 1
"""What writing a record takes where nothing lingers. Kafka 4.4 answered a leader's SyncGroup 2 ms after it, 4.0, which
lingers for 10 ms, after 12 (medians of the recorded scripts, docs/conformance.md): the way there and back takes 1 or 2.
Members of three libraries on a quiet host had an assignment 1 ms after it was written, at the earliest."""


class Broker:
    """One broker that coordinates every group and leads every partition.

    `log_creation_ms`: how long it takes to make the log of one new partition.
    """

    address = "broker"

    def __init__(
        self,
        env: simpy.Environment,
        network: Network,
        member_ids: MemberIds,
        record: Callable[[str, Sequence[Event]], None],
        configs: Configs,
        topics: Topics,
    ) -> None:
        self._env = env
        self._network = network
        self._member_ids = member_ids
        self._record = record
        self.configs = configs
        self._group_settings: dict[GroupId, dict[str, int]] = {}
        self._host = GroupHost(
            env,
            record=self._append,
            answer=self._answer,
            initial=lambda group: absent(group, self.configs),
            cancel=self._cancel_undurable,
            context=lambda group: Context(
                int(env.now), topics.image, self._group_settings.get(group, {}), self._offsets[group]
            ),
        )
        self._topics = topics
        self._making: set[str] = set()
        self._waiting: dict[Connection, deque[Message]] = {}
        self.log_creation_ms = 0.0
        self._down = False
        self._alone = False
        self._loading = False
        self._failures = 0
        self._durable_ms: dict[GroupId, int] = {}
        self._undurable: dict[GroupId, list[tuple[Message, Answer]]] = {}
        self._asked: dict[int, Message] = {}
        self._offsets: defaultdict[GroupId, GroupOffsets] = defaultdict(GroupOffsets)
        network.attach(self.address, self.receive)

    def group(self, group_id: GroupId) -> AnyGroup:
        """The state of a group in the coordinator."""
        return self._host.group(group_id)

    def committed(self, group_id: GroupId) -> dict[TopicPartition, int]:
        """Committed offsets of a group."""
        return self._offsets[group_id].committed

    def configure_group(self, group_id: GroupId, changes: Mapping[str, int]) -> None:
        """Change what is set for one group alone (kafka-configs --group). Raises BadSetting."""
        wanted = {name: str(value) for name, value in changes.items()}
        now, configs = self._group_settings.get(group_id, {}), self.configs
        error, settings = altered(now, wanted, configs)
        if error is not Error.NONE:
            raise BadSetting(f"group {group_id!r}: the broker refuses this: {why_refused(now, wanted, configs)}")
        self._group_settings[group_id] = settings

    def receive(self, message: Message) -> None:
        """A request arrived; it waits if an earlier one of its connection is unanswered."""
        if self._down:
            self._network.reset(message.source)
            return
        connection = (message.source, message.connection)
        waiting = self._waiting.get(connection)
        if waiting is not None:
            waiting.append(message)
            return
        self._waiting[connection] = deque()
        self._handle(message)

    def disconnect(self, source: str, connection: int) -> None:
        """The client closed this connection: what waits in it is never read; what is parked stays parked."""
        self._waiting.pop((source, connection), None)

    def _handle(self, message: Message) -> None:
        match message.body:
            case ToGroup(group, command):
                self._ask(message, group, command)
            case FindCoordinator():
                self._respond(message, CoordinatorIs(self.address))
            case FetchOffsets(group, partitions):
                self._respond(message, OffsetsAre(self._offsets[group].fetch(partitions)))
            case body:
                raise TypeError(f"a broker can't handle {body!r}")

    def _ask(self, message: Message, group: GroupId, command: Request) -> None:
        """Give a request to the coordinator."""
        if self._loading:
            self._respond(message, command.answer.while_loading(self.configs))
            return
        self._asked[message.number] = message
        self._host.handle(group, self._member_ids.named(command))

    @property
    def nobody_answers(self) -> bool:
        """Whether it is down, and is the cluster's only broker."""
        return self._down and self._alone

    def crash(self, downtime_ms: int, loading_ms: int = 0, *, alone: bool = False) -> None:
        """The broker process dies, comes back after `downtime_ms`, and loads its groups for `loading_ms`.

        Connections are closed; parked requests are never answered. Only durable facts come back. `alone`: it is the
        cluster's only broker, so that clients reach none meanwhile, and nobody can read.
        """
        downtime_ms, loading_ms = ms(downtime_ms, "broker.crash"), ms(loading_ms, "broker.crash(loading_ms=…)")
        self._asked.clear()
        self._undurable.clear()
        self._waiting.clear()
        self._down, self._alone = True, alone
        self._unload()
        self._network.reset_all(but=self.address)
        self._failures += 1
        this = self._failures

        def back(_: simpy.Event) -> None:
            if this == self._failures:  # else it has crashed again meanwhile
                self._load(loading_ms)

        self._env.timeout(downtime_ms).callbacks.append(back)

    def move(self, loading_ms: int = 0) -> None:
        """The coordinator moves: parked requests are answered NOT_COORDINATOR, then another broker loads the groups."""
        loading_ms = ms(loading_ms, "broker.move(loading_ms=…)")
        self._unload()
        self._load(loading_ms)

    def _unload(self) -> None:
        for group in self._host.known():
            self._host.handle(group, Unload())

    def _load(self, loading_ms: int) -> None:
        self._down = False
        self._loading = True

        this = self._failures

        def done(_: simpy.Event) -> None:
            if this != self._failures:
                return
            for group in self._host.known():
                self._host.handle(group, Load())
            self._loading = False

        self._env.timeout(loading_ms).callbacks.append(done)

    def _append(self, group_id: GroupId, events: Sequence[Event]) -> None:
        self._record(group_stream(group_id), events)
        offsets = self._offsets[group_id]
        for event in events:
            offsets.apply(event)

    def _answer(self, group_id: GroupId, reply: Reply, wrote: bool) -> None:
        """An answer that wrote a record waits until the record is durable: for the append linger.

        An answer that can be cancelled waits, too, while an earlier record of its group is not durable.
        """
        if isinstance(reply.answer, StreamsHeartbeatAnswer):
            self._make(reply.answer.creates)
        message = self._asked.pop(reply.request, None)
        if message is None or self._down:
            return  # its connection went down with the broker
        now = int(self._env.now)
        if wrote:
            self._durable_ms[group_id] = now + self._append_ms()
        waits = self._durable_ms.get(group_id, 0) - now
        cancelled = reply.answer.when_cancelled()
        if waits > 0 and cancelled is not None:
            waiting = (message, cancelled)
            self._undurable.setdefault(group_id, []).append(waiting)
            self._env.timeout(waits).callbacks.append(lambda _: self._durable(group_id, waiting, reply.answer))
        elif waits > 0 and wrote:
            self._env.timeout(waits).callbacks.append(lambda _: self._respond(message, reply.answer))
        else:
            self._respond(message, reply.answer)

    def _make(self, wanted: Sequence[InternalTopic]) -> None:
        """Make internal topics in the background, one log after the other (Kafka: AutoTopicCreationManager).

        Only the coordinator knows them: no consumer of a scenario reads them.
        """
        new = [topic for topic in wanted if topic.name not in self._making]
        self._making.update(topic.name for topic in new)

        def made(_: simpy.Event) -> None:
            for topic in new:
                known = image.Topic(topic.name, topic.name, max(topic.partitions, 1))
                self._topics.image = self._topics.image.with_topic(known)
            self._making.difference_update(topic.name for topic in new)

        if new:
            logs = sum(max(topic.partitions, 1) for topic in new)
            self._env.timeout(round(logs * self.log_creation_ms)).callbacks.append(made)

    def _append_ms(self) -> int:
        linger = self.configs.coordinator.group_coordinator_append_linger_ms
        return ADAPTIVE_APPEND_MS if linger < 0 else linger

    def _durable(self, group_id: GroupId, waiting: tuple[Message, Answer], answer: Answer) -> None:
        """What the answer rests on is durable; nothing happens if the answer has been cancelled meanwhile."""
        undurable = self._undurable.get(group_id, [])
        if waiting in undurable:
            undurable.remove(waiting)
            self._respond(waiting[0], answer)

    def _cancel_undurable(self, group_id: GroupId) -> None:
        for message, cancelled in self._undurable.pop(group_id, ()):
            self._respond(message, cancelled)

    def _respond(self, message: Message, body: object) -> None:
        self._network.send(
            Message(
                self.address,
                message.source,
                message.api,
                message.number,
                body,
                message.connection,
                response=True,
            )
        )
        connection = (message.source, message.connection)
        waiting = self._waiting.get(connection)
        if waiting:
            self._handle(waiting.popleft())
        elif waiting is not None:
            del self._waiting[connection]
