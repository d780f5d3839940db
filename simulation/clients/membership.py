"""Membership: what a client asks of the protocol by which it is a member of its group."""

from __future__ import annotations

from typing import Protocol

from groupsim.coordinator.outcome import Error
from groupsim.events.types import MemberId
from groupsim.simulation.clients.process import Script


class Membership(Protocol):
    """One client's membership. The client owns its process, connections, positions, callbacks and commits.

    `advance` does what is to be done now and `due` says when to call it again; both run on the thread that keeps the
    membership: the application's inside poll(), or the library's own.
    """

    @property
    def member_id(self) -> MemberId:
        """The id used in requests; empty before there is one."""
        ...

    @property
    def generation(self) -> int:
        """The generation or member epoch used in requests; NO_GENERATION if there is none."""
        ...

    @property
    def rebalance_protocol(self) -> str:
        """EAGER or COOPERATIVE (KIP-429)."""
        ...

    @property
    def leads(self) -> bool:
        """Whether this client computes the group's assignment."""
        ...

    @property
    def settled(self) -> bool:
        """Whether the client is a member and no rebalance is under way as far as it knows."""
        ...

    @property
    def outside(self) -> bool:
        """Whether the client is neither a member nor joining."""
        ...

    @property
    def awaits_assignment(self) -> bool:
        """Whether the client has joined and waits for its assignment."""
        ...

    def start(self) -> list[Script]:
        """Begin; the scripts of the protocol's own threads."""
        ...

    def advance(self) -> Script:
        """One round of what keeps the client a member; returns when it has to wait for an answer or a time."""
        ...

    def due(self) -> list[int]:
        """The times (ms) at which `advance` is needed even if nothing happens before."""
        ...

    def read_network(self) -> bool:
        """The application thread reads what no thread has read yet. False if that changes nothing."""
        ...

    def handle_answers(self) -> Script:
        """Handle an answer that waits for the application thread."""
        ...

    def application_away(self) -> None:
        """The application thread begins to run the application's own code."""
        ...

    def application_back(self) -> None:
        """The application thread has returned to the consumer."""
        ...

    def request_rejoin(self, reason: str) -> None:
        """Join again: the subscription has changed, or the application asks for a rebalance."""
        ...

    def metadata_refreshed(self) -> None:
        """New metadata has arrived."""
        ...

    def commit_refusal(self) -> str | None:
        """Why the client itself refuses to commit now; None if it may commit."""
        ...

    def commit_failed(self, error: Error, generation: int) -> None:
        """The coordinator refused a commit that was sent with this generation."""
        ...

    def leave(self, reason: str) -> Script:
        """Revoke everything and leave the group; best effort."""
        ...

    def unsubscribe(self) -> Script:
        """Leave, and stay outside until the client subscribes again."""
        ...
