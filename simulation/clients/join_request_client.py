"""JoinRequestClient: a client that is no consumer; it sends single JoinGroup requests in any API version."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Join, JoinAnswer
from groupsim.events import client as facts
from groupsim.events.base import process_stream
from groupsim.events.types import Protocol, Subscription
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.network import Message
from groupsim.simulation.requests import ToGroup


class JoinRequestClient:
    """Sends JoinGroup when asked to, as old clients did; `answers` are those that have come back."""

    def __init__(self, context: ConsumerContext, group: str, name: str, topic: str) -> None:
        self._context, self._group = context, group
        self.address = f"{name}.0"
        self._client_id = name
        self.answers: list[JoinAnswer] = []
        self._protocols = (Protocol("range", Subscription(topics=(topic,))),)
        self._connection = 0
        context.network.attach(self.address, self._receive)
        self._record(facts.ProcessStarted(process=self.address, client_id=name, topics=(topic,)))

    def join(self, *, version: int, member: str = "", session_ms: int = 45_000, rebalance_ms: int = 300_000) -> None:
        """Send one JoinGroup; below version 4 the coordinator adds a member without MEMBER_ID_REQUIRED (KIP-394)."""
        number = self._context.network.next_number()
        request = Join(
            request=number,
            member=member,
            client_id=self._client_id,
            client_host=self.address,
            session_timeout_ms=session_ms,
            rebalance_timeout_ms=rebalance_ms,
            protocols=self._protocols,
            version=version,
        )
        body = ToGroup(self._group, request)
        target = self._context.broker.address
        self._context.network.send(Message(self.address, target, "JoinGroup", number, body, self._connection))

    def disconnect(self) -> None:
        """Close the connection; requests that the coordinator holds back stay there."""
        self._context.broker.disconnect(self.address, self._connection)
        self._connection += 1

    def kill(self) -> None:
        """End without LeaveGroup."""
        self.disconnect()
        self._context.network.detach(self.address)
        self._record(facts.Crashed(process=self.address))

    def _record(self, fact: facts.ClientEvent) -> None:
        self._context.record(process_stream(self._group, self.address), [fact])

    def _receive(self, message: Message) -> None:
        if message.connection == self._connection and isinstance(message.body, JoinAnswer):
            self.answers.append(message.body)
