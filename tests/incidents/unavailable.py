"""Unavailable time by the logs alone, against what members' own code saw: `python -m tests.incidents.unavailable`.

One line a recording with members of the consumer protocol, of the folders given or of all beside the checkout: the
recorded partition-ms in its window without an owner, and what an import of the clients' logs, the broker's, or both
says of it. In brackets: bounds of a total that the import calls unknown or inexact. `!`: not within 5 % of the recorded
one, and not within the bounds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Label, SubLabel, within
from groupsim.analysis.availability.without_holder import unheld
from groupsim.analysis.tables.bounds import support
from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from groupsim.storage.log_gaps import without_account
from groupsim.storage.memory import MemoryStore
from tests.incidents.recordings import BESIDE, BOTH, BROKER, CLIENTS, SHARED, began, in_folder, logs_of

NEAR_MS, NEAR_SHARE = 200, 0.05
"""A total is right if it is within these of the recorded one, whichever is more, for all partitions together."""


class Total(NamedTuple):
    """What an import says of the window, in partition-ms. `why`: why the total is unknown; None: it is known.

    `inexact`: it is known, but the import says that it rests on times with bounds: when a killed member died.
    `held_ms` and `at_least_ms` are of labels that a recording knows; `all_ms` and `all_at_least_ms` of all labels.
    """

    held_ms: int
    at_least_ms: int
    at_most_ms: int | None
    why: str | None
    inexact: bool = False
    all_ms: int = 0
    all_at_least_ms: int = 0

    @property
    def exact(self) -> bool:
        """The import gives a total without bounds."""
        return self.why is None and not self.inexact

    def right(self, truth: int) -> bool:
        """Whether the known total is near the truth, or the bounds hold it of an unknown or inexact one."""
        slack = max(NEAR_MS, NEAR_SHARE * truth)
        if self.why is None and (not self.inexact or abs(self.held_ms - truth) <= slack):
            return abs(self.held_ms - truth) <= slack  # the bounds are of all labels, what was recorded is of some
        return self.at_least_ms <= truth + slack and (self.at_most_ms is None or truth - slack <= self.at_most_ms)

    def agrees(self, other: Total) -> bool:
        """Whether both can be true, of all labels: their bounds have something in common, or nearly so."""
        slack = max(NEAR_MS, NEAR_SHARE * min(self.all_ms, other.all_ms))
        (least, most), (other_least, other_most) = self._between(), other._between()
        return (other_most is None or least <= other_most + slack) and (most is None or other_least <= most + slack)

    def _between(self) -> tuple[int, int | None]:
        return (self.all_ms, self.all_ms) if self.exact else (self.all_at_least_ms, self.at_most_ms)


class Compared(NamedTuple):
    """One recording: the recorded time, and the totals by the logs that are given."""

    name: str
    truth: int
    totals: dict[str, Total]


def total(logs: Sequence[Path], truth: dict[str, Any], *, session: bool = True) -> Total:
    """What an import of these logs says of the recording's window. `session`: the session timeout is given."""
    store = MemoryStore()
    topics = partitions_of(truth)
    times = {**truth["config"].get("group_config", {}), **truth["config"]}
    timeout = times.get("session.timeout.ms") or times["consumer.session.timeout.ms"] if session else None
    run = import_run(read_files(logs), store, name=None, topics=topics, session_timeout_ms=timeout).run
    facts = list(store.read(run.id))
    offset = instant(run.origin or "") - began(truth)
    begin, end = (at - offset for at in truth["summary"]["window_ms"])
    last = max(end, facts[-1].at_ms)
    clipped = list(within(intervals(facts, last), begin, end))
    found = support(run.summary, clipped)
    own = without_account(run.summary)  # its counts are of all labels
    at_least = support(own, [msgspec.structs.replace(i, label=_known_to_truth(i)) for i in clipped])
    held = sum(unheld(facts, clipped[0].group, last).within(begin, end).values()) if clipped else 0
    shown = sum(interval.duration_ms for interval in clipped if interval.unavailable)
    return Total(held, at_least.at_least_ms, found.at_most_ms, found.unknown, found.inexact, shown, found.at_least_ms)


def partitions_of(truth: dict[str, Any]) -> dict[str, int]:
    """How many partitions each topic of a recording has, of those that have as many all the time."""
    topics = dict(truth["config"]["partitions"])
    for action in truth["actions"]:
        if action["action"] in ("add_partitions", "create_topic"):
            topics.pop(action.get("topic", "orders"), None)
    return topics


def _known_to_truth(interval: Interval) -> Label:
    """Its label; a recording may count a partition as owned while its position is looked up, a callback runs, or the
    only broker is down.
    """
    own = interval.label in (Label.RESTORING, Label.PAUSED_CALLBACK, Label.ZOMBIE_ONLY)
    own = own or interval.sub_label == SubLabel.NO_BROKER
    return Label.OK if own else Label(interval.label)


def compare(folder: Path) -> Compared:
    """Import one recording's logs three ways."""
    truth = read_record(folder)
    totals = {given: total(logs_of(folder, given), truth) for given in (CLIENTS, BROKER, BOTH)}
    return Compared(folder.name, truth["summary"]["unavailable_partition_ms"], totals)


def _shown(found: Total, truth: int) -> str:
    mark = "" if found.right(truth) else " !"
    if found.why is None:
        about = f" [{found.at_least_ms}..{found.at_most_ms}]" if found.inexact else ""
        return f"{found.held_ms}{about}{mark}"
    return f"[{found.at_least_ms}..{'' if found.at_most_ms is None else found.at_most_ms}]{mark}"


def main(arguments: list[str]) -> int:
    """Print the table; `-v` says why totals are unknown. 0 if no known total is wrong, and no bound."""
    folders = [Path(a) for a in arguments if a != "-v"] or recorded()
    print(f"{'recording':72} {'recorded':>15}  {'clients':22} {'broker':22} both")
    every = []
    for folder in folders:
        try:
            one = compare(folder)
        except LogError as error:
            print(f"{folder.name:72} {error}")
            continue
        every.append(one)
        shown = [_shown(each, one.truth) for each in one.totals.values()]
        print(f"{one.name:72} {one.truth:>15}  {shown[0]:22} {shown[1]:22} {shown[2]}", flush=True)
        if "-v" in arguments:
            for given, found in one.totals.items():
                if found.why:
                    print(f"    {given}: {found.why}")
    wrong = 0
    for given in (CLIENTS, BROKER, BOTH):
        known = [one for one in every if one.totals[given].why is None]
        right = sum(one.totals[given].right(one.truth) for one in known)
        bounded = [one for one in every if one.totals[given].why is not None]
        held = sum(one.totals[given].right(one.truth) for one in bounded)
        upper = sum(one.totals[given].at_most_ms is not None for one in bounded)
        wrong += len(known) - right + len(bounded) - held
        print(
            f"{given}: known in {len(known)} of {len(every)}, right in {right}; unknown in {len(bounded)},"
            f" {upper} of them with an upper bound, and the bounds hold in {held}"
        )
    return int(wrong > 0)


def recorded() -> list[Path]:
    """The recordings beside the checkout that have members of the consumer protocol."""
    return [folder for folder in in_folder(SHARED / "recordings-848") + BESIDE if "kip848" in folder.name]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
