"""Life: what the log of one process proves, read once, line by line, by the table of evidence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.account.evidence import BY_KIND, Evidence, Moment, Property, shows_callback_over
from groupsim.incidents.account.rules import Place, Rule, Why
from groupsim.incidents.account.spans import INF, Span
from groupsim.incidents.account.times import Times
from groupsim.incidents.account.track import OPEN, Cover, Open, Track
from groupsim.incidents.account.when import When
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.typed_fields import int_in, partitions_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row

STARTED = Rule("started", "its log begins with what a process says when it starts", "KafkaConsumer")
CUT_HEAD = Rule(
    "log begins late",
    "its log begins in the middle: it ran before, and what it held is not known",
    "",
    "its log from its start on",
)
TOLD = Rule("told all", "the line says all that it holds", "AbstractMembershipManager.maybeReconcile")
_EAGER = frozenset(["range", "roundrobin", "sticky"])
"""Assignors by which a member gives up all before it joins (KIP-429)."""
_TELLS = frozenset([RowKind.LOST, RowKind.CLIENT_RECONCILING])
ASKED_ANEW = Rule(
    "asks anew",
    "it has nothing when it asks to join, unless it is a static member that comes back",
    "AbstractMembershipManager.transitionToJoining",
)
CLOSED = Rule("closed", "it was closed", "ConsumerCoordinator.close, AsyncKafkaConsumer.close")
_STARTS = frozenset(
    [
        RowKind.CLIENT_CONFIGURED,
        RowKind.CLIENT_SETTING,
        RowKind.CLIENT_SUBSCRIBED,
        RowKind.CLIENT_ADDED,
    ]
)
"""What only a process that starts says; others of its first lines it says again later."""
Given = frozenset[TopicPartition] | Open


class Said(NamedTuple):
    """A line about a group: what was read of it, when it was written, and its place in its file, from 0."""

    row: Row
    when: When
    order: int

    @property
    def place(self) -> Place:
        """File and line."""
        return Place(self.row.file, self.row.line)


class Joined(NamedTuple):
    """A process joined a generation, `number`: between `asked` and `at`, as this member."""

    number: int
    asked: When
    at: When
    member: MemberId | None
    first: bool
    """No join of its process was answered before."""


@dataclass(slots=True)
class Life:
    """One process. By number of a generation: what it was `given`, when it `joined` and `synced`.

    `asks`, `joins`: when it asked to join, and was answered, in order. `blind`: when it may hold what it never said.
    `told`: since when all that it holds is known, of a log that begins late. `granted`: what the consumer protocol lets
    it use, which it has `heard` since it last asked to join. `kin`: its ids, and those of the same static member before
    and after it. `ended`: when it was closed.
    """

    process: ProcessLog
    said: list[Said]
    runs: Track[bool]
    member: Track[bool]
    callback: Track[bool]
    holds: dict[TopicPartition, Track[bool]] = field(default_factory=dict)
    granted: dict[TopicPartition, Track[bool]] = field(default_factory=dict)
    told: When | None = None
    heard: Track[bool] = field(default_factory=lambda: Track[bool](OPEN))
    given: dict[int, Given] = field(default_factory=dict)
    blind: list[Cover[bool]] = field(default_factory=list)
    asks: list[When] = field(default_factory=list)
    joins: list[Joined] = field(default_factory=list)
    joined: dict[int, Joined] = field(default_factory=dict)
    synced: dict[int, When] = field(default_factory=dict)
    ids: list[MemberId] = field(default_factory=list)
    kin: set[MemberId] = field(default_factory=set)
    gave_up: list[When] = field(default_factory=list)
    ended: When | None = None
    starts: bool = True
    asks_with_heartbeats: int = 0
    view: set[TopicPartition] = field(default_factory=set)

    @property
    def name(self) -> str:
        """Of the process."""
        return self.process.name

    @property
    def consumer(self) -> bool:
        """Whether it speaks the consumer protocol (KIP-848)."""
        return bool(self.asks_with_heartbeats)

    @property
    def first(self) -> When:
        """Its first line."""
        return self.said[0].when

    @property
    def last(self) -> When:
        """Its last line."""
        return self.said[-1].when

    def line_before(self, at: int) -> int:
        """The number of its last line up to an instant, by the later bound of its time; -1: none."""
        return bisect_right(self.said, at, key=lambda said: said.when.hi) - 1

    def next_line(self, at: int) -> Said | None:
        """Its first line that was surely written after an instant."""
        place = bisect_right(self.said, at, key=lambda said: said.when.lo)
        return self.said[place] if place < len(self.said) else None

    def holding(self, partition: TopicPartition) -> Track[bool]:
        """Whether it has a partition in its view; only a log that begins in the middle may leave out that it has."""
        found = self.holds.get(partition)
        if found is None:
            found = Track[bool](False if self.starts else OPEN)
            if self.told is not None:
                found.set(self.told, False)
            for cover in self.blind:
                found.cover(cover.span, OPEN, cover.why)
        return found


def life_of(process: ProcessLog, times: Times, orders: Mapping[int, int]) -> Life:
    """Read the rows of a process. `orders`: each row's place in its file, by identity."""
    said = [Said(timed.row, times.of(timed), orders.get(id(timed.row), 0)) for _, timed in process.rows]
    starts = said[0].row.kind in _STARTS
    unknown = False if starts else OPEN
    life = Life(process, said, Track(unknown), Track(unknown), Track(unknown), starts=starts)
    first = Why(STARTED if starts else CUT_HEAD, (said[0].place,))
    life.callback.set(When(-INF, said[0].when.hi), False, first)
    life.runs.set(said[0].when, True, first)
    reader = _Reader(life)
    closed = said[min(process.closed_row, len(said) - 1)] if process.closed else None
    for each, following in zip(said, _followings(said), strict=True):
        reader.take(each, following)
        if each is closed:
            reader.close(each)
    return life


