"""Requests of one process over its connections, with request timeouts (Kafka: ConsumerNetworkClient)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import simpy

from groupsim.simulation.clients.process import Process
from groupsim.simulation.network import Message, Network


class Failure(StrEnum):
    """Why a request has no answer."""

    TIMEOUT = "TIMEOUT"
    DISCONNECTED = "DISCONNECTED"


Handle = Callable[[object], None]
"""Given the answer, or a Failure."""


@dataclass(slots=True)
class _Pending:
    api: str
    deadline: int
    handle: Handle


class Connection:
    """Requests in flight to one address. The first that times out fails all others too: the connection is closed."""

    def __init__(
        self,
        env: simpy.Environment,
        network: Network,
        process: Process,
        target: str,
        first_id: int,
        closed: Callable[[int], None],
    ) -> None:
        self._env = env
        self._network = network
        self._process = process
        self._target = target
        self._closed = closed
        self.id = first_id
        self._pending: dict[int, _Pending] = {}
        self._watched_until: int | None = None

    def call(self, api: str, body: Callable[[int], object], timeout_ms: int, handle: Handle) -> None:
        """Send a request (its body is made from its number); `handle` is called once, unless the process dies."""
        number = self._network.next_number()
        now = int(self._env.now)
        self._pending[number] = _Pending(api, now + timeout_ms, handle)
        self._watch(now + timeout_ms)
        self._network.send(Message(self._process.id, self._target, api, number, body(number), self.id))

    def receive(self, message: Message) -> bool:
        """Handle a response of this connection; False if it is none of ours (any more)."""
        pending = self._pending.pop(message.number, None)
        if pending is not None:
            pending.handle(message.body)
        return pending is not None

    def expire(self) -> None:
        """Fail what is overdue, and with it all the rest."""
        now = int(self._env.now)
        if any(p.deadline <= now for p in self._pending.values()):
            self.disconnect()
        elif self._pending:
            self._watch(min(p.deadline for p in self._pending.values()))

    def disconnect(self) -> None:
        """Close the connection: every request in flight fails; the next one goes over a new connection."""
        failed, self._pending = self._pending, {}
        self._closed(self.id)
        self.id += 2  # ids of one process never meet: one of its connections counts even, the other odd
        now = int(self._env.now)
        for number in sorted(failed):
            overdue = failed[number].deadline <= now
            failed[number].handle(Failure.TIMEOUT if overdue else Failure.DISCONNECTED)

    def _watch(self, deadline: int) -> None:
        """One alarm at most is set: the earliest deadline when it was set; it looks again when it rings."""
        if self._watched_until is not None and self._watched_until <= deadline:
            return
        self._watched_until = deadline
        timeout = self._env.timeout(deadline - int(self._env.now))
        timeout.callbacks.append(lambda _: self._look(deadline))

    def _look(self, deadline: int) -> None:
        if self._watched_until != deadline:
            return
        self._watched_until = None
        if self._process.alive and not self._process.frozen:
            self.expire()
