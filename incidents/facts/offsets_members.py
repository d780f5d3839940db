"""The facts of members that have no client log (any more), by what `__consumer_offsets` says of them; and all commits.

`Logged`: which members have a log, and where it ends before the topic does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from groupsim.events import client as c
from groupsim.events.base import group_stream, process_stream
from groupsim.events.group import CommitAccepted, OffsetsDeleted
from groupsim.events.types import NO_GENERATION, GroupId, MemberId, TopicPartition
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.client_partitions import unknown_offsets
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Reading, Row
from groupsim.incidents.logs.times import instant, iso
from groupsim.incidents.offsets_topic.collected import Commit
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.ledger import Holding, Ledger, Membership, View
from groupsim.incidents.tolerances import ONE_INSTANT_MS
from groupsim.wording.numbers import counted


class LogEnd(NamedTuple):
    """A member whose client log ends, at `at_ms`, before it took part in steps that the topic has.

    `held`: what it served then, by its log; `view`: what the topic says that it had.
    """

    group: GroupId
    process: str
    member: MemberId
    at_ms: int
    held: frozenset[TopicPartition]
    view: View | None


class Logged:
    """Which members have a client log, and until when.

    `members` have one. `ends` are those of them whose log ends early. A client that never prints its member id is the
    member of its client id that was in the group when it wrote.
    """

    def __init__(self, clients: Sequence[ClientFacts], histories: Mapping[GroupId, GroupHistory]) -> None:
        self.members: set[MemberId] = set()
        self.ends: dict[MemberId, LogEnd] = {}
        self._histories = histories
        for each in clients:
            history = histories.get(each.process.group)
            ids = each.members or (() if history is None else _nameless(each, history.ledger))
            self.members.update(ids)
            if history is None or each.process.out:
                continue
            member = each.member or next(reversed(list(ids)), "")
            end = None if member not in history.ledger.memberships else _end(each, member, history.ledger)
            if end is not None:
                self.ends[member] = end

    def ends_early(self, client: ClientFacts) -> bool:
        """Whether a client's log ends before the topic's history of it does."""
        key = (client.process.group, client.process.name)
        return any((end.group, end.process) == key for end in self.ends.values())

    def may_go_on(self, client: ClientFacts) -> bool:
        """Whether a log that just ends may be cut off: others of its group are, or its client is back without one."""
        process = client.process
        history = self._histories.get(process.group)
        back = () if history is None else history.ledger.memberships.values()
        return any(end.group == process.group for end in self.ends.values()) or any(
            each.client == process.client and each.since_ms > process.last and each.member not in self.members
            for each in back
        )

    def unlogged(self, holdings: Sequence[Holding]) -> Iterator[Holding]:
        """The holdings, or parts of them, that no client log tells of."""
        for holding in holdings:
            end = self.ends.get(holding.member)
            if end is not None:
                yield from _after(holding, end)
            elif holding.member not in self.members:
                yield holding


def _nameless(client: ClientFacts, ledger: Ledger) -> Collection[MemberId]:
    process = client.process
    return [
        each.member
        for each in ledger.memberships.values()
        if each.client == process.client
        and each.since_ms <= process.last + ONE_INSTANT_MS
        and (each.gone_ms is None or process.first <= each.gone_ms)
    ]


def _end(client: ClientFacts, member: MemberId, ledger: Ledger) -> LogEnd | None:
    """Where the log of a member ends, if the topic has steps of it that a log would have."""
    process, views = client.process, ledger.memberships[member].views
    reach, held = process.last + ONE_INSTANT_MS, frozenset(client.held)
    before = [view for view in views if view.at_ms <= reach]
    later = views[len(before) :]
    if later and later[-1].generation == NO_GENERATION:
        later = later[:-1]  # its removal: it left, or it died
    known = before[-1] if before else None
    if not later and known is not None and known.generation == NO_GENERATION:
        return None
    lost = any(held - view.partitions for view in [*before[-1:], *later])
    last = later[-1] if later else known
    more = last is not None and bool(last.partitions - held)
    rebalanced = any(
        pause.from_ms > reach for holding in ledger.holdings if holding.member == member for pause in holding.pauses
    )
    if not (lost or more or rebalanced):
        return None
    return LogEnd(process.group, process.name, member, process.last, held, known)


def _after(holding: Holding, end: LogEnd) -> Iterator[Holding]:
    """What is left of a holding after the end of its member's log."""
    if holding.to_ms is not None and holding.to_ms <= end.at_ms:
        return
    proven = holding.from_ms <= end.at_ms and holding.partition in end.held
    since = max(holding.from_ms, end.at_ms)
    pauses = [
        pause._replace(from_ms=max(pause.from_ms, end.at_ms)) for pause in holding.pauses if pause.to_ms > end.at_ms
    ]
    yield Holding(
        holding.member, holding.partition, since, max(since, holding.served_to_ms), holding.to_ms, pauses, proven
    )


