"""Incarnation: one process of a group, as its facts describe it: when it ran, joined, was busy or frozen, and ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from groupsim.events.types import MemberId, RejoinCause
from groupsim.replay.reconstruct.applications.callbacks import Callback
from groupsim.simulation.clients.config import CLASSIC


class Ending(StrEnum):
    """How a process ended."""

    CLOSE = "close"
    KILL = "kill"


class StallKind(StrEnum):
    """What did nothing during a stall: the application (`BUSY`), or the whole process (`FROZEN`)."""

    BUSY = "busy"
    FROZEN = "frozen"


@dataclass(slots=True)
class Stall:
    """A time without polls, in ms of the run; None: no log shows since when, or until when.

    `expired_ms`: when the membership ended because of it. `by_ms`: it began between `from_ms` and this.
    """

    kind: StallKind
    from_ms: int | None
    to_ms: int | None
    expired_ms: int | None = None
    by_ms: int | None = None


@dataclass(slots=True)
class Incarnation:
    """One process, or, if it has no log (`logged` is False), one member id; times in ms of the run.

    - `starts_ms`: its first request reached the coordinator (None: before the record begins); `added_ms`: it became a
      member; `ends_ms` with `ending` (None: it runs on); `expired_ms`: its session ended at the broker after that.
    - `protocol`: the group protocol that it speaks, `classic` or `consumer`.
    - `disk`: the process id of Kafka Streams, which its instance finds on its disk again.
    - `admissions`: when each of its member ids was issued, and added.
    - `joins_sent`, `joins_answered` (`led_at`: of these, as leader), `syncs_answered`; `generation_at`: the generation
      of an answer to JoinGroup.
    - `heartbeats`: pairs of an answer to JoinGroup and a later instant at which a heartbeat was answered.
    - `received`: when the answer to such a member's heartbeat brought it another epoch or target.
    - `beats_from`: when a member of the consumer protocol sent a heartbeat that its log shows.
    - `reactions`: pairs of an answer to JoinGroup and the ms from the answer to a heartbeat until the application
      thread took part in the rebalance.
    - `line_times`: of all its lines; `coordinator_losses`; `brokers_lost`: when none of the brokers that it knew could
      be reached; `metadata_changes`: when it noticed new partitions.
    - `callbacks`: those with partitions, by kind; `subscriptions`: when it subscribed to other topics; `matched`: what
      its expression matches, now or later (none: it names its topics).
    - `revokes_all`: it revoked everything before it joined again; `rejoined_with_id`: it joined twice at the start,
      because the coordinator required a member id.
    """

    name: str
    client: str
    logged: bool
    protocol: str = CLASSIC
    library: str | None = None
    starts_ms: int | None = None
    added_ms: int | None = None
    ends_ms: int | None = None
    ending: Ending | None = None
    instance: str | None = None
    disk: str | None = None
    member_ids: list[MemberId] = field(default_factory=list)
    topics: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()
    subscriptions: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    metadata_changes: list[int] = field(default_factory=list)
    stalls: list[Stall] = field(default_factory=list)
    callbacks: dict[str, list[Callback]] = field(default_factory=dict)
    admissions: list[tuple[int, int]] = field(default_factory=list)
    joins_sent: list[int] = field(default_factory=list)
    joins_answered: list[int] = field(default_factory=list)
    led_at: list[int] = field(default_factory=list)
    generation_at: dict[int, int] = field(default_factory=dict)
    syncs_answered: list[int] = field(default_factory=list)
    heartbeats: list[tuple[int, int]] = field(default_factory=list)
    received: list[int] = field(default_factory=list)
    beats_from: list[int] = field(default_factory=list)
    reactions: list[tuple[int, int]] = field(default_factory=list)
    protocols: list[str] = field(default_factory=list)
    rejoin_causes: set[RejoinCause] = field(default_factory=set)
    line_times: list[int] = field(default_factory=list)
    coordinator_losses: list[int] = field(default_factory=list)
    brokers_lost: list[int] = field(default_factory=list)
    rejoined_with_id: bool = False
    revokes_all: bool = False
    expired_ms: int | None = None

    @property
    def took_part(self) -> bool:
        """Whether the record has more of it than that its process ran."""
        return bool(self.joins_answered or self.starts_ms is not None or not self.logged or self.callbacks)
