"""A cause: all that is known of one reason why groups rebalance, stop, or lose partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from groupsim.diagnosis.codes import Code, GroupType
from groupsim.diagnosis.finding import Evidence, Finding, Place, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind

EVIDENCE = 4
"""The most lines that a finding names."""

STEPWISE = Remedy(
    "or use a protocol under which only what moves stops: cooperative-sticky, or group.protocol=consumer",
    ("partition.assignment.strategy", "group.protocol"),
    trial=(("assignor", "cooperative-sticky"),),
    needs="cooperative-sticky",
)
"""For classic groups of consumers that are eager; others have a protocol of their own, or such a one already."""


class Message(NamedTuple):
    """What one client library or the broker prints, as somebody would search for it."""

    library: str
    text: str


class Cause(NamedTuple):
    """One cause, with everything that is said of it: in an answer, and on its page.

    `title`: a few words. `means`: what it is. `seen`: the messages that show it, by who prints them. `do`: what usually
    helps. `find`: looks for it in a log. `not_in`: group types in which it can't occur. `symptoms`: what people see.
    """

    code: Code
    title: str
    means: str
    seen: tuple[Message, ...]
    do: tuple[Remedy, ...]
    find: Callable[[GroupLog], Finding | None]
    confirm: str | None = None
    not_in: frozenset[GroupType] = frozenset()
    symptoms: tuple[str, ...] = ()
    see: tuple[str, ...] = ()


def evidence_of(lines: Sequence[Said], most: int = EVIDENCE) -> Evidence:
    """What a finding says of the lines that show it, the clearest first."""
    places: dict[Place, None] = {}
    for line in lines:
        places[line.place] = None
        if len(places) == most:
            break
    return Evidence(*span(lines), tuple(places))


def span(lines: Iterable[Said]) -> tuple[int | None, int | None]:
    """The first and the last instant of lines; None without times."""
    times = [line.at for line in lines if line.at is not None]
    return (min(times), max(times)) if times else (None, None)


def lines_with(log: GroupLog, words: Sequence[str], *kinds: RowKind) -> list[Said]:
    """The lines whose reason or error has one of these words; of these kinds, or of any."""
    return [
        line
        for line in log.said
        if line.reason and (not kinds or line.row.kind in kinds) and any(word in line.reason for word in words)
    ]


def names(who: Iterable[str]) -> tuple[str, ...]:
    """Each name once, in order."""
    return tuple(dict.fromkeys(who))


def one_or_many(who: Sequence[str], many: str = "members") -> str:
    """The name of the only one, else how many there are; `a member` where there is no name."""
    return who[0] if len(who) == 1 else f"{len(who)} {many}" if who else "a member"
