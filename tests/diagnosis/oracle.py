"""How long nobody in a group had partitions, read fact by fact from a run: a naive oracle for `stopped_ms`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events.base import Recorded


@dataclass(slots=True)
class _Process:
    """`out`: it left for its late poll, or the coordinator removed it, and it did not come back since."""

    member: str = ""
    has: bool = False
    frozen: bool = False
    calls_back: bool = False
    closing: bool = False
    over: bool = False
    out: bool = False

    @property
    def lives(self) -> bool:
        return not self.over and not self.closing

    @property
    def reads(self) -> bool:
        """Whether nothing at all keeps it from taking records."""
        return self.lives and self.has and not (self.frozen or self.calls_back or self.out)


def stopped_in(facts: Sequence[Recorded], begin_ms: int, end_ms: int) -> tuple[int, int]:
    """In this part of a run: the least and the most that may be called stopped.

    Least: nobody who runs has a partition, from the first to the last instant at which somebody runs and is not about
    to close. Most: also while all who have one are frozen, call back, close, or are no members any more; not before
    anybody had one.
    """
    steps = list(_steps(facts))
    alive = [(at, until) for at, until, (lives, _, _) in steps if lives and at < end_ms and until > begin_ms]
    had = [at for at, _, (_, has, _) in steps if has]
    if not alive:
        first, last = end_ms, begin_ms
    else:
        first, last = max(begin_ms, alive[0][0], had[0] if had else end_ms), min(end_ms, alive[-1][1])
    start = max(begin_ms, had[0] if had else end_ms)
    least = sum(max(0, min(until, last) - max(at, first)) for at, until, (_, has, _) in steps if not has)
    most = sum(max(0, min(until, end_ms) - max(at, start)) for at, until, (_, _, reads) in steps if not reads)
    return least, most


def _steps(facts: Sequence[Recorded]) -> Iterator[tuple[int, int, tuple[bool, bool, bool]]]:
    """From, to, and whether anybody runs and stays, has a partition, and reads."""
    processes: dict[str, _Process] = {}
    at, state = facts[0].at_ms, (False, False, False)
    for fact in facts:
        if fact.at_ms > at:
            yield at, fact.at_ms, state
            at = fact.at_ms
        _apply(processes, fact.event)
        each = processes.values()
        state = any(x.lives for x in each), any(x.has and not x.over for x in each), any(x.reads for x in each)
    yield at, 1 << 60, state


def _apply(processes: dict[str, _Process], event: object) -> None:
    if isinstance(event, c.MemberRemoved | k.ConsumerMemberRemoved):
        for process in processes.values():
            process.out = process.out or process.member == event.member
        return
    if not isinstance(event, p.ClientEvent):
        return
    own = processes.setdefault(event.process, _Process())
    match event:
        case p.ProcessStarted():
            processes[event.process] = _Process()
        case p.JoinOk() | p.EpochReceived():
            own.out, own.member = False, event.member
        case p.ViewChanged():
            own.has = bool(event.partitions)
        case p.CallbackStart():
            own.calls_back = True
        case p.CallbackEnd():
            own.calls_back = False
        case p.Frozen():
            own.frozen = True
        case p.Thawed():
            own.frozen = False
        case p.PollExpired():
            own.out = True
        case p.CloseStarted():
            own.closing = True
        case p.Crashed() | p.Closed() | p.Failed():
            own.over = True
        case _:
            pass
