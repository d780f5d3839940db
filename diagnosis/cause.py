"""A cause: all that is known of one reason why groups rebalance, stop, or lose partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from groupsim.diagnosis.codes import Code, GroupType
from groupsim.diagnosis.finding import Evidence, Finding, Place, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Departure, Join
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.shared_ids import named_apart
from groupsim.diagnosis.stopped import eager
from groupsim.incidents.logs.client_libraries import client_of
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

_STATIC = "group.instance.id"
EVIDENCE = 4
"""The most lines that a finding names."""

_NOTHING = "nothing is wrong"
_GENTLE = "use cooperative-sticky (or group.protocol=consumer): then only the partitions that move stop"

STEPWISE = Remedy(
    f"or {_GENTLE}",
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


_EVENTS = 3
"""So many are shown with their times each."""


def evidence_of(lines: Sequence[Said], most: int = EVIDENCE) -> Evidence:
    """What a finding says of the lines that show it, the clearest first."""
    places: dict[Place, None] = {}
    for line in lines:
        places[line.place] = None
        if len(places) == most:
            break
    return Evidence(*span(lines), tuple(places))


def evidence_of_events(events: Sequence[Sequence[Said]], more: Sequence[Said] = ()) -> Evidence:
    """The same of something that happened once or more, by the lines of each time: first one line of each. `more`:
    clearer lines than these.
    """
    first = [event[0] for event in events]
    evidence = evidence_of([*more, *first, *(line for event in events for line in event)])
    spans = [(begin, end) for begin, end in map(span, events) if begin is not None and end is not None]
    few = 1 < len(events) <= _EVENTS and len(spans) == len(events)
    return evidence._replace(each=tuple(spans)) if few else evidence


def nothing_wrong(log: GroupLog | None, unless: str = "", together: str = "") -> Remedy:
    """Of what somebody did: nothing is wrong (`unless`: under which condition), and what makes its pause shorter, where
    the group has such a thing. `together`: what else does so. Of no log: with all that may be said. Without a trial:
    that nothing is wrong stays true, whatever a simulation says of the pause.
    """
    gentle = log is None or (eager_consumers(log) and log.can(STEPWISE.needs))
    untried = "" if log is None else " (not simulated, as nothing is wrong)"
    ways = [way for way in (together, f"{_GENTLE}{untried}" if gentle else "") if way]
    less = f"; if the pause hurts, {', or '.join(ways)}" if ways else ""
    return Remedy(f"{_NOTHING}{unless}{less}", STEPWISE.settings if gentle else (), brief=_NOTHING)


def eager_consumers(log: GroupLog) -> bool:
    """Whether it is a group of several consumers that give up all they have in each rebalance, as far as lines show."""
    return log.type in (GroupType.CLASSIC, GroupType.UNKNOWN) and eager(log) is not False and not log.alone


def hedged(log: GroupLog, remedies: tuple[Remedy, ...]) -> tuple[Remedy, ...]:
    """Remedies with a word on which client library has a group.instance.id, where the lines do not tell."""
    if Program.KAFKA_PYTHON in log.libraries:
        where = " (kafka-python has it since 2.3.0)"
    else:
        where = "" if log.libraries else " (if your client library has it)"
    return tuple(
        remedy._replace(what=remedy.what.replace(_STATIC, f"{_STATIC}{where}", 1))
        if remedy.needs == _STATIC
        else remedy
        for remedy in remedies
    )


def with_its_id(log: GroupLog, move: Departure | Join) -> str:
    """Who came or went: with the first digits of its member id, where the group has other members of its client id."""
    (name,) = log.called([move.who])
    if move.member is None or name in log.clients or client_of(move.member) != name:
        return name
    alike = any(member != move.member and who == name for member, who in log.names.items())
    return named_apart(name, move.member) if alike else name


def span(lines: Iterable[Said]) -> tuple[int | None, int | None]:
    """The first and the last instant of lines; None without times."""
    times = [line.at for line in lines if line.at is not None]
    return (min(times), max(times)) if times else (None, None)


def until_back(log: GroupLog, gone: Iterable[Departure]) -> list[Said]:
    """The lines with which members went, and those with which they came back."""
    lines = list[Said]()
    for departure in gone:
        join = log.came_back(departure)
        lines += [departure.first] if join is None else [departure.first, join.said]
    return lines


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
