"""What nobody logged and yet happened: where a later line contradicts that all stayed as it was.

Each row of HIDDEN finds, for one process, spans in which it stopped. Rows about one stop, which are those with the same
last line before it, narrow its span together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.account.evidence import refused
from groupsim.incidents.account.incarnation import SAYING, VIEW_MISSING, Incarnation, Said
from groupsim.incidents.account.rules import Place, Rule, Why
from groupsim.incidents.account.says import Change, always_says
from groupsim.incidents.account.spans import INF
from groupsim.incidents.account.stored import Stored
from groupsim.incidents.account.times import Tolerance
from groupsim.incidents.account.track import OPEN, Cover, Open
from groupsim.incidents.account.when import When
from groupsim.incidents.facts.processes import runs_beside
from groupsim.incidents.logs.row_kinds import RowKind


class Removal(NamedTuple):
    """The coordinator removed a member. `silent`: because its session ended, or perhaps."""

    when: When
    member: MemberId
    silent: bool
    said: Said

    @property
    def away(self) -> bool:
        """It left for a time: its place is kept, and what it had (KIP-848)."""
        return self.said.row.detail.get("what") == "temporarily left"

    @property
    def replaced(self) -> bool:
        """Another process took a static member's place."""
        return self.said.row.kind == RowKind.STATIC_MEMBER_REPLACED


def removals_of(own: Incarnation, removals: Mapping[MemberId, Sequence[Removal]]) -> Iterator[Removal]:
    """Of a process, under each of its ids."""
    for member in own.ids:
        yield from removals.get(member, ())


class Claim(NamedTuple):
    """A process took a partition."""

    when: When
    places: tuple[Place, ...]


