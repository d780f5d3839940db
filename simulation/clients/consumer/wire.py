"""What a consumer's heartbeats say (Kafka: ConsumerHeartbeatRequestManager.HeartbeatState)."""

from __future__ import annotations

from msgspec import structs

from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer
from groupsim.events.types import Partitions
from groupsim.simulation.clients.consumer.state import ConsumerState, Sent


class ConsumerWire:
    """ConsumerGroupHeartbeat (KIP-848): see Wire for what each method means."""

    api = "ConsumerGroupHeartbeat"
    protocol = "CONSUMER"

    def request(self, m: ConsumerState) -> ConsumerHeartbeat:
        client = m.client
        return ConsumerHeartbeat(
            request=0,
            member=m.member_id,
            epoch=m.epoch,
            instance_id=client.instance_id,
            client_id=client.client_id,
            client_host=client.process.id,
        )

    def everything(self, m: ConsumerState, news: Sent) -> ConsumerHeartbeat:
        """All fields (Kafka: buildRequestData, sendAllFields)."""
        config = m.client.config
        return structs.replace(
            self.request(m),
            rebalance_timeout_ms=config.max_poll_interval_ms,
            topics=news.topics,
            expression=news.expression,
            rack=config.client_rack or None,
            assignor=config.group_remote_assignor or None,
            owned=m.client.fetch.view,
        )

    def changes(self, m: ConsumerState, news: Sent, before: Sent) -> ConsumerHeartbeat:
        return structs.replace(
            self.request(m),
            topics=news.topics if news.topics != before.topics else None,
            expression=news.expression if news.expression != before.expression else None,
            owned=m.client.fetch.view if news.target != before.target else None,
        )

    def target(self, m: ConsumerState, answer: ConsumerHeartbeatAnswer) -> Partitions | None:
        return answer.assignment
