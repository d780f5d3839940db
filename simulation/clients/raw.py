"""A client that is no consumer: it speaks single requests, as old clients did, and hangs up when it likes."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Join, JoinAnswer
from groupsim.events import client as facts
from groupsim.events.base import process_stream
from groupsim.events.types import Protocol, Subscription
from groupsim.simulation.network import Message
from groupsim.simulation.requests import ToGroup
from groupsim.simulation.world import World


class Stranger:
    """Sends JoinGroup in whatever API version; `answers` are those that have come back."""

    def __init__(self, world: World, group: str, name: str, topic: str) -> None:
        self._world, self._group = world, group
        self.address = f"{name}.0"
        self._client_id = name
        self.answers: list[JoinAnswer] = []
        self._protocols = (Protocol("range", Subscription(topics=(topic,))),)
        self._connection = 0
        world.network.attach(self.address, self._receive)
        self._tell(facts.ProcessStarted(process=self.address, client_id=name, topics=(topic,)))

    def join(self, *, version: int, member: str = "", session_ms: int = 45_000, rebalance_ms: int = 300_000) -> None:
        """Send one JoinGroup; below version 4 the coordinator adds a member without asking it to come back."""
        number = self._world.network.next_number()
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
        self._world.network.send(
            Message(self.address, self._world.broker.address, "JoinGroup", number, body, self._connection)
        )

    def hang_up(self) -> None:
        """Close the connection; what the coordinator has parked stays parked."""
        self._world.broker.disconnect(self.address, self._connection)
        self._connection += 1

    def die(self) -> None:
        """Be gone without a word."""
        self.hang_up()
        self._world.network.detach(self.address)
        self._tell(facts.Crashed(process=self.address))

    def _tell(self, fact: facts.ClientEvent) -> None:
        self._world.record(process_stream(self._group, self.address), [fact])

    def _receive(self, message: Message) -> None:
        if message.connection == self._connection and isinstance(message.body, JoinAnswer):
            self.answers.append(message.body)
