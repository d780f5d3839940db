"""What partitions of a simulated run waited for although their owner kept its membership: it was frozen, reached
nothing, or had paused them.

No log shows it: a process that is frozen writes no line, and a session that outlasts the stop ends nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from groupsim.analysis.availability.labels import Interval, Label, SubLabel, Where
from groupsim.analysis.availability.outages import Span, joined
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of


class How(StrEnum):
    """What the owner did, as a sentence says it."""

    FROZEN = "frozen"
    CUT = "cut off from the data"
    NO_BROKER = "without any broker"
    PAUSED = "paused by its application"


_HOW = {
    (Label.OWNER_STALLED, None): How.FROZEN,
    (Label.OWNER_STALLED, SubLabel.DATA_CUT): How.CUT,
    (Label.OWNER_STALLED, SubLabel.NO_BROKER): How.NO_BROKER,
    (Label.PAUSED_APP, None): How.PAUSED,
}


class Wait(NamedTuple):
    """One process, from when to when (ms of the run), and which partitions waited for it meanwhile, after start-up.

    `ended`: whether it was over before the run was. `facts`: the numbers of the facts that say so, if any.
    """

    client: str
    how: How
    from_ms: int
    to_ms: int
    ended: bool
    partitions: int
    partition_ms: int
    facts: tuple[int, ...] = ()


def waits_of(facts: Sequence[Recorded], unavailable: Iterable[Interval], end_ms: int) -> dict[str, tuple[Wait, ...]]:
    """By group. `unavailable`: the pieces of intervals that count, without start-up; `end_ms`: where the run ends."""
    names = {event.process: event.client_id for fact in facts if isinstance(event := fact.event, p.ProcessStarted)}
    waited: dict[tuple[str, str, How], list[tuple[Where, Span]]] = defaultdict(list)
    for piece in unavailable:
        how = _HOW.get((Label(piece.label), None if piece.sub_label is None else SubLabel(piece.sub_label)))
        if how is not None and piece.member is not None:
            waited[piece.group, piece.member, how].append((piece.where, (piece.from_ms, piece.to_ms)))
    found: dict[str, list[Wait]] = defaultdict(list)
    for group, process, span, places in _freezes(facts, end_ms):
        found[group].append(
            _wait(process, How.FROZEN, span, waited.get((group, process, How.FROZEN), ()), end_ms, places)
        )
    for (group, process, how), pieces in waited.items():
        if how is not How.FROZEN:
            found[group] += [_wait(process, how, span, pieces, end_ms) for span in joined(s for _, s in pieces)]
    return {
        group: tuple(sorted(wait._replace(client=names.get(wait.client, wait.client)) for wait in waits))
        for group, waits in found.items()
    }


def _wait(
    process: str, how: How, span: Span, pieces: Iterable[tuple[Where, Span]], end_ms: int, facts: tuple[int, ...] = ()
) -> Wait:
    """The wait for one process in one span, with those of the pieces that lie in it."""
    since, to = span
    own = [(where, min(end, to) - max(begin, since)) for where, (begin, end) in pieces if begin < to and end > since]
    places, partition_ms = {where for where, _ in own}, sum(ms for _, ms in own)
    return Wait(process, how, since, to, to < end_ms, len(places), partition_ms, facts)


def _freezes(facts: Iterable[Recorded], end_ms: int) -> Iterable[tuple[str, str, Span, tuple[int, ...]]]:
    """Group and process, from when to when it was frozen, and the numbers of the facts that say so."""
    frozen: dict[str, Recorded] = {}
    for fact in facts:
        match fact.event:
            case p.Frozen(process=process):
                frozen[process] = fact
            case p.Thawed(process=process) | p.Crashed(process=process) | p.Closed(process=process):
                begin = frozen.pop(process, None)
                if begin is not None:
                    yield group_of(fact.stream) or "", process, (begin.at_ms, fact.at_ms), (begin.seq, fact.seq)
    for process, begin in frozen.items():
        yield group_of(begin.stream) or "", process, (begin.at_ms, end_ms), (begin.seq,)
