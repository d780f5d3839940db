"""Which partition was available when, and why not: intervals by the definition and labels of the spec's section 8."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from groupsim.analysis.availability.labels import LABELS, Interval, Verdict, interval, is_available
from groupsim.analysis.availability.view import GroupView
from groupsim.analysis.log_coverage import scan_log
from groupsim.events import network
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.types import TopicPartition

__all__ = ["LABELS", "Interval", "intervals", "is_available"]


def intervals(facts: Iterable[Recorded], until_ms: int | None = None) -> list[Interval]:
    """Every partition of every group, from the moment it is meant to be served to the end of the run, without gaps.

    A partition counts from its group's GroupDeclared (or its own creation, if later) to the last fact of the run, or
    to `until_ms`, whichever is earlier. Intervals are maximal: neighbours differ in label, member or cause. What
    changes within one millisecond is judged at its end, so no interval is empty. Sorted by group, topic, partition,
    time. Pure Python; facts that can't matter cost one look at their type.
    """
    read = scan_log(facts, until_ms)
    lines = {name: _Lines(GroupView(witness)) for name, witness in read.groups.items()}
    now = read.log[0].at_ms if read.log else 0
    for fact in read.log:
        if fact.at_ms > now:
            for line in lines.values():
                line.settle(now)
            now = fact.at_ms
        _tell(lines, fact.stream, fact.event)
    for line in lines.values():
        line.settle(now)
    return [found for name in sorted(lines) for found in lines[name].close(read.end_ms)]


def _tell(lines: dict[str, _Lines], stream: str, event: Event) -> None:
    line_of = group_of(stream)
    if line_of is not None:
        lines[line_of].view.apply(event)
    elif isinstance(event, network.LinkCut | network.LinkHealed):
        for line in lines.values():
            line.view.link(event.a, event.b, cut=isinstance(event, network.LinkCut))


class _Lines:
    """One open interval per partition of a group, and the closed ones before it."""

    __slots__ = ("_now", "_since", "_unborn", "closed", "view")

    def __init__(self, view: GroupView) -> None:
        self.view = view
        self.closed: dict[TopicPartition, list[Interval]] = {tp: [] for tp in sorted(view.witness.counted_from_ms)}
        self._now: dict[TopicPartition, Verdict] = {}
        self._since: dict[TopicPartition, int] = {}
        self._unborn = sorted(((ms, tp) for tp, ms in view.witness.counted_from_ms.items()), reverse=True)

    def settle(self, at_ms: int) -> None:
        """Judge at the end of this millisecond what may have changed in it."""
        for tp in self.view.take_dirty(self._now):
            if tp in self._now:
                new = self.view.verdict(tp)
                if new != self._now[tp]:
                    self._shut(tp, at_ms)
                    self._now[tp], self._since[tp] = new, at_ms
        while self._unborn and self._unborn[-1][0] <= at_ms:
            counted_from_ms, tp = self._unborn.pop()
            self._now[tp], self._since[tp] = self.view.verdict(tp), counted_from_ms

    def _shut(self, tp: TopicPartition, at_ms: int) -> None:
        since = self._since[tp]
        if at_ms > since:
            self.closed[tp].append(interval(self.view.witness.group, tp, self._now[tp], since, at_ms))

    def close(self, end_ms: int) -> Iterator[Interval]:
        """End what is still open and give everything, by partition and time."""
        for tp, earlier in self.closed.items():
            if tp in self._now:
                self._shut(tp, end_ms)
            yield from earlier