def views_after(membership: Membership, end: LogEnd) -> Iterator[View]:
    """What the topic says that the member had, from the end of its log on."""
    first = [] if end.view is None else [end.view._replace(at_ms=end.at_ms)]
    return chain(first, (view for view in membership.views if view.at_ms > end.at_ms + ONE_INSTANT_MS))


_LAST = 1 << 60
"""A position behind all rows: at equal times, what a coordinator writes comes before what its members do by it."""
_TAIL = 8


def write_topic(reading: Reading, clients: Sequence[ClientFacts], logged: Logged, builder: FactBuilder) -> None:
    """Write the facts of members that no client log tells of (any more), and of all commits, of every group."""
    since_ms = 0 if reading.since is None else instant(reading.since)
    for group, history in reading.topic.items():
        taken = {each.process.name for each in clients if each.process.group == group}
        _TopicMembers(group, history, builder).write(logged, taken, since_ms)


class _TopicMembers:
    """Writes facts of one group by its history."""

    def __init__(self, group: GroupId, history: GroupHistory, builder: FactBuilder) -> None:
        self._group = group
        self._history = history
        self._builder = builder

    def write(self, logged: Logged, taken: Collection[str], since_ms: int) -> None:
        """Write the facts of members that no log tells of, and all commits, from `since_ms` on.

        `taken`: the names of the group's processes that have logs.
        """
        memberships = [
            membership
            for member, membership in self._history.ledger.memberships.items()
            if member not in logged.members
        ]
        for membership, name in zip(memberships, _names(memberships, taken), strict=True):
            self._member(membership, name, since_ms)
        for member, membership in self._history.ledger.memberships.items():
            if (end := logged.ends.get(member)) is not None:
                self._views(membership, end.process, views_after(membership, end), positions=True)
                self._builder.note(
                    f"the log of {end.process} ends at {iso(end.at_ms)}, before it took part in what the topic has;"
                    " from there on it is known as members without a log are: by its assignments and commits",
                    self._group,
                )
        for notice in self._history.ledger.notes:
            self._builder.note(notice, self._group)
        if memberships:
            self._builder.note(
                f"{counted(len(memberships), 'member')} without a client log: the topic shows what they were assigned,"
                " and only commits show that they served it; between two commits in one generation (or epoch) they"
                " count as serving, before the first and after the last it is unknown",
                self._group,
            )
        self._commits(since_ms)

    def _member(self, membership: Membership, name: str, since_ms: int) -> None:
        if membership.gone_ms is not None and membership.gone_ms < since_ms:
            return
        stream = process_stream(self._group, name)
        self._add(
            max(membership.since_ms, since_ms),
            membership.place,
            stream,
            c.ProcessStarted(
                process=name,
                client_id=membership.client or membership.member,
                instance_id=membership.instance,
                topics=membership.topics,
            ),
        )
        early = [view for view in membership.views if view.at_ms < since_ms][-1:]
        views = [*early, *(view for view in membership.views if view.at_ms >= since_ms)]
        self._views(membership, name, (view._replace(at_ms=max(view.at_ms, since_ms)) for view in views))

    def _views(self, membership: Membership, name: str, views: Iterable[View], *, positions: bool = False) -> None:
        """What a member was given, and that it holds it; `positions`: and that it fetches, as its log said before."""
        stream = process_stream(self._group, name)
        shown: frozenset[TopicPartition] | None = None
        for view in views:
            partitions = tuple(sorted(view.partitions))
            if view.generation != NO_GENERATION:
                sync = c.SyncOk(
                    process=name, member=membership.member, generation=view.generation, assignment=partitions
                )
                self._add(view.at_ms, view.place, stream, sync)
            if view.partitions != shown:
                self._add(view.at_ms, view.place, stream, c.ViewChanged(process=name, partitions=partitions))
                if positions:
                    ready = c.PositionReady(process=name, offsets=unknown_offsets(partitions))
                    self._add(view.at_ms, view.place, stream, ready)
            shown = view.partitions

    def _commits(self, since_ms: int) -> None:
        stream, holders = group_stream(self._group), _Holders(self._history.ledger.holdings)
        batches: dict[int, list[Commit]] = defaultdict(list)
        for commit in self._history.commits:
            if commit.at_ms >= since_ms:
                batches[commit.batch].append(commit)
        for batch in batches.values():
            at, place = batch[0].at_ms, batch[0].place
            kept = {commit.partition: commit.committed for commit in batch if commit.committed is not None}
            if kept:
                members = {holders.at(partition, at) for partition in kept}
                member = members.pop() if len(members) == 1 else None
                membership = self._history.ledger.memberships.get(member or "")
                generation = (
                    next((v.generation for v in reversed(membership.views) if v.at_ms <= at), -1) if membership else -1
                )
                offsets = tuple((p.topic, p.partition, kept[p]) for p in sorted(kept))
                self._add(
                    at, place, stream, CommitAccepted(member=member or "", generation=generation, offsets=offsets)
                )
            if gone := tuple(sorted({commit.partition for commit in batch if commit.committed is None})):
                self._add(at, place, stream, OffsetsDeleted(partitions=gone))

    def _add(self, at_ms: int, place: str, stream: str, event: c.ClientEvent | CommitAccepted | OffsetsDeleted) -> None:
        file, _, line = place.rpartition(":")
        number = int(line) if line.isdecimal() else 0
        row = Row(file, number, iso(at_ms), RowKind.OFFSETS_RECORD, self._group, None, None, {}, Program.OFFSETS_TOPIC)
        self._builder.add(_LAST, TimedRow(at_ms, row), stream, event)


