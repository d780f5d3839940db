"""Links between endpoints: latency in order, and rules that delay or drop.

A rule maps a message to PASS, DROP or Deliver(after_ms); the first that is not PASS wins. Messages of one direction of
one link arrive in the order in which they were sent, as over TCP. What a cut drops is not sent again: the sender
notices by its request timeout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import msgspec
import simpy

from groupsim.events.base import NETWORK_STREAM, Event
from groupsim.events.network import LinkCut, LinkHealed, LinkSlowed, MessageDelivered, MessageDropped
from groupsim.simulation.checks import ms, number
from groupsim.simulation.rng import Rng


class Message(msgspec.Struct, frozen=True):
    """A request, or the response of the same number. `connection` tells a client's connections apart."""

    source: str
    target: str
    api: str
    number: int
    body: object
    connection: int = 0
    response: bool = False


@dataclass(frozen=True, slots=True)
class Deliver:
    """The message arrives so much later than it would have."""

    after_ms: int


@dataclass(frozen=True, slots=True, eq=False)
class Twice:
    """A rule that lets a message arrive a second time."""

    applies: Callable[[Message], bool]


class Handling(StrEnum):
    """What a rule does with a message, if it does not delay it."""

    PASS = "pass"
    DROP = "drop"


PASS, DROP = Handling.PASS, Handling.DROP
Handled = Handling | Deliver
Rule = Callable[[Message], Handled]
Receive = Callable[[Message], None]


class Endpoint(Protocol):
    """What can be named as one end of a link: anything that has an address."""

    @property
    def address(self) -> str:
        """The endpoint's name now."""
        ...


