"""Incarnation: what the log of one process proves, read once, line by line, by the table of evidence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.account.evidence import BY_KIND, Evidence, Moment, Property, shows_callback_over
from groupsim.incidents.account.rules import Place, Rule, Why
from groupsim.incidents.account.spans import INF, Span
from groupsim.incidents.account.track import OPEN, Cover, Open, Track
from groupsim.incidents.account.when import When
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.typed_fields import int_in, partitions_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row

STARTED = Rule("started", "its log begins with what a process says when it starts", "KafkaConsumer")
CUT_HEAD = Rule(
    "log begins late",
    "its log begins in the middle: it ran before, and what it held is not known",
    "",
    "its log from its start on",
)
LISTED = Rule("listed all", "the line says all that it holds", "AbstractMembershipManager.maybeReconcile")
_EAGER = frozenset(["range", "roundrobin", "sticky"])
"""Assignors by which a member gives up all before it joins (KIP-429)."""
_TELLS = frozenset([RowKind.LOST, RowKind.CLIENT_RECONCILING])
ASKED_ANEW = Rule(
    "asks anew",
    "it has nothing when it asks to join, unless it is a static member that comes back",
    "AbstractMembershipManager.transitionToJoining",
)
GAVE_UP_ALL = Rule(
    "gave up all",
    "an eager member has nothing when it asks to join: that it gave up what it had is in a line that is missing",
    "ConsumerCoordinator.onJoinPrepare (KIP-429)",
    "its log with all lines of org.apache.kafka.clients.consumer",
)
VIEW_MISSING = Rule(
    "what it has is missing",
    "it has its part of a generation, and the line that says what it took is missing",
    "ConsumerCoordinator.onJoinComplete",
    "its log with all lines of org.apache.kafka.clients.consumer",
)
_HAS_ITS_PART: Mapping[Program | None, RowKind] = {Program.JAVA: RowKind.SYNCED, Program.KAFKA_PYTHON: RowKind.JOINED}
"""Libraries that say after this line what they take, also if that is nothing; kafka-python has no line on its sync."""
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
SAYING = BY_KIND.keys() | {RowKind.JOINING, RowKind.JOINED, RowKind.SYNCED, RowKind.STATE_CHANGE, *_TELLS}
"""Kinds of lines that say something of a process; others say no more than that it runs."""
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
class Incarnation:
    """One process. By number of a generation: what it was `given`, when it `joined` and `synced`.

    `asks`, `joins`: when it asked to join, and was answered, in order. `asked_on`, `gave_up`: the numbers of its lines
    on which it asked to join, and gave its membership up. `blind`: when it may hold what it never said.
    `view_missing`: from when until when it may hold what a line that is missing said.
    `listed`: since when all that it holds is known, of a log that begins late. `granted`: what the consumer protocol
    lets it use, which it has `heard` since it last asked to join. `ids`: its member ids, in order. `kin`: these, and
    those of the same static member before and after it. `ended`: when it was closed. `consumer`: it speaks the
    consumer protocol (KIP-848).
    """

    process: ProcessLog
    said: list[Said]
    runs: Track[bool]
    member: Track[bool]
    callback: Track[bool]
    holds: dict[TopicPartition, Track[bool]] = field(default_factory=dict)
    granted: dict[TopicPartition, Track[bool]] = field(default_factory=dict)
    listed: When | None = None
    heard: Track[bool] = field(default_factory=lambda: Track[bool](OPEN))
    given: dict[int, Given] = field(default_factory=dict)
    blind: list[Cover[bool]] = field(default_factory=list)
    view_missing: list[tuple[Span, Place]] = field(default_factory=list)
    asks: list[When] = field(default_factory=list)
    joins: list[Joined] = field(default_factory=list)
    joined: dict[int, Joined] = field(default_factory=dict)
    synced: dict[int, When] = field(default_factory=dict)
    ids: dict[MemberId, None] = field(default_factory=dict)
    kin: set[MemberId] = field(default_factory=set)
    gave_up: list[int] = field(default_factory=list)
    asked_on: list[int] = field(default_factory=list)
    ended: When | None = None
    starts: bool = True
    consumer: bool = False
    view: set[TopicPartition] = field(default_factory=set)

    @property
    def name(self) -> str:
        """Of the process."""
        return self.process.name

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

    def gone_at(self, line: int) -> bool:
        """Whether by a line, of this number, it had given its membership up, and not asked for another one since."""
        gave = bisect_right(self.gave_up, line)
        asked = bisect_right(self.asked_on, line)
        return gave > 0 and (asked == 0 or self.asked_on[asked - 1] < self.gave_up[gave - 1])

    def holding(self, partition: TopicPartition) -> Track[bool]:
        """Whether it has a partition in its view; only a log that begins in the middle may leave out that it has."""
        found = self.holds.get(partition)
        if found is None:
            found = Track[bool](False if self.starts else OPEN)
            if self.listed is not None:
                found.set(self.listed, False)
            for cover in self.blind:
                found.cover(cover.span, OPEN, cover.why)
        return found


def incarnation_of(process: ProcessLog, lines: Mapping[int, Said]) -> Incarnation:
    """Read the rows of a process. `lines`: what was said of its group, by the row's identity."""
    said = [lines[id(timed.row)] for _, timed in process.rows]
    starts = said[0].row.kind in _STARTS
    unknown = False if starts else OPEN
    own = Incarnation(process, said, Track(unknown), Track(unknown), Track(unknown), starts=starts)
    first = Why(STARTED if starts else CUT_HEAD, (said[0].place,))
    own.callback.set(When(-INF, said[0].when.hi), False, first)
    own.runs.set(said[0].when, True, first)
    reader = _Reader(own)
    closed = said[min(process.closed_row, len(said) - 1)] if process.closed else None
    for each, following in zip(said, _followings(said), strict=True):
        reader.take(each, following)
        if each is closed:
            reader.close(each)
    reader.end()
    return own


