"""Facts written by hand, and what an invariant finds in them."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import NETWORK_STREAM, WORLD_STREAM, Event, Recorded
from groupsim.events.group import CommitAccepted, GroupCreated
from groupsim.events.network import LinkCut, LinkHealed
from groupsim.events.types import Partitions, Plan, TopicPartition
from groupsim.events.world import GroupDeclared, RunEnded, TopicCreated
from groupsim.invariants import Invariant, Violation, Watch

Timed = tuple[int, Event]


def watch(invariant: Invariant, *timed: Timed) -> list[Violation]:
    """The violations that the invariant finds in these facts and at their end."""
    every = Watch([invariant])
    for seq, (at_ms, event) in enumerate(timed):
        stream = "group:billing"
        if isinstance(event, p.ClientEvent):
            stream = f"client:billing/{event.process}"
        elif isinstance(event, LinkCut | LinkHealed):
            stream = NETWORK_STREAM
        elif isinstance(event, TopicCreated | GroupDeclared | RunEnded):
            stream = WORLD_STREAM
        every.observe(Recorded("r", seq, at_ms, stream, seq, event))
    every.finish()
    return every.violations[invariant.name]


def tps(*numbers: int) -> Partitions:
    return tuple(TopicPartition("orders", n) for n in numbers)


def stored(at_ms: int, generation: int, plan: Plan | None) -> Timed:
    return at_ms, c.AssignmentStored(generation=generation, assignment=plan)


def completed(at_ms: int, generation: int, *members: str, dropped: tuple[str, ...] = ()) -> Timed:
    done = c.JoinPhaseCompleted(generation=generation, members=members, size=len(members), dropped=dropped)
    return at_ms, done


def commit(at_ms: int, member: str, generation: int) -> Timed:
    return at_ms, CommitAccepted(member=member, generation=generation, offsets=(("orders", 0, 1),))


CREATED: Timed = (0, GroupCreated())
