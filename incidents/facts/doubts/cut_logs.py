"""Logs that begin or end in the middle of a rebalance, or of a membership: the outage may be longer than they tell.

Of a member whose log is cut off nobody knows what it had before, or later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import zip_longest

from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.causes import given_member_id
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.deaths import Deaths
from groupsim.incidents.facts.doubts.history import EXPORT, History
from groupsim.incidents.facts.doubts.ownership import Ownership
from groupsim.incidents.facts.lookups import JOINS
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.typed_fields import int_in, pairs, partitions_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row, is_broker
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.ledger import Ledger, Membership
from groupsim.incidents.tolerances import ONE_INSTANT_MS, REACTS_MS
from groupsim.storage.log_gaps import Doubt

_BEGIN = frozenset(
    [
        RowKind.REBALANCE_START,
        RowKind.MEMBER_FAILED,
        RowKind.MEMBER_LEFT,
        RowKind.MEMBER_ID_CREATED,
        RowKind.MEMBER_JOINED,
        RowKind.GROUP_EPOCH_BUMPED,
        RowKind.JOINING,
        RowKind.REJOIN_REQUESTED,
        RowKind.HEARTBEAT_SAYS_REBALANCING,
        RowKind.REVOKED,
        RowKind.LOST,
        RowKind.LEAVE_SENT,
        RowKind.POLL_TIMEOUT,
        RowKind.STATE_CHANGE,
    ]
)
"""Kinds of rows with which a rebalance begins, or a member's part in one."""
_GIVEN = (RowKind.SYNCED, RowKind.ASSIGNED, RowKind.WORKER_ASSIGNED)
"""Kinds of rows by which a member has its part."""
_END = frozenset([RowKind.STABILIZED, RowKind.ASSIGNMENT_RECEIVED, RowKind.JOINED, *_GIVEN])
"""Kinds of rows with which one ends."""
CHANGING = frozenset(["JOINING", "RECONCILING", "ACKNOWLEDGING"])
"""States of a consumer group's client that has yet to follow its target."""
_OVER = frozenset([RowKind.ASSIGNMENT_RECEIVED, RowKind.GROUP_DEAD, RowKind.GROUP_EMPTY])
"""Kinds of a broker's rows by which a rebalance is over."""
_AFTER = "; export from before the incident until the group is stable again"


def begun_before(rows: Sequence[TimedRow], consumer_groups: Set[str]) -> list[str]:
    """Sentences about groups of which the logs tell the end of a rebalance first.

    Not of the clients of consumer groups (KIP-848), of which some libraries print no beginning.
    """
    seen: set[tuple[str, bool]] = set()
    found: dict[str, str] = {}
    for at, row in rows:
        side = (row.group or "", is_broker(row))
        if row.group is None or side in seen or row.kind not in _BEGIN | _END:
            continue
        if row.group in consumer_groups and not is_broker(row):
            continue
        seen.add(side)
        if row.kind in _END and (is_broker(row) or int_in(row.detail.get("generation")) != 1):
            whose = "a broker's log begins" if is_broker(row) else "the logs begin"
            why = f'group "{row.group}" was rebalancing already when {whose}, at {iso(at)}{_AFTER}'
            found.setdefault(row.group, why)
    return list(found.values())


def unfinished(
    rows: Sequence[TimedRow], processes: Iterable[ProcessLog], deaths: Deaths, consumer_groups: Set[str]
) -> list[str]:
    """Sentences about groups that still rebalance when the logs end.

    Of consumer groups (KIP-848) a broker's log tells no end of a rebalance, and a client's is its state.
    """
    last = _last_of_brokers(rows)
    latest = _latest_generations(rows)
    for process in processes:
        states = [p.row.detail.get("to") for _, p in process.rows if p.row.kind == RowKind.STATE_CHANGE]
        if states and states[-1] in CHANGING and not process.closed:
            last.setdefault(process.group, process.last)
        if process.out or (process.group, process.name) in deaths:
            continue
        mine = process.last_of(_BEGIN | _END)
        if mine is None or mine.row.kind in _GIVEN or process.group in consumer_groups:
            continue
        after, generation = latest.get(process.group, (0, 0))
        joined = int_in(mine.row.detail.get("generation")) if mine.row.kind == RowKind.JOINED else None
        if (joined is not None and joined >= generation) or (joined is None and after <= mine.at):
            last.setdefault(process.group, mine.at)
    return [
        f'group "{group}" is rebalancing when the logs end, since {iso(at)} at the latest{_AFTER}'
        for group, at in sorted(last.items())
    ]


