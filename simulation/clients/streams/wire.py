"""What a stream thread's heartbeats say (Kafka: StreamsGroupHeartbeatRequestManager.HeartbeatState)."""

from __future__ import annotations

from msgspec import structs

from groupsim.assignors.kafka.client_tasks import TaskId, Tasks
from groupsim.coordinator.streams.commands import StreamsHeartbeat, StreamsHeartbeatAnswer
from groupsim.events.types import Partitions
from groupsim.simulation.clients.consumer.state import ConsumerState, Sent
from groupsim.simulation.clients.streams.application import StreamsApplication


class StreamsWire:
    """StreamsGroupHeartbeat (KIP-1071): see Wire for what each method means."""

    api = "StreamsGroupHeartbeat"
    protocol = "STREAMS"

    def __init__(self, application: StreamsApplication) -> None:
        self._application = application
        self._standby: Partitions = ()
        self._said: Partitions = ()

    def request(self, m: ConsumerState) -> StreamsHeartbeat:
        client = m.client
        return StreamsHeartbeat(
            request=0,
            member=m.member_id,
            epoch=m.epoch,
            instance_id=client.instance_id,
            client_id=client.client_id,
            client_host=client.process.id,
        )

    def everything(self, m: ConsumerState, news: Sent) -> StreamsHeartbeat:
        """The topology only when joining (Kafka: a member that has joined may not send it again)."""
        joins = m.epoch == 0
        said = structs.replace(self._has(m), rebalance_timeout_ms=m.client.config.max_poll_interval_ms)
        if not joins:
            return said
        rack = m.client.config.client_rack or None
        return structs.replace(
            said, topology=self._application.topology, process=m.client.process.id, tags=(), rack=rack
        )

    def changes(self, m: ConsumerState, news: Sent, before: Sent) -> StreamsHeartbeat:
        changed = news.target != before.target or self._standby != self._said
        return self._has(m) if changed else self.request(m)

    def target(self, m: ConsumerState, answer: StreamsHeartbeatAnswer) -> Partitions | None:
        """What it reads; its standby tasks begin to restore, or end, at once."""
        if answer.tasks is None:
            return None
        self._standby = answer.tasks.standby
        active = self._application.partitions(answer.tasks.active)
        if m.client.tasks is not None:
            m.client.tasks.follow(self._application.tasks_of(active), _ids(answer.tasks.standby))
        return active

    def _has(self, m: ConsumerState) -> StreamsHeartbeat:
        tasks, self._said = self._application.tasks(m.client.fetch.view), self._standby
        return structs.replace(self.request(m), active=tasks, standby=self._said, warmup=())


def _ids(tasks: Partitions) -> Tasks:
    return tuple(TaskId(int(subtopology), number) for subtopology, number in tasks)