class _Holders:
    """Who held a partition, asked by instants that never go back."""

    def __init__(self, holdings: Sequence[Holding]) -> None:
        self._of: dict[TopicPartition, list[Holding]] = defaultdict(list)
        for holding in holdings:
            self._of[holding.partition].append(holding)

    def at(self, partition: TopicPartition, at_ms: int) -> MemberId | None:
        """The member that held it just before."""
        found = self._of.get(partition, [])
        while len(found) > 1 and found[1].from_ms < at_ms:
            found.pop(0)
        return found[0].member if found and found[0].from_ms < at_ms else None


def _names(memberships: Sequence[Membership], taken: Collection[str]) -> Iterator[str]:
    """`client.0`, `client.1` for members that followed each other; `client@` and the end of their ids for others."""
    by_client: dict[str, list[Membership]] = defaultdict(list)
    for membership in memberships:
        by_client[membership.client or membership.member].append(membership)
    used = set(taken)
    for membership in memberships:
        client = membership.client or membership.member
        together = any(_overlap(membership, other) for other in by_client[client] if other is not membership)
        stem = f"{client}@{membership.member[-_TAIL:]}" if together else client
        number = next(n for n in range(len(memberships) + len(used) + 1) if f"{stem}.{n}" not in used)
        used.add(f"{stem}.{number}")
        yield f"{stem}.{number}"


def _overlap(a: Membership, b: Membership) -> bool:
    return (a.gone_ms is None or b.since_ms < a.gone_ms) and (b.gone_ms is None or a.since_ms < b.gone_ms)
