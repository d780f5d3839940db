"""What a stream thread's heartbeats say (Kafka: StreamsGroupHeartbeatRequestManager.HeartbeatState)."""

from __future__ import annotations

from msgspec import structs

from groupsim.coordinator.streams.commands import StreamsHeartbeat, StreamsHeartbeatAnswer
from groupsim.events.types import Partitions
from groupsim.simulation.clients.consumer.state import ConsumerState, Sent
from groupsim.simulation.clients.streams.application import StreamsApplication


class StreamsWire:
    """StreamsGroupHeartbeat (KIP-1071): see Wire for what each method means. No standbys are kept."""

    api = "StreamsGroupHeartbeat"
    protocol = "STREAMS"

    def __init__(self, application: StreamsApplication) -> None:
        self._application = application

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
        return self._has(m) if news.target != before.target else self.request(m)

    def target(self, answer: StreamsHeartbeatAnswer) -> Partitions | None:
        return None if answer.tasks is None else self._application.partitions(answer.tasks.active)

    def _has(self, m: ConsumerState) -> StreamsHeartbeat:
        tasks = self._application.tasks(m.client.fetch.view)
        return structs.replace(self.request(m), active=tasks, standby=(), warmup=())
