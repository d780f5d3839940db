"""Runs written as Kafka's logs and as its topic, and read again: the true unavailable time is within what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Label
from groupsim.events import classic as c
from groupsim.incidents.errors import LogError
from tests.adversary.called import Finding
from tests.adversary.damaged_files import emptied
from tests.incidents.drawn_groups import GROUP, DrawnGroup, Fault, drawn, simulated
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.truth import clipped, measure
from tests.incidents.written_logs import BEGINS_MS, write_logs

_NEAR_MS = 20
"""Partition-milliseconds: clocks of logs are in whole milliseconds, and lines stand beside what they report."""
_USUAL_MS = 3_000
_UNSEEN = (Label.RESTORING, Label.PAUSED_CALLBACK)
"""No line of these logs says when a position was found, or that a callback ran; so it may count or not."""


def _shows(fault: Fault, group: DrawnGroup, which: str) -> bool:
    """Logs take a frozen process for one that is cut off and serves, and beside the topic unprinted intervals of
    heartbeats for Kafka's: notes say both."""
    if fault.kind == "freeze":
        return which == "topic" and fault.lasts_ms > group.session_ms
    return fault.kind != "kill" or which != "both" or group.prints or group.heartbeat_ms <= _USUAL_MS


def numbers(rng: Random, folder: Path) -> None:
    """From the first assignment on."""
    seed, here = rng.randrange(1_000_000), emptied(folder / "written-runs")
    which = rng.choice(("logs", "logs", "some logs", "topic", "both"))
    group = drawn(seed)
    seen = [fault for fault in group.faults if _shows(fault, group, which)]
    facts = simulated(replace(group, faults=tuple(seen)))
    stored = [fact.at_ms for fact in facts if isinstance(fact.event, c.AssignmentStored)]
    if not stored:
        return
    first, end = stored[0], facts[-1].at_ms
    parts = [each for each in clipped(intervals(facts), first, end) if each.unavailable]
    most = sum(each.duration_ms for each in parts)
    least = sum(each.duration_ms for each in parts if each.label not in _UNSEEN)
    files = [] if which == "topic" else write_logs([f for f in facts if not f.event.noise], GROUP, here)
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
    said = found.rests_on
    if said.at_least_ms > most + _NEAR_MS or (said.at_most_ms is not None and said.at_most_ms < least - _NEAR_MS):
        raise Finding(f"{what}: between {said.at_least_ms} and {said.at_most_ms}, in truth {least} to {most}")
