"""Doubtful time: which partition time logs do not tell, because a log that would tell is missing or just ends."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.callback_doubts import removed_in_callback
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.deaths import Deaths
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.lost_doubts import lost_after_silence
from groupsim.incidents.facts.ownership import Ownership, pairs
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.sessions import member_session_ms, session_of
from groupsim.incidents.facts.signs_of_life import SignsOfLife
from groupsim.incidents.facts.silences import Stop
from groupsim.incidents.facts.storing_doubts import given_to_others, not_heard, perhaps_stored, stored_between
from groupsim.incidents.facts.typed_fields import int_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import is_broker
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.tolerances import REACTS_MS
from groupsim.storage.log_gaps import Doubt
from groupsim.wording.numbers import counted

_MEMBERSHIP = frozenset([RowKind.JOINED, RowKind.LEAVE_SENT, RowKind.POLL_TIMEOUT])
_GONE = {
    RowKind.MEMBER_FAILED: "removed the silent member",
    RowKind.STATIC_MEMBER_REPLACED: "replaced the static member",
}


def find_doubts(
    rows: Sequence[TimedRow],
    clients: Sequence[ClientFacts],
    index: Index,
    owned: Ownership,
    deaths: Deaths,
    ended: int,
    session_timeout_ms: int | None,
    topic: Mapping[str, GroupHistory],
    signs: SignsOfLife,
) -> list[Doubt]:
    """All doubtful time of what was read; times in UTC milliseconds since 1970. `ended`: when the logs end.

    `topic`: what `__consumer_offsets` says of groups: it has all that was in force, and what its members held.
    `signs`: what it shows of members that ran.
    """
    known = index.broker_groups | topic.keys()
    return [
        *_silent(rows, clients, owned, signs),
        *_started_again(clients, index, deaths, session_timeout_ms, signs),
        *_removed_without_log(rows, clients, index, owned, session_timeout_ms, topic),
        *(doubt for doubt in _broker_silent(rows, index, ended) if doubt.group not in topic),
        *removed_in_callback(clients, owned, known),
        *stored_between(rows, index, owned, known),
        *given_to_others(clients, owned),
        *not_heard(clients, owned),
        *perhaps_stored(rows, index, owned, known),
        *lost_after_silence(clients, owned, known, session_timeout_ms),
    ]


def inexact_stops(stops: Iterable[Stop], owned: Ownership) -> Iterator[Doubt]:
    """When processes died or froze of which the logs only show that they did, in bounds."""
    for stop in stops:
        held = owned.at_its_stop.get((stop.group, stop.process, stop.at), ())
        between = f"between {iso(stop.from_ms)} and {iso(stop.to_ms)}"
        why = f"{stop.process} stopped {between}; no log shows when"
        if stop.ran:
            held = owned.held(stop.group, stop.process, stop.from_ms, stop.to_ms)
            why = f"the coordinator did not hear {stop.process} {between}; no log shows whether it served"
        if held and stop.from_ms < stop.to_ms:
            yield Doubt(stop.group, stop.from_ms, stop.to_ms, pairs(held), why, inexact=True)


def _silent(
    rows: Sequence[TimedRow], clients: Sequence[ClientFacts], owned: Ownership, signs: SignsOfLife
) -> Iterator[Doubt]:
    """The partitions that somebody else took although their process never gave them up, since its last line before.

    A process that is quiet because nothing happens keeps its partitions: only that others have them shows that it was
    gone. Not of processes that left or that a broker removed: what they hold then is known.
    """
    removed = {(r.group, r.member): at for at, r in rows if r.kind in (RowKind.MEMBER_FAILED, RowKind.MEMBER_LEFT)}
    processes = {(each.process.group, each.process.name): each for each in clients}
    lives = {key: _Life(each, removed) for key, each in processes.items()}
    found: dict[tuple[str, str, int], dict[int, list[TopicPartition]]] = defaultdict(lambda: defaultdict(list))
    for claim in owned.claims:
        life = lives.get((claim.group, claim.process))
        if life is None:
            continue  # a member that only the topic knows
        given_up = owned.given_up[claim.group, claim.process, claim.partition]
        later = bisect_left(given_up, claim.at)
        soon = later < len(given_up) and given_up[later] - claim.at <= REACTS_MS
        if not soon and not life.ended(claim.at):
            found[claim.group, claim.process, life.last_line(claim.at)][claim.at].append(claim.partition)
    for (group, name, since), taken in found.items():
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
        self._membership = [(t.at, t.row.kind) for _, t in process.process.rows if t.row.kind in _MEMBERSHIP]
        ends = [removed.get((process.process.group, member)) for member in process.members]
        self._removed = min((at for at in ends if at is not None), default=None)

    def last_line(self, at: int) -> int:
        """When it last wrote up to an instant."""
        return self._lines[max(0, bisect_right(self._lines, at) - 1)]

    def ended(self, at: int) -> bool:
        """Whether its membership had ended by an instant, so that what it held then is known."""
        if self._removed is not None and self._removed <= at:
            return True
        place = bisect_right(self._membership, at, key=lambda item: item[0])
        return place > 0 and self._membership[place - 1][1] in (RowKind.LEAVE_SENT, RowKind.POLL_TIMEOUT)


def _started_again(
    clients: Sequence[ClientFacts], index: Index, deaths: Deaths, session_timeout_ms: int | None, signs: SignsOfLife
) -> Iterator[Doubt]:
    """The partitions of processes that fell silent and were started again, in between.

    A static member that is back within its session sent a heartbeat at most one session before. Only its coordinator
    says that it was not removed; and while it waits for a join's answer its session does not end.
    """
    for each in clients:
        process = each.process
        again = deaths.get((process.group, process.name))
        if again is not None and again > process.last:
            session = session_of(process, index, session_timeout_ms).known_ms
            kept = process.instance is not None and index.from_broker(process.group) and not _awaits_join(process)
            heard = again - session if session and kept else process.last
            shown = signs.last(process.group, each.members, again) or 0
            why = (
                f"{process.name} fell silent at {iso(process.last)} and was started again at {iso(again)}; no log"
                " shows when it stopped in between; export the client's log to its last line, or its platform's log of"
                " restarts"
            )
            yield Doubt(process.group, max(process.last, heard, shown), again, pairs(each.held), why)


def _awaits_join(process: ProcessLog) -> bool:
    """Whether a classic member waits for a join's answer when its log ends."""
    last = process.last_of((RowKind.JOINING, RowKind.JOINED, RowKind.JOIN_FAILED, RowKind.GENERATION_RESET))
    return last is not None and last.row.kind == RowKind.JOINING


