"""When members certainly ran, and when they may not have served: by their commits, generations and epochs.

Commits carry no member: a commit is its partition's holder's, as others would have been refused. Between a commit that
a holder made and one that proves it back it may not have served its partition.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from groupsim.events.types import NO_GENERATION, GroupId, MemberId, TopicPartition
from groupsim.incidents.offsets_topic.collected import Commit
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.ledger import Holding, Ledger, Membership, View

_PROOF = 2
"""So many commits after a member was given more, or less, prove that its callbacks have returned.

One may come before the callbacks: the consumer of KIP-848 commits when it begins to follow its target
(AbstractMembershipManager.maybeReconcile), and librdkafka commits beside the application."""

_FEWEST = 2
"""So many times without a commit, none half as long as another, show how often a member commits."""


class Span(NamedTuple):
    """From a time up to, but not including, another, milliseconds since 1970."""

    from_ms: int
    to_ms: int


class CommitTimes:
    """When each partition's offset was committed, and each member committed anything."""

    def __init__(self, commits: Iterable[Commit], holdings: Sequence[Holding], end_ms: int) -> None:
        self._of: dict[TopicPartition, list[int]] = defaultdict(list)
        for commit in commits:
            if commit.committed is not None:
                self._of[commit.partition].append(commit.at_ms)
        for times in self._of.values():
            times.sort()
        by_member: dict[MemberId, set[int]] = defaultdict(set)
        for holding in holdings:
            by_member[holding.member].update(self.within(holding, end_ms))
        self._by: Mapping[MemberId, list[int]] = {member: sorted(times) for member, times in by_member.items()}

    def within(self, holding: Holding, end_ms: int) -> list[int]:
        """When the holder committed the partition."""
        times = self._of.get(holding.partition, [])
        end = end_ms if holding.to_ms is None else holding.to_ms
        return times[bisect_right(times, holding.from_ms) : bisect_right(times, end)]

    def of_member(self, member: MemberId, after_ms: int, count: int) -> int | None:
        """When the member's commit number `count` after an instant was; None: it made fewer."""
        times = self._by.get(member, [])
        place = bisect_right(times, after_ms) + count - 1
        return times[place] if place < len(times) else None

    def last_of(self, member: MemberId, until_ms: int) -> int | None:
        """When the member's last commit up to an instant was; None: it made none."""
        times = self._by.get(member, [])
        place = bisect_right(times, until_ms)
        return times[place - 1] if place else None

    def longest_gap_ms(self, member: MemberId, until_ms: int) -> int | None:
        """How long the member went without a commit at most, up to an instant, and some more; None: it is not regular.

        It is if the longest time between two commits was about the same more than once.
        """
        times = self._by.get(member, [])
        gaps = [b - a for a, b in pairwise(times[: bisect_right(times, until_ms)])]
        longest = max(gaps, default=0)
        regular = sum(2 * gap >= longest for gap in gaps) >= _FEWEST
        return longest + longest // 4 if regular else None


def unsettled(
    ledger: Ledger, commits: Iterable[Commit], end_ms: int, *, callbacks: bool = True
) -> dict[TopicPartition, list[Span]]:
    """By partition the time in which nothing proves that its holder served it, merged and in order, up to `end_ms`.

    Without `callbacks`, those of members that kept a partition are taken to be short.
    """
    times = CommitTimes(commits, ledger.holdings, end_ms)
    found: dict[TopicPartition, list[Span]] = defaultdict(list)
    for holding in ledger.holdings:
        end = end_ms if holding.to_ms is None else min(holding.to_ms, end_ms)
        for span in _spans(holding, times, end, callbacks):
            if span.from_ms < min(span.to_ms, end):
                found[holding.partition].append(Span(span.from_ms, min(span.to_ms, end)))
    return {partition: _merged(found[partition]) for partition in sorted(found)}


def _spans(holding: Holding, times: CommitTimes, end: int, callbacks: bool) -> Iterable[Span]:
    own = times.within(holding, end)
    if not holding.proven:
        yield Span(holding.from_ms, own[0] if own else end)
    if holding.to_ms is not None:
        yield Span(max(own[-1] if own else holding.from_ms, holding.served_to_ms), end)
    for pause in holding.pauses if callbacks else ():
        back = times.of_member(holding.member, pause.to_ms, _PROOF)
        since = pause.from_ms
        if not pause.exact:
            place = bisect_left(own, since)
            since = own[place - 1] if place else holding.from_ms
        yield Span(since, end if back is None else back)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.from_ms <= merged[-1].to_ms:
            merged[-1] = Span(merged[-1].from_ms, max(merged[-1].to_ms, span.to_ms))
        else:
            merged.append(span)
    return merged


class SignsOfLife:
    """Of all groups in the topic; there are none of other groups. Times are UTC milliseconds since 1970."""

    def __init__(self, histories: Mapping[GroupId, GroupHistory]) -> None:
        self._histories = histories
        self._commits = {
            group: CommitTimes(each.commits, each.ledger.holdings, each.ended_ms) for group, each in histories.items()
        }

    def last(self, group: GroupId, members: Iterable[MemberId], until_ms: int) -> int | None:
        """When one of these members (the ids of one process) certainly ran for the last time up to an instant."""
        times: list[int] = []
        for member in members if group in self._histories else ():
            committed = self._commits[group].last_of(member, until_ms)
            times += [] if committed is None else [committed]
            if (membership := self._histories[group].ledger.memberships.get(member)) is not None:
                times += [at for at in _steps(membership) if at <= until_ms]
        return max(times, default=None)

    def back(self, group: GroupId, member: MemberId, after_ms: int) -> bool:
        """Whether a member that was gone at an instant came back later under its id."""
        history = self._histories.get(group)
        known = None if history is None else history.ledger.memberships.get(member)
        return known is not None and any(v.at_ms > after_ms and v.generation != NO_GENERATION for v in known.views)

    def commit_due(self, group: GroupId, member: MemberId, until_ms: int) -> int | None:
        """When the next commit of a member would have come at the latest, if it committed regularly before.

        None if it did not, or if that is not before `until_ms`.
        """
        if group not in self._commits:
            return None
        commits = self._commits[group]
        last, gap_ms = commits.last_of(member, until_ms), commits.longest_gap_ms(member, until_ms)
        due = until_ms if last is None or gap_ms is None else last + gap_ms
        return due if due < until_ms else None


def _steps(membership: Membership) -> Iterable[int]:
    """When the member certainly ran: it came into an epoch with a heartbeat, and asked for a generation since its last.

    A classic member may be gone when the generation begins that it waited for (Kafka: its session begins anew then).
    """
    before: View | None = None
    for view in membership.views:
        if view.generation not in (NO_GENERATION if before is None else before.generation, NO_GENERATION):
            if not view.waited:
                yield view.at_ms
            elif before is not None:
                yield before.at_ms
        before = view
