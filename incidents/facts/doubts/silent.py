"""Members that fell silent, were removed or lost what they had, where no log shows when they stopped serving.

A process that is frozen for longer than its session writes nothing of it: it finds out when it runs again. A revoked
callback may take longer than the coordinator waits for the rebalance, and a process may be frozen in it: others may
have had the partitions before it ended.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from groupsim.events.types import TopicPartition
from groupsim.incidents.default_settings import LEAST_SESSION_MS
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.deaths import Deaths
from groupsim.incidents.facts.doubts.ownership import Ownership
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.processes import GIVES_UP, GivenUp, ProcessLog
from groupsim.incidents.facts.settings import member_session_ms, session_of
from groupsim.incidents.facts.typed_fields import pairs, text_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.signs_of_life import SignsOfLife
from groupsim.incidents.tolerances import REACTS_MS
from groupsim.storage.log_gaps import Doubt
from groupsim.wording.numbers import counted

_GONE = {
    RowKind.MEMBER_FAILED: "removed the silent member",
    RowKind.STATIC_MEMBER_REPLACED: "replaced the static member",
}


def fell_silent(
    rows: Sequence[TimedRow], clients: Sequence[ClientFacts], owned: Ownership, signs: SignsOfLife
) -> Iterator[Doubt]:
    """The partitions that somebody else took although their process never gave them up, since its last line before.

    A process that is quiet because nothing happens keeps its partitions: only that others have them shows that it was
    gone. Not of processes that left or that a broker removed: what they hold then is known.
    """
    removed = {(r.group, r.member): at for at, r in rows if r.kind in (RowKind.MEMBER_FAILED, RowKind.MEMBER_LEFT)}
    processes = {(client.process.group, client.process.name): client for client in clients}
    lives = {key: _Life(client, removed) for key, client in processes.items()}
    taken_since: dict[tuple[str, str, int], dict[int, list[TopicPartition]]] = defaultdict(lambda: defaultdict(list))
    for claim in owned.claims:
        life = lives.get((claim.group, claim.process))
        if life is None:
            continue  # a member that only the topic knows
        given_up = owned.given_up[claim.group, claim.process, claim.partition]
        later = bisect_left(given_up, claim.at)
        soon = later < len(given_up) and given_up[later] - claim.at <= REACTS_MS
        if not soon and not life.ended(claim.at):
            taken_since[claim.group, claim.process, life.last_line(claim.at)][claim.at].append(claim.partition)
    for (group, name, since), taken in taken_since.items():
        number = len(set().union(*taken.values()))
        why = (
            f"{name} fell silent at {iso(since)} holding {counted(number, 'partition')} that others had later, and"
            " no log shows when it stopped; export the broker's log too, and the client's to its last line"
        )
        for at, partitions in taken.items():
            shown = signs.last(group, processes[group, name].members, at) or 0
            yield Doubt(group, max(since, shown), at, pairs(tuple(sorted(partitions))), why)


class _Life:
    """When a process wrote, and when it left or was removed; asked by instant."""

    def __init__(self, process: ClientFacts, removed: Mapping[tuple[str | None, str | None], int]) -> None:
        self._lines = [timed.at for _, timed in process.process.rows]
        self._given_up = GivenUp(process.process)
        ends = [removed.get((process.process.group, member)) for member in process.members]
        self._removed = min((at for at in ends if at is not None), default=None)

    def last_line(self, at: int) -> int:
        """When it last wrote up to an instant."""
        return self._lines[max(0, bisect_right(self._lines, at) - 1)]

    def ended(self, at: int) -> bool:
        """Whether its membership had ended by an instant, so that what it held then is known."""
        return (self._removed is not None and self._removed <= at) or self._given_up.by(at)


def started_again(
    clients: Sequence[ClientFacts], index: Index, deaths: Deaths, session_timeout_ms: int | None, signs: SignsOfLife
) -> Iterator[Doubt]:
    """The partitions of processes that fell silent and were started again, in between.

    A static member that is back within its session sent a heartbeat at most one session before. Only its coordinator
    says that it was not removed; and while it waits for a join's answer its session does not end.
    """
    for client in clients:
        process = client.process
        again = deaths.get((process.group, process.name))
        if again is not None and again > process.last:
            session = session_of(process, index, session_timeout_ms).known_ms
            kept = process.instance is not None and index.from_broker(process.group) and not _awaits_join(process)
            heard = again - session if session and kept else process.last
            shown = signs.last(process.group, client.members, again) or 0
            why = (
                f"{process.name} fell silent at {iso(process.last)} and was started again at {iso(again)}; no log"
                " shows when it stopped in between; export the client's log to its last line, or its platform's log of"
                " restarts"
            )
            yield Doubt(process.group, max(process.last, heard, shown), again, pairs(client.held), why)


def _awaits_join(process: ProcessLog) -> bool:
    """Whether a classic member waits for a join's answer when its log ends."""
    last = process.last_of((RowKind.JOINING, RowKind.JOINED, RowKind.JOIN_FAILED, RowKind.GENERATION_RESET))
    return last is not None and last.row.kind == RowKind.JOINING


