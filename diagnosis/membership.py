"""Who came and went: departures with what became of them, and arrivals of those who were not there before."""

from __future__ import annotations

from dataclasses import dataclass, field

from groupsim.diagnosis.codes import GroupType
from groupsim.diagnosis.moves import Arrival, Departure, Going
from groupsim.diagnosis.said import client_of
from groupsim.diagnosis.story import Story
from groupsim.incidents.logs.row_kinds import RowKind

STARTS_WITHIN_MS = 30_000
_RESTARTS_WITHIN_MS = 120_000
"""Longer than a container needs to stop (30 s of grace) and to start."""
_YOUNG = 4
_ON_PURPOSE = (Going.CLOSED, Going.LEFT, Going.REPLACED)


@dataclass(slots=True)
class Membership:
    """`back`: closed or replaced, and came back. `emptied`: of these, those that left the group without any member.

    `gone`: closed and did not come back. `new`: arrivals into a group that was there, of somebody who had not gone.
    `first`: arrivals of the start: into an empty group, or in a client's own log.
    """

    back: list[tuple[Departure, Arrival]] = field(default_factory=list)
    emptied: list[tuple[Departure, Arrival]] = field(default_factory=list)
    gone: list[Departure] = field(default_factory=list)
    new: list[Arrival] = field(default_factory=list)
    first: list[Arrival] = field(default_factory=list)


def membership(story: Story) -> Membership:
    """What became of each departure on purpose, and who is new."""
    found = Membership()
    taken: set[int] = set()
    for departure in story.departures:
        if _visitor(story, departure):
            arrival = None
        else:
            arrival = story.came_back(departure) or _unnamed_return(story, departure, taken)
        if arrival is not None:
            taken.add(arrival.said.nth)
        if departure.going not in _ON_PURPOSE:
            continue
        if arrival is None:
            found.gone.append(departure)
        elif _emptied(story, departure, arrival):
            found.emptied.append((departure, arrival))
        elif _restarts(departure, arrival):
            found.back.append((departure, arrival))
        else:
            found.gone.append(departure)
            found.new.append(arrival)
    _add_arrivals(story, found, taken)
    return found


def _add_arrivals(story: Story, found: Membership, taken: set[int]) -> None:
    """The arrivals that end no departure: those of the start, and those of somebody new."""
    went = min((d.first.nth for d in story.departures), default=len(story.said) + 10**9)
    starting = story.arrivals[0] if story.arrivals and _is_young(story) else None
    for arrival in story.arrivals:
        if arrival.said.nth in taken or arrival.static:
            continue
        own = arrival.said.client is not None and not story.has_broker
        if own or arrival.empty or (starting is not None and arrival.said.nth < went and _soon(starting, arrival)):
            found.first.append(arrival)
            starting = arrival
        else:
            found.new.append(arrival)


def _visitor(story: Story, departure: Departure) -> bool:
    """Whether a member came and went while another one of its client id stayed: then the name does not tell which of
    them comes next, and it was a guest rather than a part of the deployment.
    """
    if departure.member is None or not departure.by_broker:
        return False
    first, _ = story.mentions.get(departure.member, (0, 0))
    came = any(a.member == departure.member and not a.empty for a in story.arrivals)
    return came and any(
        member != departure.member
        and story.who(member) == departure.who
        and begin < first
        and end > departure.said[-1].nth
        for member, (begin, end) in story.mentions.items()
    )


def _restarts(departure: Departure, arrival: Arrival) -> bool:
    """Whether it came back soon enough for a restart; who comes later is there for another reason."""
    at, back = departure.at, arrival.said.at
    return at is None or back is None or back - at < _RESTARTS_WITHIN_MS


def _is_young(story: Story) -> bool:
    """Whether the first generation or epoch in sight is one of the first: then who joins belongs to the start."""
    numbers = (line.row.detail.get(name) for line in story.said for name in ("generation", "epoch", "old_generation"))
    return next((number for number in numbers if isinstance(number, int) and number >= 0), _YOUNG) < _YOUNG


def _soon(before: Arrival, arrival: Arrival) -> bool:
    """Whether both are of one start: members of a deployment start within seconds of each other."""
    return before.said.at is None or arrival.said.at is None or arrival.said.at - before.said.at < STARTS_WITHIN_MS


def _unnamed_return(story: Story, departure: Departure, taken: set[int]) -> Arrival | None:
    """Under the consumer protocol a broker's log names no clients: who joins next after a leave may be the same."""
    if story.type is not GroupType.CONSUMER or not departure.by_broker or departure.who in story.clients:
        return None
    return next(
        (
            arrival
            for arrival in story.arrivals
            if arrival.said.nth > departure.said[-1].nth
            and arrival.said.nth not in taken
            and client_of(arrival.who) is None
        ),
        None,
    )


def _emptied(story: Story, departure: Departure, arrival: Arrival) -> bool:
    """Whether the group had no member in between."""
    if arrival.empty and arrival.said.client is None:
        return True
    first, last = departure.first.nth, arrival.said.nth
    if any(first <= line.nth <= last for line in story.of(RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD)):
        return True
    return not story.has_broker and only_member(story, departure.who)


def only_member(story: Story, client: str) -> bool:
    """Whether a leader's plans show that the client was alone."""
    plans = [
        line.row.detail.get("assignment")
        for line in story.of(RowKind.LEADER_COMPUTED_ASSIGNMENT)
        if line.client == client
    ]
    return bool(plans) and all(isinstance(plan, dict) and len(plan) == 1 for plan in plans)