class Network:
    """All links of a world. `latency_ms` is the least and the most a message takes, one way."""

    def __init__(
        self,
        env: simpy.Environment,
        rng: Rng,
        record: Callable[[str, Sequence[Event]], None],
        latency_ms: tuple[int, int] = (1, 1),
    ) -> None:
        self._env = env
        self._rng = rng
        self._chance = rng.stream("network")
        self._twice: list[Twice] = []
        self._record = record
        self.latency_ms = latency_ms
        self._receivers: dict[str, Receive] = {}
        self._resets: dict[str, Callable[[], None]] = {}
        self._cuts: list[tuple[frozenset[str], int]] = []
        self._rules: list[Rule] = []
        self._delay_ms: Callable[[Message], int] | None = None
        self._numbers = 0
        self._latency_varies = False
        self._last_arrival: dict[tuple[str, str, int], int] = {}

    def next_number(self) -> int:
        """A number no other request of this world has."""
        self._numbers += 1
        return self._numbers

    def attach(self, address: str, receive: Receive, reset: Callable[[], None] = lambda: None) -> None:
        """Messages to this address go there from now on; `reset` is called when its connections are closed."""
        self._receivers[address] = receive
        self._resets[address] = reset

    def detach(self, address: str) -> None:
        """Messages to this address are dropped from now on."""
        self._receivers.pop(address, None)
        self._resets.pop(address, None)

    def reset(self, address: str) -> None:
        """Tell an endpoint, one latency from now, that its connections are closed."""

        def call(_: simpy.Event) -> None:
            self._resets.get(address, lambda: None)()

        self._env.timeout(self.latency_ms[0]).callbacks.append(call)

    def reset_all(self, but: str) -> None:
        """Tell everybody else: this endpoint has gone down."""
        for address in sorted(self._resets):
            if address != but:
                self.reset(address)

    def delay(self, delay_ms: Callable[[Message], int] | None) -> None:
        """How much longer each message takes that arrives, beside what rules say; in place of what was said before."""
        self._delay_ms = delay_ms
        self._latency_varies |= delay_ms is not None

    def add_rule(self, rule: Rule) -> Callable[[], None]:
        """Put a rule in force; the result takes it out again."""
        self._rules.append(rule)
        self._latency_varies = True  # from now on the order of each link must be seen to
        return lambda: self._rules.remove(rule)

    @contextmanager
    def cut(self, a: Endpoint, b: Endpoint) -> Iterator[None]:
        """Nothing passes between `a` and `b` inside the block."""
        heal = self.cut_link(a, b)
        try:
            yield
        finally:
            heal()

    def cut_link(self, a: Endpoint, b: Endpoint) -> Callable[[], None]:
        """Cut the link until the result is called."""
        ends = (a.address, b.address)
        remove = self.add_rule(lambda message: DROP if {message.source, message.target} == set(ends) else PASS)
        self._record(NETWORK_STREAM, [LinkCut(a=ends[0], b=ends[1])])
        since = (frozenset(ends), int(self._env.now))
        self._cuts.append(since)

        def heal() -> None:
            remove()
            self._cuts.remove(since)
            self._record(NETWORK_STREAM, [LinkHealed(a=ends[0], b=ends[1])])

        return heal

    def cut_since(self, a: str, b: str) -> int | None:
        """Since when (ms) the link between two addresses is cut; None if it is not."""
        if not self._cuts:
            return None
        return min((since for ends, since in self._cuts if ends == {a, b}), default=None)

    def lose(self, a: Endpoint, b: Endpoint, share: float) -> Callable[[], None]:
        """Lose this share of the messages between `a` and `b`, drawn at random, until the result is called."""
        ends, share = {a.address, b.address}, number(share, "network.lose: the share", 1.0)
        chance = self._rng.stream("network/loss")

        def rule(message: Message) -> Handled:
            return DROP if {message.source, message.target} == ends and chance.random() < share else PASS

        return self.add_rule(rule)

    def duplicate(self, a: Endpoint, b: Endpoint, share: float) -> Callable[[], None]:
        """Deliver this share of the messages between `a` and `b` twice, until the result is called."""
        ends, share = {a.address, b.address}, number(share, "network.duplicate: the share", 1.0)
        chance = self._rng.stream("network/duplicates")
        rule = Twice(lambda m: {m.source, m.target} == ends and chance.random() < share)
        self._twice.append(rule)
        return lambda: self._twice.remove(rule)

    @contextmanager
    def slow(self, a: Endpoint, b: Endpoint, extra_ms: int) -> Iterator[None]:
        """Messages between `a` and `b` take `extra_ms` longer, each way, inside the block."""
        ends, extra_ms = (a.address, b.address), ms(extra_ms, "network.slow")
        late = Deliver(extra_ms)
        remove = self.add_rule(lambda message: late if {message.source, message.target} == set(ends) else PASS)
        self._record(NETWORK_STREAM, [LinkSlowed(a=ends[0], b=ends[1], extra_ms=extra_ms)])
        try:
            yield
        finally:
            remove()
            self._record(NETWORK_STREAM, [LinkSlowed(a=ends[0], b=ends[1], extra_ms=0)])

    def send(self, message: Message) -> None:
        """Put a message on its way."""
        low, high = self.latency_ms
        latency = low if low == high else self._chance.randint(low, high)
        if self._rules:
            handled: Handled = PASS
            for rule in self._rules:
                if (handled := rule(message)) is not PASS:
                    break
            if handled is DROP:
                self._drop(message)
                return
            if isinstance(handled, Deliver):
                latency += handled.after_ms
        if self._delay_ms is not None:
            latency += self._delay_ms(message)
        sent = int(self._env.now)
        arrival = sent + latency
        if self._latency_varies or low != high:
            link = (message.source, message.target, message.connection)
            arrival = max(arrival, self._last_arrival.get(link, 0))
            self._last_arrival[link] = arrival
        self._env.timeout(arrival - sent).callbacks.append(lambda _: self._arrive(message, sent))
        if self._twice and any(rule.applies(message) for rule in self._twice):
            self._env.timeout(arrival - sent).callbacks.append(lambda _: self._arrive(message, sent))

    def _arrive(self, message: Message, sent: int) -> None:
        receive = self._receivers.get(message.target)
        if receive is None:
            self._drop(message)
            return
        fact = MessageDelivered(
            source=message.source,
            target=message.target,
            api=message.api,
            number=message.number,
            sent_ms=sent,
            response=message.response,
        )
        self._record(NETWORK_STREAM, [fact])
        receive(message)

    def _drop(self, message: Message) -> None:
        fact = MessageDropped(
            source=message.source,
            target=message.target,
            api=message.api,
            number=message.number,
            response=message.response,
        )
        self._record(NETWORK_STREAM, [fact])
