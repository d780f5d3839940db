"""When somebody had partitions, by the account of the clients' lines: surely, and perhaps."""

from __future__ import annotations

from typing import NamedTuple

from groupsim.diagnosis.group_log import GroupLog
from groupsim.events.types import TopicPartition
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.incarnation import Incarnation
from groupsim.incidents.account.spans import INF, Spans, both, union

_ANY = TopicPartition("", 0)
"""One that no line names: a log that begins in the middle may leave out what its member had before."""


class Held(NamedTuple):
    """When some member that runs had a partition, surely and perhaps."""

    surely: Spans
    perhaps: Spans


def held(log: GroupLog) -> Held | None:
    """None where no line is a client's. Whether its coordinator knows a member is not asked: one that was removed
    reads until it hears of it.
    """
    account = log.account
    if account is None or not account.incarnations:
        return None
    return Held(
        union(*(_of(own, sure=True) for own in account.incarnations)),
        union(_elsewhere(account), *(_of(own, sure=False) for own in account.incarnations)),
    )


def _elsewhere(account: Account) -> Spans:
    """When a member without a log may have had any: who had some before the first assignment in sight, nobody says."""
    found = [each.span for each in account.elsewhere if each.only is None or each.only]
    if not account.consumer:
        found.append((-INF, account.stored[0].when.hi if account.stored else INF))
    return union(found)


def _of(own: Incarnation, *, sure: bool) -> Spans:
    """When a process had any partition; it is not asked which."""
    if sure:
        return both(own.runs.surely(True), union(*(track.surely(True) for track in own.holds.values())))
    tracks = [*own.holds.values(), own.holding(_ANY)]
    return both(own.runs.possibly(True), union(*(track.possibly(True) for track in tracks)))