def _followings(said: Sequence[Said]) -> list[When | None]:
    """When each line's callback was over at the latest: when a later line shows that."""
    found: list[When | None] = [None] * len(said)
    waiting: list[int] = []
    for place, each in enumerate(said):
        if any(shows_callback_over(each.row, said[number].row) for number in waiting):
            over = [number for number in waiting if shows_callback_over(each.row, said[number].row)]
            for number in over:
                found[number] = each.when
            waiting = [number for number in waiting if number not in over]
        if each.row.kind in (RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST):
            waiting.append(place)
    return found


class _Reader:
    """Reads one process's lines in order."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._generation: int | None = None
        self._asked: When | None = None
        self._fresh = False

    def take(self, said: Said, following: When | None) -> None:
        """One line; `following`: when the next one was written."""
        life, row = self._life, said.row
        if row.member and row.member not in life.ids:
            life.ids.append(row.member)
        heartbeat = row.kind == RowKind.STATE_CHANGE and row.detail.get("to") == "JOINING"
        if row.kind == RowKind.JOINING or heartbeat:
            self._asked = said.when
            self._fresh = False
            life.asks.append(said.when)
        if heartbeat:
            life.asks_with_heartbeats += 1
            life.heard.set(said.when, OPEN, Why(ASKED_ANEW, (said.place,)))
            for track in life.granted.values():
                track.set(said.when, False, Why(ASKED_ANEW, (said.place,)))
        self._count(said)
        if life.runs.last is OPEN:
            life.runs.set(said.when, True)
        for evidence in BY_KIND.get(row.kind, ()):
            if evidence.only(row):
                self._apply(evidence, said, following)
        self._give(said)
        self._tell(said, following)

    def _tell(self, said: Said, following: When | None) -> None:
        """From some lines on all that it holds is known: it gave up all, or the line lists it."""
        life, row = self._life, said.row
        eager = row.kind == RowKind.JOINED and row.detail.get("protocol") in _EAGER
        if life.starts or life.told is not None or not (eager or row.kind in _TELLS):
            return
        after = said.when if row.kind != RowKind.LOST else following
        life.told = When(said.when.lo, INF if after is None else after.hi)
        owned = partitions_in(row.detail.get("owned"))
        why = Why(TOLD, (said.place,))
        for partition in owned:
            life.holds.setdefault(partition, Track(OPEN)).set(said.when, True, why)
        for partition, track in life.holds.items():
            if track.last is OPEN and partition not in owned:
                track.set(life.told, False, why)

    def close(self, said: Said) -> None:
        """It was closed here."""
        life = self._life
        why = Why(CLOSED, (said.place,))
        life.ended = said.when
        life.runs.set(said.when, False, why)
        life.member.set(said.when, False, why)
        for track in life.holds.values():
            track.set(said.when, False, why)
        life.view.clear()

    def _count(self, said: Said) -> None:
        """The generations that it joins and syncs."""
        life, row = self._life, said.row
        number = int_in(row.detail.get("generation"))
        if row.kind == RowKind.JOINED and number is not None:
            self._generation = number
            asked = self._asked if self._asked is not None else When(-INF, said.when.hi)
            life.joins.append(Joined(number, asked, said.when, row.member, not life.joins))
            life.joined[number] = life.joins[-1]
        elif row.kind == RowKind.STATE_CHANGE and row.detail.get("from") == "JOINING" and self._asked is not None:
            epoch = int_in(row.detail.get("epoch")) or 0
            if epoch > 0:
                life.joins.append(Joined(epoch, self._asked, said.when, row.member, not life.joins))
        elif row.kind == RowKind.SYNCED:
            self._generation = self._generation if number is None else number
            self._fresh = True
            if self._generation is not None:
                life.synced.setdefault(self._generation, said.when)

    def _apply(self, evidence: Evidence, said: Said, following: When | None) -> None:
        life, why = self._life, Why(evidence.rule, (said.place,))
        when = said.when
        after = When(when.lo, INF if following is None else max(when.hi, following.hi))
        if evidence.moment is Moment.SINCE_REQUEST:
            when = When(-INF if self._asked is None else self._asked.lo, when.hi)
        elif evidence.moment is Moment.TO_NEXT_LINE:
            when = after
        elif evidence.moment is Moment.FROM_LINE_ON:
            when = When(when.lo, INF)
        match evidence.property:
            case Property.MEMBER:
                if evidence.value is not OPEN or life.member.last is True:
                    life.member.set(when, evidence.value, why)
                if evidence.value is False:
                    life.gave_up.append(said.when)
            case Property.CALLBACK:
                life.callback.cover((after.lo, after.hi), OPEN, why)
            case Property.HOLDS:
                self._hold(said, when, evidence.value is True, why)
            case Property.GRANTED:
                self._grant(said, when, evidence.value is True, why)
            case Property.RUNS:
                life.runs.set(when, evidence.value, why)

    def _hold(self, said: Said, when: When, value: bool, why: Why) -> None:
        life = self._life
        for partition in partitions_in(said.row.detail.get("partitions")):
            track = life.holds.get(partition)
            if track is None:  # what it gives up first it had before its log begins
                track = life.holds[partition] = Track(False if value and life.starts else OPEN)
            if not value and track.last is False:  # it had not given it up yet
                track.put_off(when.hi, why)
            track.set(when, OPEN if value and life.member.last is False else value, why)
            (life.view.add if value else life.view.discard)(partition)

    def _grant(self, said: Said, when: When, value: bool, why: Why) -> None:
        """A list of all that it may use says what it may not, too."""
        life = self._life
        named = partitions_in(
            said.row.detail.get("partitions" if said.row.kind != RowKind.CLIENT_RECONCILING else "assigned")
        )
        for partition in named:
            life.granted.setdefault(partition, Track(False if life.starts else OPEN)).set(when, value, why)
        if value:
            life.heard.set(said.when, True, why)

    def _give(self, said: Said) -> None:
        """What its view is after it took its part of a generation; cooperative: what it may not keep goes first."""
        generation = self._generation
        if generation is None or not (self._life.starts or self._life.told is not None):
            return
        kind = said.row.kind
        if kind == RowKind.ASSIGNED or (kind == RowKind.REVOKED and self._fresh):
            self._life.given[generation] = frozenset(self._life.view)
        if kind == RowKind.ASSIGNED:
            self._fresh = False


def span_of(first: When, last: When) -> Span:
    """From the earliest of one instant to the latest of another."""
    return first.lo, max(first.lo, last.hi)
