"""Processes that were frozen for less than their session: only a heartbeat that came too late shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from groupsim.replay.reconstruct.incarnation import Incarnation, Stall, StallKind
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION, Inferred
from groupsim.replay.reconstruct.inferred_settings.lateness import EARLY_MS
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.wording.numbers import seconds

_LATE_MS = 300
"""A heartbeat is late by this much, and by a tenth of its interval, without any reason."""
_DRIFT_MS, _MOST_DRIFT_MS = 8, 20
"""And by so much for each interval since the member joined, usually and on a busy machine."""
_WITNESSES = 2
"""So many other heartbeats that came earlier show that an interval is the right one, and how late all of them are."""
QUIET = (
    "no log shows a fault after the members joined; a process that was frozen for less than its session would leave no"
    " trace in them, and what that cost is in none of these figures"
)


class ShortStop(NamedTuple):
    """A process that answered nothing when a heartbeat was due, until that was `heard_ms`; ms of the run.

    It was frozen between `since_ms` and `due_ms`: since its last line at the earliest.
    """

    name: str
    since_ms: int
    due_ms: int
    heard_ms: int

    def stall(self) -> Stall:
        """What a replay makes of it."""
        return Stall(StallKind.FROZEN, min(self.since_ms + 1, self.due_ms), self.heard_ms, by_ms=self.due_ms)

    def note(self) -> str:
        """What is assumed."""
        frozen = f"from {seconds(self.since_ms)} to {seconds(self.due_ms)} s of the record (each seed draws a time)"
        return (
            f"{self.name} heard of a rebalance {self.heard_ms - self.due_ms} ms after its heartbeat was due: assumed to"
            f" have been frozen {frozen} until {seconds(self.heard_ms)} s; in the record's own figure it serves"
            " meanwhile"
        )


class Stopped(NamedTuple):
    """The members of a group with the stops that surely were; the processes that were stopped at all; the notes."""

    members: tuple[Member, ...]
    names: tuple[str, ...]
    notes: list[str]


class _Heard(NamedTuple):
    """A heartbeat that reported a rebalance: when that began, and when the heartbeat was due."""

    incarnation: Incarnation
    joined_ms: int
    began_ms: int
    due_ms: int
    heard_ms: int
    beats: int

    @property
    def after_due_ms(self) -> int:
        return self.heard_ms - self.due_ms

    def later_than(self, usual_ms: int, interval_ms: int, drift_ms: int) -> bool:
        return self.after_due_ms > usual_ms + self.late_ms(interval_ms, drift_ms)

    def late_ms(self, interval_ms: int, drift_ms: int) -> int:
        return _LATE_MS + interval_ms // 10 + drift_ms * self.beats


def stopped_members(
    members: Sequence[Member], generations: Sequence[Generation], inferred: Inferred, quiet: bool
) -> Stopped:
    """What the heartbeats of a group show. `quiet`: no log shows that anything else happened.

    Where the heartbeat interval is open, a stop is replayed with the intervals that it follows from.
    """
    incarnations = [incarnation for member in members for incarnation in member.incarnations]
    stops = short_stops(incarnations, generations, inferred.values) if HEARTBEAT in inferred.known else []
    likely = inferred.open.get(HEARTBEAT, (inferred.values[HEARTBEAT],))
    found = {*(stop.name for stop in stops), *seem_stopped(members, generations, likely)}
    names = tuple(incarnation.name for incarnation in incarnations if incarnation.name in found)
    return Stopped(
        with_stops(members, stops), names, [QUIET] if quiet and not names else [stop.note() for stop in stops]
    )


def short_stops(
    incarnations: Iterable[Incarnation], generations: Sequence[Generation], settings: Mapping[str, int]
) -> list[ShortStop]:
    """The processes that heard of a rebalance more than one heartbeat interval late, and nothing else explains it."""
    interval_ms, stops = settings[HEARTBEAT], []
    for heard in _heard(incarnations, generations, interval_ms):
        beyond = heard.heard_ms - heard.began_ms > interval_ms + heard.late_ms(interval_ms, _DRIFT_MS)
        if beyond and heard.later_than(0, interval_ms, _DRIFT_MS):
            lines = [at for at in heard.incarnation.line_times if at < heard.due_ms]
            since = max([heard.joined_ms, heard.heard_ms - settings[SESSION], *lines[-1:]])
            stops.append(ShortStop(heard.incarnation.name, since, heard.due_ms, heard.heard_ms))
    return stops


def with_stops(members: Sequence[Member], stops: Iterable[ShortStop]) -> tuple[Member, ...]:
    """The members, frozen at these times, too."""
    stalls = defaultdict(list)
    for stop in stops:
        stalls[stop.name].append(stop.stall())
    return tuple(
        replace(member, incarnations=tuple(_frozen(each, stalls.get(each.name, ())) for each in member.incarnations))
        for member in members
    )


def seem_stopped(
    members: Sequence[Member], generations: Sequence[Generation], intervals_ms: Sequence[int]
) -> tuple[str, ...]:
    """The processes that were stopped some time, by their names: with most of these heartbeat intervals.

    A process that was stopped goes on with heartbeats counted from then, between those of the members that joined with
    it. Programs that work long between polls have late heartbeats anyway, and are left out.
    """
    idle = [i for member in members if not any(member.program.gaps_ms) for i in member.incarnations]
    out_of_step = [_out_of_step(idle, generations, interval_ms) for interval_ms in intervals_ms]
    return tuple(
        incarnation.name
        for incarnation in idle
        if sum(incarnation.name in names for names in out_of_step) * 2 > len(intervals_ms)
    )


def _out_of_step(idle: Sequence[Incarnation], generations: Sequence[Generation], interval_ms: int) -> set[str]:
    together = defaultdict(list)
    for heard in _heard(idle, generations, interval_ms):
        together[heard.incarnation.generation_at.get(heard.joined_ms), heard.began_ms].append(heard)
    names = set()
    for same in together.values():
        usual_ms = max(0, sorted(heard.after_due_ms for heard in same)[:_WITNESSES][-1])
        late = {heard.incarnation.name for heard in same if heard.later_than(usual_ms, interval_ms, _MOST_DRIFT_MS)}
        if len(same) - len(late) >= max(_WITNESSES, len(late)):
            names |= late
    return names


def _heard(
    incarnations: Iterable[Incarnation], generations: Sequence[Generation], interval_ms: int
) -> Iterator[_Heard]:
    """Each was due first after the rebalance began, or just before that, where it was a little late."""
    for incarnation in incarnations:
        for joined, heard in incarnation.heartbeats:
            began = [
                g.started_ms
                for g in generations
                if g.started_ms is not None and g.cause != "unknown" and joined < g.started_ms <= heard
            ]
            if began and not _explained(incarnation, joined, heard):
                after, until = began[0] - joined, heard + EARLY_MS - joined
                beats = max(1, min(-(-after // interval_ms), until // interval_ms))
                yield _Heard(incarnation, joined, began[0], joined + beats * interval_ms, heard, beats)


def _frozen(incarnation: Incarnation, stalls: Sequence[Stall]) -> Incarnation:
    if not stalls:
        return incarnation
    return replace(incarnation, stalls=sorted([*incarnation.stalls, *stalls], key=lambda each: each.to_ms or 0))


def _explained(incarnation: Incarnation, joined_ms: int, heard_ms: int) -> bool:
    """Whether something else is known of that time: it lost its coordinator, was removed or frozen anyway."""
    lost = any(joined_ms < at <= heard_ms for at in incarnation.coordinator_losses)
    return lost or any(
        (stall.expired_ms or stall.from_ms or 0) <= heard_ms and (stall.to_ms is None or stall.to_ms > joined_ms)
        for stall in incarnation.stalls
    )


def is_quiet(incarnations: Iterable[Incarnation]) -> bool:
    """Whether no log shows that anything happened to a process."""
    return not any(each.ending or each.stalls or each.subscriptions or each.coordinator_losses for each in incarnations)