@dataclass(slots=True)
class Scene:
    """What the rows ask about a group.

    `removals_known`: somebody says when each member was removed. `session_ms`: known, or None. `renewed`: when sessions
    of all began anew. `came`: when a broker says that members joined. `rebalancing`: lines of processes that prove a
    rebalance, by time.
    """

    removals_known: bool
    consumer: bool
    session_ms: int | None
    heartbeat_ms: int | None
    removals: Mapping[MemberId, Sequence[Removal]]
    stored: Sequence[Stored]
    renewed: Sequence[int]
    came: Mapping[MemberId, Sequence[Said]]
    claims: Mapping[TopicPartition, Sequence[Claim]]
    rebalancing: Sequence[Said]
    successors: Mapping[int, Incarnation]

    @property
    def least_session_ms(self) -> int:
        """No session of the group is shorter."""
        return self.session_ms or (Tolerance.CONSUMER_SESSION if self.consumer else Tolerance.CLASSIC_SESSION)

    @property
    def longest_heartbeat_ms(self) -> int:
        """Heartbeats are no further apart, unless somebody set them against Kafka's advice."""
        least = Tolerance.CONSUMER_HEARTBEAT if self.consumer else Tolerance.HEARTBEAT
        return self.heartbeat_ms or max(least, self.least_session_ms // 3)


class Stop(NamedTuple):
    """A process stopped at `when`, after its line number `before`.

    `ran`: it did not run again before `until`, or, OPEN, perhaps it did.
    """

    before: int
    when: When
    until: int
    ran: Literal[False] | Open
    why: Why


REMOVED = Rule(
    "removed while silent",
    "the coordinator removed it since its session ended: it stopped after its last line and its last heartbeat",
    "ClassicGroup.completeGroupMember; GroupMetadataManager.expireClassicGroupMemberHeartbeat",
    "its log to the last line, or its platform's log of restarts",
)
REPLACED = Rule(
    "replaced",
    "another process took the static member's place",
    "GroupMetadataManager.classicGroupJoinExistingStaticMember (KIP-345)",
    "its log to the last line, or its platform's log of restarts",
)
STARTED_AGAIN = Rule(
    "started again",
    "it was started again after its last line, and did not say that it ended",
    "",
    "its log to the last line, or its platform's log of restarts",
)
LOST_AFTER_SILENCE = Rule(
    "lost after a silence",
    "it lost what it had after it had written nothing for a session: frozen, or only cut off from the coordinator",
    "ConsumerCoordinator.onJoinPrepare",
    "the broker's log, which says when it was removed",
)
STATIC = Rule(
    "no member hears of it",
    "no member hears that a static member was replaced, or that one of the consumer protocol is gone",
    "GroupMetadataManager.classicGroupJoinExistingStaticMember (KIP-345); KIP-848",
    "the broker's log",
)
TAKEN = Rule(
    "taken by another",
    "another process took what it held, and it never gave that up",
    "",
    "the broker's log, and its own to the last line",
)
NOT_IN_GENERATION = Rule(
    "no line of a generation",
    "a generation was stored, and its log does not say that it joined it",
    "GroupMetadataManager.completeClassicGroupJoin",
    "its log to the last line, with all lines of org.apache.kafka.clients.consumer",
)
NOT_IN_REBALANCE = Rule(
    "no line of a rebalance",
    "a rebalance began after its last line, perhaps since it was removed, and its log does not say that it heard of it",
    "AbstractCoordinator.HeartbeatResponseHandler (REBALANCE_IN_PROGRESS)",
    "the broker's log, and its own to the last line",
)


def _removed(scene: Scene, own: Incarnation) -> Iterator[Stop]:
    """Its last heartbeat came a session before; the next one was due an interval later.

    Where the coordinator answered what members waited for, sessions began anew, also of members that were gone.
    """
    for removal in removals_of(own, scene.removals):
        at = removal.when
        before = own.line_before(at.hi)
        if not removal.silent or before < 0 or _went(own, before, at):
            continue
        lo = own.said[before].when.lo
        why = Why(REMOVED, (own.said[before].place, removal.said.place))
        if removal.said.row.kind == RowKind.MEMBER_GONE:  # nobody says when its session ended
            yield Stop(before, When(lo, at.hi), -INF, OPEN, why)
            continue
        hi = at.hi - scene.least_session_ms + scene.longest_heartbeat_ms + Tolerance.LATE
        if scene.session_ms is not None and not _renewed(scene, at.lo - scene.session_ms):
            lo = max(lo, at.lo - scene.session_ms - Tolerance.DELIVERY)
        following = own.said[before + 1].when if before + 1 < len(own.said) else None
        says_so = following is None or (not scene.consumer and always_says(own.process.library, Change.SESSION))
        silent = following is None or following.lo - at.hi >= Tolerance.SAYS_SO
        if silent and says_so and hi >= lo:
            yield Stop(before, When(lo, min(at.hi, hi)), at.lo, False, why)
        else:  # it wrote when a heartbeat was due already
            yield Stop(before, When(lo, at.hi), at.lo, OPEN, why)


def _renewed(scene: Scene, at: int) -> bool:
    place = bisect_left(scene.renewed, at - Tolerance.DELIVERY)
    return place < len(scene.renewed) and scene.renewed[place] <= at + Tolerance.DELIVERY


def _went(own: Incarnation, before: int, at: When) -> bool:
    """Whether it had ended, or had given up its membership and said nothing since."""
    if own.ended is not None and at.hi >= own.ended.lo:
        return True
    return own.gone_at(before)


def _replaced(scene: Scene, own: Incarnation) -> Iterator[Stop]:
    for removal in removals_of(own, scene.removals):
        if removal.replaced and own.ended is None and removal.when.hi >= own.last.lo:
            yield _after_last_line(own, removal.when.hi, False, REPLACED, removal.said.place)


def _started_again(scene: Scene, own: Incarnation) -> Iterator[Stop]:
    again = scene.successors.get(id(own))
    if again is not None and own.ended is None:
        yield _after_last_line(own, again.first.hi, False, STARTED_AGAIN, again.said[0].place)


def _lost_after_silence(scene: Scene, own: Incarnation) -> Iterator[Stop]:
    """A process that froze while it joined reads the answer when it runs again, though it was removed since.

    By the consumer protocol it may also have been too slow to follow its target: since it heard of that.
    """
    if scene.removals_known:
        return
    silent: int | None = None
    again: int | None = None
    asked: int | None = None
    follows: int | None = None
    settled: int | None = None
    done, session_ms = 0, scene.least_session_ms
    for place, said in enumerate(own.said):
        at, kind, state = said.when.lo, said.row.kind, said.row.detail.get("to")
        if again is not None and at >= again:
            silent = None
        if settled is not None and at > settled:
            follows = settled = None
        if place and at - own.said[place - 1].when.hi >= session_ms:
            silent, again = place - 1, None
        gone = kind == RowKind.LOST or refused(said.row) or state == "FENCED"
        gone = gone or (follows is not None and (kind == RowKind.POLL_TIMEOUT or state == "LEAVING"))
        gone = gone or (kind == RowKind.POLL_TIMEOUT and silent == place - 1)  # frozen past both, or busy all the time
        if gone and (since := min((each for each in (silent, follows) if each is not None), default=None)) is not None:
            why = Why(LOST_AFTER_SILENCE, (own.said[since].place, said.place))
            for between in range(max(since, done), place):
                lo, hi = own.said[between].when.lo, own.said[between + 1].when.hi
                yield Stop(between, When(lo, hi), -INF, OPEN, why)
            done = place
        if kind == RowKind.JOINING or state == "JOINING":
            asked = at
        if kind == RowKind.JOINED or (state == "RECONCILING" and said.row.detail.get("from") == "JOINING"):
            late = silent is not None and asked is not None and asked <= own.said[silent].when.hi
            again = at + session_ms if late else at
        if state == "RECONCILING":
            follows, settled = place, None
        elif state in ("STABLE", "JOINING", "LEAVING"):
            settled = at + (Tolerance.LATE if state == "STABLE" else -1)  # until the coordinator heard that it is
        if kind in (RowKind.LEAVE_SENT, RowKind.POLL_TIMEOUT):
            silent = None


def _static(scene: Scene, own: Incarnation) -> Iterator[Stop]:
    unnoticed = own.process.instance is not None or scene.consumer
    if not scene.removals_known and unnoticed and own.ended is None:
        yield _after_last_line(own, INF, OPEN, STATIC)


def _taken(scene: Scene, own: Incarnation) -> Iterator[Stop]:
    if own.ended is not None or own.gone_at(len(own.said)):
        return
    for partition in sorted(own.view):
        claims = scene.claims.get(partition, ())
        place = bisect_left(claims, own.last.hi + 1, key=lambda claim: claim.when.lo)
        if place < len(claims):
            yield _after_last_line(own, claims[place].when.hi, OPEN, TAKEN, *claims[place].places)


def _not_in_generation(scene: Scene, own: Incarnation) -> Iterator[Stop]:
    """Its last line before that may be the last one that it wrote; it may also have run, and its log is cut off."""
    if own.ended is not None or own.consumer or own.member.last is not True:
        return
    place = bisect_left(scene.stored, own.last.hi + 1, key=lambda stored: stored.when.lo)
    for stored in scene.stored[place:]:
        if stored.sure and stored.number not in own.joined:
            yield _after_last_line(own, stored.when.hi, OPEN, NOT_IN_GENERATION, *stored.why.places)
            return


def _not_in_rebalance(scene: Scene, own: Incarnation) -> Iterator[Stop]:
    """A member that runs hears of a rebalance with its next heartbeat, and says so."""
    if scene.removals_known or own.ended is not None or own.consumer or own.member.last is not True:
        return
    place = bisect_left(scene.rebalancing, own.last.hi + 1, key=lambda said: said.when.lo)
    if place < len(scene.rebalancing):
        begun = scene.rebalancing[place]
        hi = begun.when.hi + scene.longest_heartbeat_ms + Tolerance.LATE
        yield _after_last_line(own, hi, OPEN, NOT_IN_REBALANCE, begun.place)


def _after_last_line(own: Incarnation, hi: int, ran: Literal[False] | Open, rule: Rule, *places: Place) -> Stop:
    """A stop between its last line and an instant, by that line and others; it did not run again, or nobody knows."""
    when = When(own.last.lo, max(own.last.lo, hi))
    return Stop(len(own.said) - 1, when, INF, ran, Why(rule, (own.said[-1].place, *places)))


HIDDEN: tuple[Callable[[Scene, Incarnation], Iterator[Stop]], ...] = (
    _removed,
    _replaced,
    _started_again,
    _lost_after_silence,
    _static,
    _taken,
    _not_in_generation,
    _not_in_rebalance,
)
"""Each finds a contradiction, and the stops that explain it."""


CUT_TAIL = Rule(
    "log ends early",
    "something happened to it after its last line that a whole log would have",
    "",
    "its log to the last line",
)


def find_blindness(scene: Scene, own: Incarnation) -> None:
    """Put into the process's tracks what may have happened after its log's end, if something shows that it is cut off.

    A generation that it is not said to have joined, or a broker that says it joined again, or left. And what it may
    hold by a line that is missing.
    """
    for span, synced in own.view_missing:
        missing = Why(VIEW_MISSING, (synced,))
        own.blind.append(Cover(span, OPEN, missing))
        for track in own.holds.values():
            track.cover(span, OPEN, missing)
    if own.ended is not None or not own.last.timed:
        return
    last = own.last
    place = bisect_left(scene.stored, last.hi + 1, key=lambda stored: stored.when.lo)
    removals = list(removals_of(own, scene.removals))
    gone = min((removal.when.hi for removal in removals if removal.when.hi >= last.lo), default=INF)
    missed = place < len(scene.stored) and scene.stored[place].when.hi < gone
    missed = missed and not own.consumer and own.member.last is not False
    joins = [said for member in own.ids for said in scene.came.get(member, ())]
    shown = any(said.when.lo > last.hi + Tolerance.LATE for said in joins)
    shown = shown or any(_goes_on(own, removal) for removal in removals)
    if not (missed or shown or _unfinished(own)):
        return
    why = Why(CUT_TAIL, (own.said[-1].place,))
    cover = Cover((last.lo, INF), OPEN, why)
    own.blind.append(cover)
    for track in (*own.holds.values(), own.callback, own.member, own.runs):
        track.cover(cover.span, OPEN, why)


_UNFINISHED = frozenset(
    [
        RowKind.JOINING,
        RowKind.JOINED,
        RowKind.SYNCED,
        RowKind.LEADER_COMPUTED_ASSIGNMENT,
        RowKind.REVOKED,
        RowKind.LOST,
        RowKind.CLIENT_RECONCILING,
    ]
)
_FOLLOWS = frozenset(["JOINING", "RECONCILING", "ACKNOWLEDGING", "PREPARE_LEAVING", "LEAVING"])


def _unfinished(own: Incarnation) -> bool:
    """Whether its last line is before it joins, in the middle of that, or of following a target or leaving.

    Lines that say nothing of that, as one on a heartbeat, may come after it.
    """
    row = next((said.row for said in reversed(own.said) if said.row.kind in SAYING), own.said[-1].row)
    never_joined = not own.asks and not own.gave_up and own.starts
    follows = row.detail.get("to") in _FOLLOWS or (own.consumer and row.kind == RowKind.ASSIGNED)
    return never_joined or follows or row.kind in _UNFINISHED


def _goes_on(own: Incarnation, removal: Removal) -> bool:
    """Whether it left by itself after its last line."""
    return not removal.silent and not removal.replaced and removal.when.lo > own.last.hi + Tolerance.LATE


def find_stops(scene: Scene, own: Incarnation) -> None:
    """Put into the process's track that it stopped where a row of HIDDEN says so.

    Of a log that is cut off, a stop that was over may not be the one that the process never came back from.
    """
    found: dict[tuple[int, int], Stop] = {}
    for finds in HIDDEN:
        for stop in finds(scene, own):
            key = stop.before, stop.until if own.blind else INF
            before = found.get(key)
            found[key] = stop if before is None else _one(before, stop)
    for stop in found.values():
        back = own.said[stop.before + 1].when.hi if stop.before + 1 < len(own.said) else INF
        lo, hi = stop.when
        own.runs.cover((lo, min(hi, back)), OPEN, stop.why)
        if stop.ran is False:
            until = max(hi, min(stop.until, back))
            own.runs.cover((hi, until), False, stop.why)
            own.runs.cover((until, back), OPEN, stop.why)
        else:
            own.runs.cover((hi, back), OPEN, stop.why)


def _one(one: Stop, other: Stop) -> Stop:
    """Two pieces of evidence about one stop."""
    if one.ran is not other.ran:  # what is certain goes before what may be
        return one if one.ran is False else other
    when = one.when.meet(other.when)
    return Stop(
        one.before,
        when,
        max(one.until, other.until),
        one.ran,
        one.why._replace(places=one.why.places + other.why.places),
    )


def successors(incarnations: Sequence[Incarnation]) -> dict[int, Incarnation]:
    """The next incarnation of the same static member or client after a process's last line, by the process's identity.

    A client id that several processes have at once does not say which of them came back.
    """
    by_name: dict[tuple[str, str], list[Incarnation]] = {}
    for own in incarnations:
        process = own.process
        static = process.instance is not None
        by_name.setdefault(("static" if static else "client", process.instance or process.client), []).append(own)
    found: dict[int, Incarnation] = {}
    for (kind, _), same in by_name.items():
        ordered = sorted(same, key=lambda own: own.first.lo)
        if kind == "client" and any(runs_beside(a.process, b.process) for a, b in pairwise(ordered)):
            continue
        for one, following in pairwise(ordered):
            if following.first.lo >= one.last.lo:
                found[id(one)] = following
    return found