def _removed_without_log(
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
    known = {member for each in clients for member in each.members}
    known.update(member for each in topic.values() for member in each.ledger.memberships)
    found: list[Doubt] = []
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
        found.append(Doubt(row.group, begun, at, None if partitions is None else pairs(partitions), why))
    return found


def _broker_silent(rows: Sequence[TimedRow], index: Index, ended: int) -> Iterator[Doubt]:
    """The whole time of groups of which brokers' logs have gaps: the state that they tell is stale from there on.

    Gaps show where clients joined a generation that no broker completed, and where a broker completed one that it did
    not begin.
    """
    for group in sorted(index.broker_groups & index.client_groups):
        own = [timed for timed in rows if timed.row.group == group]
        gap = _epoch_gap(own) if group in index.consumer_groups else _gap(own)
        if gap is not None:
            at, generation = gap
            why = (
                f"the brokers' logs have gaps: generation (or epoch) {generation} of group {group}, at {iso(at)}, is"
                " not in them or does not begin there; export the logs of all brokers for these hours"
            )
            yield Doubt(group, rows[0].at, ended, None, why, own_word=True)


def _gap(rows: Sequence[TimedRow]) -> tuple[int, int] | None:
    """Of one group's rows: the first generation that no broker completed, or that it completed and did not begin."""
    completed = {
        int_in(row.detail.get("generation")) for _, row in rows if is_broker(row) and row.kind == RowKind.STABILIZED
    }
    begun = False
    for at, row in rows:
        generation = int_in(row.detail.get("generation"))
        if not is_broker(row):
            if row.kind == RowKind.JOINED and generation is not None and generation not in completed:
                return at, generation
        elif row.kind == RowKind.REBALANCE_START:
            begun = True
        elif row.kind == RowKind.STABILIZED and generation is not None:
            if not begun:
                return at, generation
            begun = False
    return None


def _epoch_gap(rows: Sequence[TimedRow]) -> tuple[int, int] | None:
    """Of one consumer group's rows: the first epoch of a client that is two or more ahead of all brokers' lines.

    One ahead is no gap: brokers do not print every change of an epoch.
    """
    reported = 0
    for at, row in rows:
        if is_broker(row):
            reported = max(reported, *(int_in(row.detail.get(name)) or 0 for name in ("epoch", "generation")))
        elif row.kind in (RowKind.JOINED, RowKind.STATE_CHANGE):
            reached = int_in(row.detail.get("generation" if row.kind == RowKind.JOINED else "epoch")) or 0
            if reached > reported + 1:
                return at, reached
    return None
