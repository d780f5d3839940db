"""Clients' logs that end before `__consumer_offsets` does: from there on only the topic tells of their members."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from groupsim.events.types import NO_GENERATION, GroupId, MemberId, TopicPartition
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.ledger import Holding, Ledger, Membership, View
from groupsim.incidents.tolerances import ONE_INSTANT_MS


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
            if history is None or each.process.closed or each.process.left:
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