def _last_of_brokers(rows: Sequence[TimedRow]) -> dict[str, int]:
    """Groups whose brokers began a rebalance and did not end it, and when."""
    began: dict[str, int] = {}
    for at, row in rows:
        if row.group is None or not is_broker(row):
            continue
        if row.kind == RowKind.REBALANCE_START:
            began[row.group] = at
        elif row.kind in _OVER or (row.kind == RowKind.GROUP_CONVERTED and row.detail.get("to") == "consumer"):
            began.pop(row.group, None)
    return began


def _latest_generations(rows: Sequence[TimedRow]) -> Mapping[str, tuple[int, int]]:
    """When each group last completed a generation, and its number."""
    found: dict[str, tuple[int, int]] = {}
    for at, row in rows:
        generation = int_in(row.detail.get("generation"))
        if row.group is not None and row.kind in (RowKind.JOINED, RowKind.STABILIZED, RowKind.GROUP_EMPTY):
            found[row.group] = (at, generation or 0)
    return found


_JOINS = JOINS | {RowKind.STATIC_MEMBER_REPLACED}
_CLASSIC = frozenset(
    [
        RowKind.COORDINATOR_FOUND,
        RowKind.JOINING,
        RowKind.REJOIN_REQUESTED,
        RowKind.JOINED,
        *_GIVEN,
        RowKind.REVOKED,
        RowKind.LOST,
    ]
)
_JOINED = (RowKind.JOINED, RowKind.SYNCED)
"""Kinds of rows before a classic member takes what it is given: an eager one has nothing then."""
_TARGET = RowKind.CLIENT_TARGET
_OUT = ("FENCED", "STALE")
_EPOCHS = frozenset([RowKind.STATE_CHANGE, RowKind.CONSUMER_HEARTBEAT, RowKind.CONSUMER_HEARTBEAT_ANSWERED])


class BrokersWord:
    """When brokers' logs say that members joined, or left by themselves (not: were removed).

    `off_ms`: so far times of two logs may be off, more than `ONE_INSTANT_MS`.
    """

    def __init__(self, rows: Sequence[TimedRow], off_ms: int) -> None:
        self._off_ms = off_ms
        self._said: dict[tuple[str | None, str | None], list[tuple[int, bool]]] = defaultdict(list)
        for at, row in rows:
            if is_broker(row) and row.kind in _JOINS | {RowKind.MEMBER_LEFT}:
                self._said[row.group, row.member].append((at, row.kind in _JOINS))

    def joined_before(self, client: ClientFacts, at: int) -> bool | None:
        """Whether the first of a process's members joined before an instant; None: no broker says, or just then."""
        first = min((when for when, joined in self._of(client) if joined), default=None)
        near = ONE_INSTANT_MS + self._off_ms
        return None if first is None or abs(first - at) <= near else first < at

    def after(self, client: ClientFacts, at: int) -> list[tuple[int, bool]]:
        """When a process's members joined (True), surely later than a client takes, or left (False), in order.

        A client prints that it leaves before it asks to, and that it is out of the group before it joins again.
        """
        waits = {True: -ONE_INSTANT_MS if _state(client) in _OUT else REACTS_MS, False: ONE_INSTANT_MS}
        return [change for change in self._of(client) if change[0] > at + waits[change[1]] + self._off_ms]

    def _of(self, client: ClientFacts) -> list[tuple[int, bool]]:
        said = (self._said.get((client.process.group, member), ()) for member in client.members)
        return sorted(change for of_member in said for change in of_member)


