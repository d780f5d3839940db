"""The assigned partitions of one client and which of them can be fetched (Kafka: SubscriptionState)."""

from __future__ import annotations

from dataclasses import dataclass, field

from groupsim.events.types import Offsets, Partitions, TopicPartition


@dataclass(frozen=True, slots=True)
class FetchInFlight:
    """A fetch: when it was sent, when the first record it asks for is there (None: never), positions asked for."""

    sent_ms: int
    record_ms: int | None
    asked: dict[TopicPartition, int]


@dataclass(slots=True, eq=False)
class FetchState:
    """`view` is what the client believes it owns; `positions` are the next offsets to read.

    `paused`: not fetched any more, because a commit runs before they are revoked. `awaiting_position`: an OffsetFetch
    is in flight. `restoring`: the application rebuilds its state, since when (ms); `restored`: that state is there.
    `previous_view` was replaced at `view_changed_ms`. `in_flight`: the fetch sent ahead; `fetched`: how many records of
    which partition it brought that poll() has not returned yet; `polling_since_ms`: when this poll() began.
    """

    view: Partitions = ()
    previous_view: Partitions = ()
    view_changed_ms: int = 0
    positions: dict[TopicPartition, int] = field(default_factory=dict)
    paused: set[TopicPartition] = field(default_factory=set)
    awaiting_position: set[TopicPartition] = field(default_factory=set)
    restoring: dict[TopicPartition, int] = field(default_factory=dict)
    restored: set[TopicPartition] = field(default_factory=set)
    in_flight: FetchInFlight | None = None
    fetched: dict[TopicPartition, int] = field(default_factory=dict)
    polling_since_ms: int = 0

    @property
    def complete(self) -> bool:
        """Whether every assigned partition has a position."""
        return len(self.positions) == len(self.view)

    def offsets(self) -> Offsets:
        """The positions of the assigned partitions, to commit them."""
        return tuple((p.topic, p.partition, self.positions[p]) for p in self.view if p in self.positions)

    def fetchable(self) -> list[TopicPartition]:
        """The assigned partitions that records can be taken from now."""
        return [p for p in self.view if p in self.positions and p not in self.paused and p not in self.restoring]

    def assign(self, partitions: Partitions, now: int, *, keep_state: bool) -> Offsets:
        """Replace the view. What leaves it loses its position (and its state, unless `keep_state`).

        The positions that the lost partitions had reached.
        """
        kept = set(partitions)
        reached = tuple(
            (p.topic, p.partition, self.positions[p]) for p in self.view if p in self.positions and p not in kept
        )
        self.positions = {p: offset for p, offset in self.positions.items() if p in kept}
        self.paused &= kept
        self.awaiting_position &= kept
        self.restoring = {p: since for p, since in self.restoring.items() if p in kept}
        if not keep_state:
            self.restored &= kept
        self.previous_view, self.view_changed_ms = self.view, now
        self.view = partitions
        return reached
