"""The programs of a group's members, from the polls that the record shows; and one draw of them for a what-if."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import median

from groupsim.events.base import Recorded
from groupsim.replay.reconstruct.applications.callbacks import Callback, listeners
from groupsim.replay.reconstruct.applications.commit_style import commits_itself
from groupsim.replay.reconstruct.applications.join_phases import waits_for_slowest
from groupsim.replay.reconstruct.applications.poll_gap import poll_gaps
from groupsim.replay.reconstruct.applications.polls import Polls, polls_of
from groupsim.replay.reconstruct.applications.program import Program
from groupsim.replay.reconstruct.incarnation import Stall, StallKind
from groupsim.replay.reconstruct.members import Member
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.wording.lists import listed

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
    found = []
    for member in members:
        program = member.program.drawn(draw)
        explained_ms = 2 * program.gap_ms + heartbeat_ms if program.gap_ms else 0
        incarnations = [
            replace(each, stalls=[stall for stall in each.stalls if not _explained(stall, explained_ms)])
            for each in member.incarnations
        ]
        found.append(replace(member, program=program, incarnations=tuple(incarnations)))
    return tuple(found)


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