def removed_without_log(
    rows: Sequence[TimedRow],
    clients: Sequence[ClientFacts],
    index: Index,
    owned: Ownership,
    session_timeout_ms: int | None,
    topic: Mapping[str, GroupHistory],
) -> list[Doubt]:
    """The last session of members that a broker removed for silence or replaced, and that have no client log.

    Of those in `topic` it is known what they held, and their commits say until when they served it (`topic_doubts`).
    """
    known = {member for client in clients for member in client.members}
    known.update(member for each in topic.values() for member in each.ledger.memberships)
    doubts: list[Doubt] = []
    for at, row in rows:
        member = text_in(row.detail.get("old_member")) if row.kind == RowKind.STATIC_MEMBER_REPLACED else row.member
        if row.kind not in _GONE or row.group is None or member is None or member in known:
            continue
        since, partitions = owned.assigned(row.group, member, at)
        session = member_session_ms(index, row.group, member, session_timeout_ms)
        begun = max(since or rows[0].at, at - session if session else 0)
        if partitions == () or begun >= at:
            continue
        why = (
            f"the broker {_GONE[row.kind]} {member} at {iso(at)}, and no client log of it is given: when it stopped is"
            " in its log; export that too"
        )
        doubts.append(Doubt(row.group, begun, at, None if partitions is None else pairs(partitions), why))
    return doubts


def lost_after_silence(
    clients: Sequence[ClientFacts], owned: Ownership, known: AbstractSet[str], session_ms: int | None
) -> Iterator[Doubt]:
    """What a process held in the last silence as long as a session before it lost that; not of groups in `known`."""
    for client in clients:
        group, name = client.process.group, client.process.name
        rows = [timed for _, timed in client.process.rows] if group not in known else []
        for since, lost in _silences(rows, session_ms or LEAST_SESSION_MS):
            why = (
                f"{name} lost its partitions at {iso(lost)} and had written nothing for a session since {iso(since)}:"
                " frozen, or only cut off from the coordinator; the broker's log says when it was removed; export that"
            )
            held = owned.held(group, name, since, since)
            if held:
                yield Doubt(group, since, lost, pairs(held), why)


def _silences(rows: Sequence[TimedRow], session_ms: int) -> Iterator[tuple[int, int]]:
    """For each loss of a member that did not leave: the begin of the last silence before it, and when it was.

    A process that froze while it joined reads the answer when it runs again, though it was removed since. So only a
    member that asked to join after the silence, or lost nothing for a session after the answer, is one again.
    """
    silent: int | None = None
    before: int | None = None
    asked: int | None = None
    member_from: int | None = None
    for at, row in rows:
        if member_from is not None and at >= member_from:
            silent = None
        if before is not None and at - before >= session_ms:
            silent, member_from = before, None
        if row.kind == RowKind.LOST and silent is not None:
            yield silent, at
        if row.kind == RowKind.JOINING:
            asked = at
        if row.kind == RowKind.JOINED:
            late = silent is not None and asked is not None and asked <= silent
            member_from = at + session_ms if late else at
        if row.kind in GIVES_UP:
            silent = None
        before = at


_LOST = frozenset([RowKind.POLL_TIMEOUT, RowKind.SESSION_EXPIRED, RowKind.LOST])
_TELLS = _LOST | {RowKind.JOINED, RowKind.ASSIGNED, RowKind.WORKER_ASSIGNED, RowKind.LEAVE_SENT}
_NO_MEMBER = frozenset(["FENCED", "STALE"])


def removed_in_callback(clients: Sequence[ClientFacts], owned: Ownership, known: AbstractSet[str]) -> Iterator[Doubt]:
    """What processes held that were no members any more when a revoked callback was over: others may have had it.

    Not of groups in `known`: their coordinator says when it removed them.
    """
    for client in clients:
        group, name, member = client.process.group, client.process.name, None
        rows = [timed for _, timed in client.process.rows] if group not in known else []
        for timed, following in zip(rows, _what_tells(rows), strict=True):
            if timed.row.kind == RowKind.JOINED:
                member = timed.row.member
            elif timed.row.kind == RowKind.REVOKED and following is not None and _lost(following.row, member):
                why = (
                    f"{name} ran a revoked callback from {iso(timed.at)} on and was no member any more at"
                    f" {iso(following.at)}; when it was removed, and whether others had its partitions, is in the"
                    " broker's log; export that"
                )
                held = owned.held(group, name, timed.at, timed.at)
                yield Doubt(group, timed.at, following.at, pairs(held), why)


def _what_tells(rows: Sequence[TimedRow]) -> list[TimedRow | None]:
    """For each row of a client the next one that tells whether it is a member."""
    found: list[TimedRow | None] = []
    following: TimedRow | None = None
    for timed in reversed(rows):
        found.append(following)
        if timed.row.kind in _TELLS or timed.row.detail.get("to") in _NO_MEMBER:
            following = timed
    return found[::-1]


def _lost(row: Row, member: str | None) -> bool:
    """Whether a client that was this member says in a row of `_what_tells` that it is not any more."""
    if row.kind == RowKind.JOINED:
        return row.member is not None and row.member != member
    return row.kind in _LOST or row.detail.get("to") in _NO_MEMBER
