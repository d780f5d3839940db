"""Generation: one completed join phase by the coordinator's facts alone, of recorded and of simulated runs.

`analysis.timelines` shows rebalances to people: it names processes, and has those that were given up. A replay compares
what the coordinator says on both sides: member ids, sizes, the assignor, also of a join phase without a known start.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from groupsim.analysis.consumer_group_state import ConsumerGroupState
from groupsim.analysis.epoch_causes import EpochCauses
from groupsim.events import classic as c
from groupsim.events import consumer as k
from groupsim.events.base import Event, Recorded, group_stream
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupEmptied
from groupsim.events.tasks_as_partitions import as_partitions
from groupsim.events.types import MemberId, RejoinCause


@dataclass(frozen=True, slots=True)
class Generation:
    """One completed join phase; times in ms of the run. None: unknown, or it did not happen.

    The join phase runs from `started_ms` to `joined_ms`, the sync phase from there to `synced_ms`. `leader`: whose
    assignment the broker's log shows. `member` caused it, for the reason `client_cause` by its own words. `size`: how
    many members joined, `members`: their ids where they are known; `dropped` did not join in time.
    """

    number: int
    cause: str
    size: int
    joined_ms: int
    started_ms: int | None = None
    synced_ms: int | None = None
    leader: MemberId | None = None
    member: MemberId | None = None
    client_cause: RejoinCause | None = None
    members: tuple[MemberId, ...] | None = None
    protocol: str | None = None
    initial: bool = False
    dropped: tuple[MemberId, ...] = ()

    @property
    def join_ms(self) -> int | None:
        """How long the join phase took."""
        return None if self.started_ms is None else self.joined_ms - self.started_ms

    @property
    def sync_ms(self) -> int | None:
        """How long the sync phase took; None where another rebalance came first."""
        return None if self.synced_ms is None else self.synced_ms - self.joined_ms


def generations_of(facts: Iterable[Recorded], group: str) -> list[Generation]:
    """All completed join phases of one group, in order; works on recorded and on simulated runs."""
    generations: list[Generation] = []
    started: tuple[int, c.RebalanceStarted] | None = None
    epochs = Epochs()
    stream = group_stream(group)
    for fact in as_partitions(facts):
        if fact.stream != stream:
            continue
        generations += epochs.apply(fact.event, fact.at_ms)
        if epochs.reached and generations and generations[-1].synced_ms is None:
            generations[-1] = replace(generations[-1], synced_ms=fact.at_ms)
        match fact.event:
            case c.RebalanceStarted() as start:
                started = fact.at_ms, start
            case c.JoinPhaseCompleted() as done:
                generations.append(_completed(fact.at_ms, done, started))
                started = None
            case c.AssignmentStored(generation=number, leader=leader) if generations and started is None:
                if generations[-1].number == number and generations[-1].synced_ms is None:
                    generations[-1] = replace(generations[-1], synced_ms=fact.at_ms, leader=leader)
            case CoordinatorUnloaded() | CoordinatorLoaded() | GroupEmptied():
                started = None
    return generations


class Epochs:
    """Epochs of a consumer group as generations: from the bump to the target, and till all members have reached it."""

    def __init__(self) -> None:
        self._state = ConsumerGroupState()
        self._causes = EpochCauses()
        self._started: tuple[int, c.RebalanceStarted] | None = None
        self._target = False

    @property
    def reached(self) -> bool:
        """All members have reached the last target, just now."""
        if self._target and self._state.members and not self._state.rebalancing:
            self._target = False
            return True
        return False

    def apply(self, event: Event, at_ms: int) -> list[Generation]:
        """Fold one fact of the group's coordinator; the generation that it completes, if it does."""
        self._state.apply(event)
        cause = self._causes.apply(event)
        if isinstance(event, k.GroupEpochBumped) and cause is not None and self._started is None:
            self._started = (
                at_ms,
                c.RebalanceStarted(
                    generation=event.epoch - 1, cause=cause.word, reason=cause.word, initial=False, member=cause.member
                ),
            )
        if not isinstance(event, k.TargetComputed):
            return []
        members = tuple(sorted(self._state.members))
        done = c.JoinPhaseCompleted(generation=event.epoch, protocol=event.assignor, members=members, size=len(members))
        started, self._started, self._target = self._started, None, True
        return [_completed(at_ms, done, started)]


def _completed(at_ms: int, done: c.JoinPhaseCompleted, started: tuple[int, c.RebalanceStarted] | None) -> Generation:
    known = Generation(
        number=done.generation,
        cause="unknown",
        size=done.size,
        joined_ms=at_ms,
        members=done.members,
        protocol=done.protocol,
        dropped=done.dropped,
    )
    if started is None:
        return known
    at, start = started
    initial = start.initial or start.generation <= 0
    return replace(
        known, cause=start.cause, client_cause=start.client_cause, started_ms=at, member=start.member, initial=initial
    )
