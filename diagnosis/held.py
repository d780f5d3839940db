"""When somebody had partitions, by the account of the clients' lines: surely, and perhaps."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import only_member
from groupsim.diagnosis.silences import frozen
from groupsim.diagnosis.stopped_by_broker import end_of_broker, is_whole, of_both_protocols
from groupsim.events.types import TopicPartition
from groupsim.incidents.account.group import Account
from groupsim.incidents.account.hidden import Removal, removals_of
from groupsim.incidents.account.incarnation import Incarnation
from groupsim.incidents.account.spans import EVER, INF, Span, Spans, both, union, without

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
    incarnations = account.incarnations
    next_start, asleep = _next_starts(incarnations), frozen(log)
    perhaps = [_perhaps(own, account, next_start(own)) for own in incarnations]
    if _is_alone(log):  # one that comes when the one before it has ended had nothing before its first line
        for nth, (before, own) in enumerate(pairwise(incarnations), start=1):
            if before.ended is not None:
                perhaps[nth] = both(perhaps[nth], [(own.first.lo, INF)])
    return Held(
        union(*(_surely(own, log.ends, asleep) for own in incarnations)),
        union(_elsewhere(log, account), *perhaps),
    )


def _is_alone(log: GroupLog) -> bool:
    """Whether one client is all there is, by the plans that it made."""
    return not log.has_broker and len(log.clients) == 1 and only_member(log, *log.clients)


def _elsewhere(log: GroupLog, account: Account) -> Spans:
    """When a member without a log may have had any: a broker's log names them, but only from its first assignment to
    its end; and so do the plans of a client that is alone in each.
    """
    if of_both_protocols(log) or (account.consumer and not is_whole(log)):
        return EVER
    if _is_alone(log):
        return []
    begins = account.stored[0].when.hi if account.stored else INF
    found = [] if account.consumer else [(-INF, begins)]
    if account.broker:
        found.append((end_of_broker(log), INF))
    return union(found, (each.span for each in account.elsewhere if each.only is None or each.only))


def _surely(own: Incarnation, ends: Mapping[str, int], asleep: Mapping[tuple[str, int], Spans]) -> Spans:
    """While its log goes on: where that was cut off, nobody knows more.

    Between two lines of one process it was there, and read, where they do not say that it was frozen (`asleep`). Once
    it has given its membership up, in a batch that takes too long, it may still read what it had, or not.
    """
    lines = [(own.first.lo, own.last.hi)]
    after = [(own.last.hi, max(own.last.hi, ends.get(own.process.file, -INF)))]
    there = union(both(own.runs.possibly(True), lines), both(own.runs.surely(True), after))
    has = union(*(track.surely(True) for track in own.holds.values()))
    still = (
        [asleep[place] for said in own.said if (place := (said.row.file, said.row.line)) in asleep] if asleep else []
    )
    return without(both(there, has), union(_given_up(own), *still))


def _given_up(own: Incarnation) -> Iterator[Span]:
    """From where it says so until it is a member again."""
    steps = own.member.steps
    for step, following in zip_longest(steps, steps[1:]):
        if step.value is False:
            yield step.when.lo, INF if following is None else following.when.hi


def _perhaps(own: Incarnation, account: Account, next_start: int) -> Spans:
    """What it may have had until it was closed, removed, or started again.

    That it says nothing proves nothing: its log may have been cut off, or some of its lines left out.
    """
    tracks = [*own.holds.values(), own.holding(_ANY)]
    has = union([(own.last.lo, INF)], *(track.possibly(True) for track in tracks))
    gone = INF if own.ended is None else own.ended.hi
    removed = (each.when.hi for each in removals_of(own, account.removals) if _for_good(each, own, account))
    return both(has, [(-INF, min([gone, next_start, *removed]))])


def _for_good(removal: Removal, own: Incarnation, account: Account) -> bool:
    """Whether it was removed after its last line, and did not come back under the same id (KIP-848)."""
    track = account.members.get(removal.member)
    again = track is not None and any(until > removal.when.hi for _, until in track.possibly(True))
    return removal.when.lo > own.last.hi and not again


def _next_starts(incarnations: Sequence[Incarnation]) -> Callable[[Incarnation], int]:
    """By which instant the same client's next process has surely begun; INF if there is none.

    The same: of one file and one client id, or of one instance id. Two programs may have one client id.
    """
    starts: dict[tuple[str | None, ...], list[Span]] = defaultdict(list)
    for each in incarnations:
        if each.starts:
            for key in _keys(each):
                starts[key].append((each.first.lo, each.first.hi))
    for spans in starts.values():
        spans.sort()

    def next_start(own: Incarnation) -> int:
        found = [INF]
        for key in _keys(own):
            spans = starts.get(key, [])
            later = bisect_right(spans, (own.last.hi, INF))
            found += [until for _, until in spans[later : later + 1]]
        return min(found)

    return next_start


def _keys(own: Incarnation) -> list[tuple[str | None, ...]]:
    process = own.process
    keys: list[tuple[str | None, ...]] = [(process.file, process.client)]
    return keys if process.instance is None else [*keys, (process.instance,)]