def begins_late(
    client: ClientFacts, word: BrokersWord, history: History, ledger: Ledger | None, origin: int, ended: int
) -> Iterator[Doubt]:
    """What a group had before a log tells all that its member has, if the member was in the group before.

    What a client adds or gives up is not all that it has. `ledger`: what `__consumer_offsets` has of the group; of
    members that it knows it tells what they had.
    """
    rows = [timed for _, timed in client.process.rows]
    begun = rows[0].at
    recorded = any(membership.since_ms < begun - ONE_INSTANT_MS for membership in _memberships(client, ledger))
    said = recorded or word.joined_before(client, begun)
    first = next((timed for timed in rows if timed.row.kind in _EPOCHS), None)
    if said is False or (said is None and (_joins_first(rows) if first is None else _begins(first.row))):
        return
    anew = first is not None and "JOINING" in (first.row.detail.get("from"), first.row.detail.get("to"))
    shown = next((timed.at for timed in rows if _shows_all(timed.row) or (anew and timed is first)), ended)
    if said is None and first is None and _protocol(rows) is None:  # what it gives up first is taken as all that it had
        shown = begun
    until = min(shown, history.end(client, begun, ended))
    which = _in_topic(client, ledger, origin, until)
    if until > origin and which != ():
        name, file = client.process.name, client.process.file
        why = f"{file}: its log begins too late, at {iso(begun)}: {name} was in the group before" + EXPORT
        yield Doubt(client.process.group, origin, until, which, why, own_word=True)


def _begins(first: Row) -> bool:
    """Whether the first row of a log that tells of a state or an epoch is one of a member that joins."""
    if first.kind == RowKind.STATE_CHANGE:
        return first.detail.get("from") in ("UNSUBSCRIBED", "JOINING")
    return not int_in(first.detail.get("epoch"))


def _protocol(rows: Sequence[TimedRow]) -> str | None:
    """A classic member's assignor, if its client prints it."""
    return next((str(timed.row.detail["protocol"]) for timed in rows if "protocol" in timed.row.detail), None)


def _joins_first(rows: Sequence[TimedRow]) -> bool:
    """Whether a classic member's log may tell first how it joins for the first time; True of one without such lines.

    An eager member gives all up before it joins again.
    """
    protocol = _protocol(rows)
    tells = next((timed.row for timed in rows if timed.row.kind in _CLASSIC), None)
    if tells is None or tells.kind == RowKind.COORDINATOR_FOUND:
        return True
    if protocol is None:
        return tells.kind not in (RowKind.REVOKED, RowKind.LOST) or not tells.detail.get("partitions")
    given = given_member_id(str(tells.detail.get("reason") or "")) is not None
    return given or (tells.kind == RowKind.JOINING and not protocol.startswith("cooperative"))


def _shows_all(row: Row) -> bool:
    """Whether it is known from a row on all that a member has: an eager one joins with nothing.

    librdkafka prints no such list in the consumer protocol.
    """
    eager = row.kind in _JOINED and not str(row.detail.get("protocol", "cooperative")).startswith("cooperative")
    return eager or row.kind in (RowKind.CLIENT_RECONCILING, RowKind.CLIENT_BLOCK, RowKind.LOST)


def ends_early(
    client: ClientFacts, word: BrokersWord, history: History, ledger: Ledger | None, ended: int, *, shown: bool
) -> Iterator[Doubt]:
    """What the group had since a log ended whose member joined or left later, or had yet to follow its target.

    A member that is killed is removed later: its log is whole. `ledger`: see `begins_late`; `shown`: see `_joining`.
    """
    process = client.process
    if process.out:
        return
    name, last = process.name, process.last
    later = word.after(client, last) if ledger is None else []
    if later:
        at, joined = later[-1]
        until = ended if joined else at
        does = "joins" if joined else "leaves"
        what = f"its log ends at {iso(last)}, and {name} {does} at {iso(at)}, by the broker's log"
    else:
        changing = _changing(client)
        if not (changing or _in_callback(client) or _joining(client, shown=shown)):
            return
        yet = "follow what it was assigned" if changing else "be given its part"
        until = _removed(client, history, last, ended)
        what = f"its log ends at {iso(last)}, when {name} had yet to {yet}"
    which = _in_topic(client, ledger, last, until)
    if until - last > ONE_INSTANT_MS and which != ():
        yield Doubt(process.group, last, until, which, f"{process.file}: {what}{EXPORT}", own_word=True)


