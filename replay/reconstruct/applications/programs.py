"""The programs of a group's members, from the polls that the record shows; and one draw of them for a what-if."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import median

from groupsim.events.base import Recorded
from groupsim.replay.reconstruct.applications.callbacks import Callback, listeners
from groupsim.replay.reconstruct.applications.commit_style import commits_itself
from groupsim.replay.reconstruct.applications.poll_gap import poll_gaps
from groupsim.replay.reconstruct.applications.polls import Polls, PollWait, polls_of
from groupsim.replay.reconstruct.applications.program import Program
from groupsim.replay.reconstruct.incarnation import Incarnation, Stall, StallKind
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.wording.lists import listed

_SURELY_MS = 1_000
"""A join phase that is this much longer than two heartbeat intervals waited for a poll."""
_NOTHING = Polls()


def with_programs(
    facts: Sequence[Recorded],
    group: str,
    members: Sequence[Member],
    generations: Sequence[Generation],
    heartbeat_ms: int,
    writes_ms: Sequence[int],
) -> tuple[Member, ...]:
    """The members of a group, each with its program.

    `heartbeat_ms`: the longest interval that it may have; `writes_ms`: how long writes of the coordinator took.
    """
    seen = polls_of(facts, group)
    own = {
        number: [seen.get(incarnation.name, _NOTHING) for incarnation in member.incarnations]
        for number, member in enumerate(members)
    }
    waits = {number: [wait for each in polls for wait in each.waits] for number, polls in own.items()}
    slowest = waits_for_slowest(members, generations, heartbeat_ms)
    gaps = poll_gaps(waits if slowest is None else {slowest[0]: slowest[1]})
    alike = commits_itself(list(seen.values()), round(median(writes_ms)) if writes_ms else None)
    by_kind = listeners(map(_callbacks, members))
    return tuple(
        replace(member, program=Program(gaps.get(number, (0,)), _commits_sync(own[number], alike), by_kind[number]))
        for number, member in enumerate(members)
    )


def _callbacks(member: Member) -> dict[str, list[Callback]]:
    found: dict[str, list[Callback]] = {}
    for incarnation in member.incarnations:
        for kind, callbacks in incarnation.callbacks.items():
            found.setdefault(kind, []).extend(callbacks)
    return found


def _commits_sync(polls: Iterable[Polls], alike: float) -> float:
    known = [each.commits_sync for each in polls if each.commits_sync is not None]
    return float(known[-1]) if known else alike


def drawn_programs(members: Iterable[Member], draw: Callable[[], float], heartbeat_ms: int) -> tuple[Member, ...]:
    """Each member with one of the programs that it may have; `draw` gives numbers from 0 to 1.

    One that is busy all the time is so in every rebalance, so the slow batches that its program explains are left out.
    """
    drawn = []
    for member in members:
        program = member.program.drawn(draw)
        explained_ms = 2 * program.gap_ms + heartbeat_ms if program.gap_ms else 0
        incarnations = [
            replace(incarnation, stalls=[stall for stall in incarnation.stalls if not _explained(stall, explained_ms)])
            for incarnation in member.incarnations
        ]
        drawn.append(replace(member, program=program, incarnations=tuple(incarnations)))
    return tuple(drawn)


def _explained(stall: Stall, most_ms: int) -> bool:
    if stall.kind is not StallKind.BUSY or stall.expired_ms is not None:
        return False
    return stall.from_ms is not None and stall.to_ms is not None and stall.to_ms - stall.from_ms <= most_ms


def program_notes(members: Iterable[Member]) -> list[str]:
    """A sentence on the members that are busy in every rebalance, or may be."""
    named = [f"{_whose(member)} ({_said(member.program)})" for member in members if any(member.program.gaps_ms)]
    if not named:
        return []
    return [f"the time between two polls is inferred from how late rebalances were noticed: {listed(named)}"]


def _whose(member: Member) -> str:
    logged = any(incarnation.logged for incarnation in member.incarnations)
    return member.name if logged else f"{member.name}, or another member without a log"


def _said(program: Program) -> str:
    busy = [gap for gap in program.gaps_ms if gap]
    least, most = (f"{gap:,}" for gap in (busy[0], busy[-1]))
    bounds = f"{least} ms" if least == most else f"{least} to {most} ms"
    idle = len(program.gaps_ms) - len(busy)
    return f"{bounds}; or seldom busy, in {idle / len(program.gaps_ms):.0%} of the seeds" if idle else bounds


def waits_for_slowest(
    members: Sequence[Member], generations: Sequence[Generation], heartbeat_ms: int
) -> tuple[int, list[PollWait]] | None:
    """The number of the member that join phases may have waited for, and its waits; None: nothing shows one.

    An existing member hears of a rebalance with its next heartbeat and joins at its next poll. So a join phase that
    lasts much longer than a heartbeat interval waited for a poll. The coordinator's log does not say of which member;
    one that was there each time can have been it, and for what a rebalance costs it does not matter which.
    `heartbeat_ms`: the longest interval that the group may have. Members with a log show their own polls.
    """
    if any(incarnation.logged for member in members for incarnation in member.incarnations):
        return None
    phases = [
        (generation.started_ms, generation.joined_ms)
        for generation in generations
        if generation.started_ms is not None and not generation.initial and not generation.dropped
    ]
    slow = [phase for phase in phases if phase[1] - phase[0] > 2 * heartbeat_ms + _SURELY_MS]
    always = [
        number
        for number, member in enumerate(members)
        if slow and all(any(_waited_for(i, *phase) for i in member.incarnations) for phase in slow)
    ]
    if not always:
        return None
    own = [p for p in phases if any(_waited_for(i, *p) for i in members[always[0]].incarnations)]
    return always[0], [PollWait(None, since, until, heard_within_ms=heartbeat_ms) for since, until in own]


def _waited_for(incarnation: Incarnation, since_ms: int, until_ms: int) -> bool:
    """Whether it was a member before a join phase and after it."""
    begins = -1 if incarnation.starts_ms is None else incarnation.starts_ms
    return begins < since_ms and (incarnation.ends_ms is None or incarnation.ends_ms > until_ms)