def _followings(said: Sequence[Said]) -> list[When | None]:
    """When each line's callback was over at the latest: when a later line shows that.

    Those that still wait are of one step, which classes print again: another step shows that the one before is over.
    """
    found: list[When | None] = [None] * len(said)
    waiting: list[int] = []
    for place, each in enumerate(said):
        if waiting and shows_callback_over(each.row, said[waiting[0]].row):
            for number in waiting:
                found[number] = each.when
            waiting = []
        if each.row.kind in (RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST):
            waiting.append(place)
    return found


class _Reader:
    """Reads one process's lines in order."""

    def __init__(self, own: Incarnation) -> None:
        self._own = own
        self._generation: int | None = None
        self._asked: When | None = None
        self._fresh = False
        self._line = -1
        self._eager = False
        self._synced: Said | None = None

    def take(self, said: Said, following: When | None) -> None:
        """One line; `following`: when the next one was written."""
        own, row, kind = self._own, said.row, said.row.kind
        self._line += 1
        if row.member:
            own.ids.setdefault(row.member)
        if own.runs.last is OPEN:
            own.runs.set(said.when, True)
        if kind not in SAYING:
            return
        heartbeat = kind == RowKind.STATE_CHANGE and row.detail.get("to") == "JOINING"
        if kind == RowKind.JOINED and row.detail.get("protocol") is not None:
            self._eager = row.detail.get("protocol") in _EAGER
        if kind == RowKind.JOINING:
            self._ask(said)
        elif kind == RowKind.ASSIGNED:
            self._synced = None
        elif kind == _HAS_ITS_PART.get(own.process.library):
            self._synced = said
        if kind == RowKind.JOINING or heartbeat:
            self._asked = said.when
            self._fresh = False
            own.asks.append(said.when)
            own.asked_on.append(self._line)
        if heartbeat:
            own.consumer = True
            own.heard.set(said.when, OPEN, Why(ASKED_ANEW, (said.place,)))
            for track in own.granted.values():
                track.set(said.when, False, Why(ASKED_ANEW, (said.place,)))
        self._count(said)
        for evidence in BY_KIND.get(kind, ()):
            if evidence.only(row):
                self._apply(evidence, said, following)
        self._give(said)
        self._list(said, following)

    def end(self) -> None:
        """Its log is over."""
        if self._own.ended is None:
            self._part_is_said(INF)

    def _part_is_said(self, until: int) -> None:
        """Or may be missing up to here, after it had its part."""
        own = self._own
        if self._synced is not None:
            own.view_missing.append(((self._synced.when.lo, until), self._synced.place))
        self._synced = None

    def _ask(self, said: Said) -> None:
        """It asks to join: lines that must be before that may be missing."""
        own = self._own
        self._part_is_said(said.when.hi if self._eager else INF)
        if not self._eager:
            return
        before = own.said[self._line - 1].when if self._line else said.when
        for partition in list(own.view):
            own.holds[partition].set(before.until(said.when), False, Why(GAVE_UP_ALL, (said.place,)))
        own.view.clear()

    def _list(self, said: Said, following: When | None) -> None:
        """From some lines on all that it holds is known: it gave up all, or the line lists it."""
        own, row = self._own, said.row
        eager = row.kind == RowKind.JOINED and row.detail.get("protocol") in _EAGER
        if own.starts or own.listed is not None or not (eager or row.kind in _TELLS):
            return
        after = said.when if row.kind != RowKind.LOST else following
        own.listed = When(said.when.lo, INF if after is None else after.hi)
        owned = partitions_in(row.detail.get("owned"))
        why = Why(LISTED, (said.place,))
        for partition in owned:
            own.holds.setdefault(partition, Track(OPEN)).set(said.when, True, why)
        for partition, track in own.holds.items():
            if track.last is OPEN and partition not in owned:
                track.set(own.listed, False, why)

    def close(self, said: Said) -> None:
        """It was closed here."""
        own = self._own
        why = Why(CLOSED, (said.place,))
        own.ended = said.when
        own.runs.set(said.when, False, why)
        own.member.set(said.when, False, why)
        for track in own.holds.values():
            track.set(said.when, False, why)
        own.view.clear()

    def _count(self, said: Said) -> None:
        """The generations that it joins and syncs."""
        own, row = self._own, said.row
        number = int_in(row.detail.get("generation"))
        if row.kind == RowKind.JOINED and number is not None:
            self._generation = number
            asked = self._asked if self._asked is not None else When(-INF, said.when.hi)
            own.joins.append(Joined(number, asked, said.when, row.member, not own.joins))
            own.joined[number] = own.joins[-1]
        elif row.kind == RowKind.STATE_CHANGE:
            epoch = int_in(row.detail.get("epoch")) or 0
            answered = row.detail.get("from") == "JOINING" and self._asked is not None
            before = not own.starts and not own.asks and not own.joins  # it joined before its log begins
            if epoch > 0 and (answered or before):
                asked = self._asked if self._asked is not None else When(-INF, said.when.hi)
                own.joins.append(Joined(epoch, asked, said.when, row.member, not own.joins))
        elif row.kind == RowKind.SYNCED:
            self._generation = self._generation if number is None else number
            self._fresh = True
            if self._generation is not None:
                own.synced.setdefault(self._generation, said.when)

    def _apply(self, evidence: Evidence, said: Said, following: When | None) -> None:
        own, why = self._own, Why(evidence.rule, (said.place,))
        when = said.when
        if evidence.moment is Moment.SINCE_REQUEST:
            when = When(-INF if self._asked is None else self._asked.lo, when.hi)
        elif evidence.moment in (Moment.TO_NEXT_LINE, Moment.UP_TO_NEXT_LINE):
            when = When(when.lo, INF if following is None else max(when.hi, following.hi))
        elif evidence.moment is Moment.FROM_LINE_ON:
            when = When(when.lo, INF)
        match evidence.property:
            case Property.MEMBER:
                if evidence.value is not OPEN or own.member.last is True:
                    own.member.set(when, evidence.value, why)
                if evidence.value is False:
                    own.gave_up.append(self._line)
            case Property.CALLBACK:
                own.callback.cover((when.lo, when.hi), OPEN, why)
            case Property.HOLDS:
                self._hold(said, when, evidence.value is True, why)
            case Property.GRANTED:
                self._grant(said, when, evidence.value is True, why)
            case Property.RUNS:
                own.runs.set(when, evidence.value, why)

    def _hold(self, said: Said, when: When, value: bool, why: Why) -> None:
        own = self._own
        for partition in partitions_in(said.row.detail.get("partitions")):
            track = own.holds.get(partition)
            if track is None:  # what it gives up first it had before its log begins
                track = own.holds[partition] = Track(False if value and own.starts else OPEN)
            if not value and track.last is False:  # it had not given it up yet
                track.put_off(when.hi, why)
            track.set(when, OPEN if value and own.member.last is False else value, why)
            (own.view.add if value else own.view.discard)(partition)

    def _grant(self, said: Said, when: When, value: bool, why: Why) -> None:
        """A list of all that it may use says what it may not, too."""
        own = self._own
        named = partitions_in(
            said.row.detail.get("partitions" if said.row.kind != RowKind.CLIENT_RECONCILING else "assigned")
        )
        for partition in named:
            own.granted.setdefault(partition, Track(False if own.starts else OPEN)).set(when, value, why)
        if value:
            own.heard.set(said.when, True, why)

    def _give(self, said: Said) -> None:
        """What its view is after it took its part of a generation; cooperative: what it may not keep goes first."""
        generation = self._generation
        if generation is None or not (self._own.starts or self._own.listed is not None):
            return
        kind = said.row.kind
        if kind == RowKind.ASSIGNED or (kind == RowKind.REVOKED and self._fresh):
            self._own.given[generation] = frozenset(self._own.view)
        if kind == RowKind.ASSIGNED:
            self._fresh = False
