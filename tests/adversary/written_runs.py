"""Runs written as Kafka's logs and as its topic, and read again: the true unavailable time is within what is said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Label
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Recorded
from groupsim.incidents.errors import LogError
from tests.adversary.called import Finding
from tests.adversary.damaged_files import emptied
from tests.incidents.drawn_groups import GROUP, drawn, simulated
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.truth import clipped, measure
from tests.incidents.written_logs import BEGINS_MS, write_logs

NEAR_MS = 20
"""Partition-milliseconds: clocks of logs are in whole milliseconds, and lines stand beside what they report."""
_UNSEEN = (Label.RESTORING, Label.PAUSED_CALLBACK)
"""No line of these logs says when a position was found, or that a callback ran; so it may count or not."""


def _unseen(facts: Sequence[Recorded]) -> Callable[[Interval], bool]:
    """Whether an interval may count or not: also where a process stopped and the broker never missed it.

    A log cannot tell a stop that is shorter than a session from a group in which nothing happens.
    """
    process_of = {f.event.member: f.event.process for f in facts if isinstance(f.event, p.JoinOk)}
    missed: dict[str, list[int]] = defaultdict(list)
    for fact in facts:
        if isinstance(fact.event, c.MemberRemoved) and fact.event.cause == "session-expired":
            missed[process_of.get(fact.event.member, "")].append(fact.at_ms)

    def unseen(each: Interval) -> bool:
        stalled = each.label == Label.OWNER_STALLED
        return each.label in _UNSEEN or (stalled and each.to_ms not in missed[each.member or ""])

    return unseen


def counted(facts: Sequence[Recorded], from_ms: int, to_ms: int) -> tuple[int, int]:
    """The true unavailable partition-milliseconds of a period: without what may count or not, and with it."""
    unseen = _unseen(facts)
    parts = [each for each in clipped(intervals(facts), from_ms, to_ms) if each.unavailable]
    return sum(each.duration_ms for each in parts if not unseen(each)), sum(each.duration_ms for each in parts)


def numbers(rng: Random, folder: Path) -> None:
    """From the first assignment on, as long as there are lines: an import says nothing of what follows."""
    seed, here = rng.randrange(1_000_000), emptied(folder / "written-runs")
    which = rng.choice(("logs", "logs", "some logs", "topic", "both"))
    group = drawn(seed)
    facts = simulated(group)
    stored = [fact.at_ms for fact in facts if isinstance(fact.event, c.AssignmentStored)]
    if not stored:
        return
    first, end = stored[0], facts[-1].at_ms
    files = (
        []
        if which == "topic"
        else write_logs([f for f in facts if not f.event.noise], GROUP, here, group.true if group.prints else {})
    )
    if which == "some logs":
        files = rng.sample(files, rng.randint(1, len(files)))
    if which in ("topic", "both"):
        files = [write_dump(facts, GROUP, here / "dump.txt"), *files]
    what = f"{which} of the drawn group {seed} ({', '.join(path.name for path in files)})"
    try:
        found, _ = measure(files, GROUP, BEGINS_MS + end, (BEGINS_MS + first, BEGINS_MS + end))
    except LogError as error:
        if which == "some logs":
            return
        raise Finding(f"{what}: {error}") from error
    least, most = counted(facts, max(first, found.begins - BEGINS_MS), min(end, found.ends - BEGINS_MS))
    said = found.rests_on
    if said.at_least_ms > most + NEAR_MS or (said.at_most_ms is not None and said.at_most_ms < least - NEAR_MS):
        raise Finding(f"{what}: between {said.at_least_ms} and {said.at_most_ms}, in truth {least} to {most}")
