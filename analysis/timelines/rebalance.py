"""One rebalance of a group: its named phases, who was waited for in each, and what it did to the partitions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from groupsim.events.types import TopicPartition

FOLLOW_UP_CAUSES = ("member-rejoined", "leader-rejoined")
"""Causes of the second rebalance of a cooperative assignor, in which revoked partitions get their new owners."""


class PhaseName(StrEnum):
    """What a rebalance goes through, in this order. The classic protocol has two phases.

    `JOINING`: the coordinator waits for JoinGroup of every member (Kafka: PreparingRebalance). `COMPLETING`: it waits
    for the leader's SyncGroup with the assignment (Kafka: CompletingRebalance).

    A consumer group (KIP-848) has up to five. `ASSIGNING`: the epoch has grown, and has no target yet. `TOLD`: members
    have to be informed of it, each at its next heartbeat. `REVOKING`: members give partitions up. `ACKNOWLEDGING`:
    they have, and the coordinator does not know yet. `GRANTING`: members have to be informed of partitions that others
    had. A member may be ahead of the others: each phase ends when the last member has done its part.
    """

    JOINING = "joining"
    COMPLETING = "completing"
    ASSIGNING = "assigning"
    TOLD = "told"
    REVOKING = "revoking"
    ACKNOWLEDGING = "acknowledging"
    GRANTING = "granting"


class PhaseEnd(StrEnum):
    """What ended a phase.

    `DELAY`: the initial rebalance delay passed. `JOIN`: the last member joined. `TIMEOUT`: members were missing when
    the rebalance timeout passed. `REMOVAL`: the last missing member was removed. `STORED`: the assignment was stored.
    `REACHED`: the last member of a consumer group has done its part.
    """

    DELAY = "delay"
    JOIN = "join"
    TIMEOUT = "timeout"
    REMOVAL = "removal"
    STORED = "stored"
    REACHED = "reached"


@dataclass(slots=True)
class Phase:
    """One phase, in ms of the run. `to_ms` is None while it lasts; `ended_by` also where the rebalance was given up.

    `waited_for`: the process whose action ended the phase, or the member id where no process is known; None where it
    was no member (the initial delay) or the logs do not name all members.
    """

    name: PhaseName
    from_ms: int
    to_ms: int | None = None
    ended_by: PhaseEnd | None = None
    waited_for: str | None = None


@dataclass(slots=True)
class Rebalance:
    """One rebalance; times in ms of the run, None where it is still running or no log says it.

    Members are named by their process ids where these are known, else by their member ids.

    `phases` follow each other without gaps; a rebalance given up for another one has fewer of them. It ends when the
    assignment is stored, when the group is empty, when another rebalance takes its place, or when a new coordinator
    forgets it; in the last two cases it moves nothing. `stored`: it ended with an assignment, which is `assignment`.
    `generation` is the one it led to, `follows` that of the rebalance whose cooperative follow-up it is, `rounds` its
    place in a row of follow-ups by the coordinator's assignments alone (1: it is none).

    A rebalance of a consumer group is the growth of its epoch, which is `generation`. It ends when each member it had
    then has reached this epoch or a later one, or is gone; so rebalances may overlap, and one whose target was never
    computed, because the next one came first, moves nothing. It is also over when the group
    changes its protocol.

    `initiator`: the member that caused it. `expected`: the members at its start. `arrived_ms`: the last JoinGroup of
    each that joined; in a consumer group, when each reached the epoch. `joined`: how many did. `removal_cause`: why the
    member was removed that the join phase waited for. `leader`: who computes the assignment. `slowest_member`: a member
    that was dropped, or left out as absent, for not joining; else the last to join, or the leader, where the second
    phase was the longer one; in a consumer group the last to reach the epoch.

    `at_least`: the record shows the end of the join phase and not its beginning (`__consumer_offsets` alone), so it
    began then or before, and took at least so long; who was slowest is unknown.

    `moved`: partitions assigned to another member than the one that had them last (a partition withheld in round 1
    moves in round 2). `revoked`: partitions that their owner does not have any more. Both are None where the assignment
    before or after is unknown. `members` is None where no log counts them.
    """

    group: str
    cause: str
    phases: list[Phase]
    generation: int | None = None
    initial: bool = False
    initiator: str | None = None
    follows: int | None = None
    rounds: int = 1
    stored: bool = False
    emptied: bool = False
    joined: int = 0
    at_least: bool = False
    leader: str | None = None
    removal_cause: str | None = None
    slowest_member: str | None = None
    moved: int | None = None
    revoked: int | None = None
    expected: tuple[str, ...] = ()
    arrived_ms: dict[str, int] = field(default_factory=dict)
    assignment: dict[TopicPartition, str] = field(default_factory=dict)

    @property
    def started_ms(self) -> int:
        """When its first phase began."""
        return self.phases[0].from_ms

    @property
    def ended_ms(self) -> int | None:
        """When its last phase ended; None while it runs."""
        return self.phases[-1].to_ms

    @property
    def duration_ms(self) -> int | None:
        """From the start to the end; None while it runs."""
        return None if self.ended_ms is None else self.ended_ms - self.started_ms

    @property
    def members(self) -> int | None:
        """How many members it left in the group; 0 if it emptied the group."""
        return 0 if self.emptied else self.joined or None

    @property
    def join_phase(self) -> Phase:
        """The first phase of the classic protocol."""
        return self.phases[0]

    @property
    def by_epoch(self) -> bool:
        """It is one of a consumer group: it has no join phase."""
        return self.phases[0].name not in (PhaseName.JOINING, PhaseName.COMPLETING)

    @property
    def joined_ms(self) -> int | None:
        """When the join phase was completed; None before, and where the rebalance was given up or has no such phase."""
        return self.phases[1].from_ms if len(self.phases) > 1 and not self.by_epoch else None

    @property
    def sync_timed_out(self) -> bool:
        """The leader (or another member) did not send its SyncGroup within the rebalance timeout."""
        last = self.phases[-1]
        return last.name == PhaseName.COMPLETING and last.ended_by == PhaseEnd.TIMEOUT

    @property
    def second_last_join_ms(self) -> int:
        """When the join phase would have ended without the member it waited for: the last join of another one."""
        waited_for = self.join_phase.waited_for
        others = [at for name, at in self.arrived_ms.items() if name != waited_for]
        return max([self.started_ms, *others])

    @property
    def assignment_took_longer(self) -> bool:
        """The time from the join phase's end to the rebalance's end was longer than the join phase."""
        if self.joined_ms is None or self.ended_ms is None:
            return False
        return self.ended_ms - self.joined_ms > self.joined_ms - self.started_ms