def goes_on(client: ClientFacts, history: History, owned: Ownership, ended: int) -> Iterator[Doubt]:
    """What nobody else had since the log of a member of the consumer protocol ended, that goes on by all appearances.

    Others took what it had, so it gave that up, or its coordinator had removed it, and no broker says so.
    """
    process = client.process
    until = history.end(client, process.last, ended)
    taken = owned.taken_after(process.group, process.name, process.last + ONE_INSTANT_MS)
    if process.out or taken is None or taken >= until:
        return
    held: dict[tuple[int, int], list[TopicPartition]] = defaultdict(list)
    for partition, since, to in owned.not_others(process.group, process.name, process.last, until):
        held[since, to].append(partition)
    why = (
        f"{process.file}: its log ends at {iso(process.last)}, and {process.name} goes on: others have what it had at"
        f" {iso(taken)}, and no broker removed it before{EXPORT}"
    )
    for (since, to), partitions in held.items():
        yield Doubt(process.group, since, to, pairs(tuple(partitions)), why)


def _removed(client: ClientFacts, history: History, since: int, ended: int) -> int:
    """When the first of a process's members was removed; until then nobody knows what it had, nor when it died."""
    removed = history.removed(client.process.group, client.members, since)
    return history.end(client, since, ended) if removed is None else removed


def _in_topic(client: ClientFacts, ledger: Ledger | None, since: int, until: int) -> tuple[tuple[str, int], ...] | None:
    """What the topic says that a member had at any time of a period; None: it does not know it."""
    known = _memberships(client, ledger)
    partitions: set[TopicPartition] = set()
    for membership in known:
        ends = [view.at_ms for view in membership.views[1:]]
        for view, end in zip_longest(membership.views, ends):
            if view.at_ms <= until and (end is None or end > since):
                partitions |= view.partitions
    return pairs(tuple(sorted(partitions))) if known else None


def _memberships(client: ClientFacts, ledger: Ledger | None) -> list[Membership]:
    """What the topic has of a process's members."""
    memberships = (None if ledger is None else ledger.memberships.get(member) for member in sorted(client.members))
    return [membership for membership in memberships if membership is not None]


def _joining(client: ClientFacts, *, shown: bool) -> bool:
    """Whether the log of a classic member ends before it is given its part of a generation.

    `shown`: a broker, or the topic, says which generations it was in; so only what one gave it is not known.
    """
    tells = [timed.row for _, timed in client.process.rows if timed.row.kind in _CLASSIC]
    if not tells:
        return not shown
    last = tells[-1]
    prints_all = "protocol" in last.detail or any(t.row.kind == RowKind.CGRP_STATE for _, t in client.process.rows)
    joined = last.kind in _JOINED and prints_all
    asks = last.kind in (RowKind.JOINING, RowKind.REJOIN_REQUESTED) or all(
        row.kind == RowKind.COORDINATOR_FOUND for row in tells
    )
    return joined or (asks and not shown)


def _in_callback(client: ClientFacts) -> bool:
    """Whether the log of librdkafka ends before it has all partitions that it gave to a callback, or took from it."""
    rows = [timed.row for _, timed in client.process.rows]
    last = next(
        (nth for nth in range(len(rows) - 1, -1, -1) if rows[nth].kind in (RowKind.ASSIGNED, RowKind.REVOKED)), None
    )
    if last is None or (number := int_in(rows[last].detail.get("partition_count"))) is None:
        return False
    moved = RowKind.CLIENT_ADDED if rows[last].kind == RowKind.ASSIGNED else RowKind.CLIENT_REMOVED
    return sum(len(partitions_in(row.detail.get("partitions"))) for row in rows[last:] if row.kind == moved) < number


def _changing(client: ClientFacts) -> bool:
    """Whether the log of a consumer group's client ends before it follows its target."""
    return _state(client) in CHANGING | {_TARGET}


def _state(client: ClientFacts) -> object:
    """The last state of a consumer group's client that its log has, or that it heard of a target."""
    kinds = (RowKind.STATE_CHANGE, _TARGET, RowKind.CLIENT_TARGET_ACKED)
    last = client.process.last_of(kinds)
    return None if last is None else _TARGET if last.row.kind == _TARGET else last.row.detail.get("to")
