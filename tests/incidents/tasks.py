"""Tasks of Kafka Streams by the logs alone, and as their own code saw it: `python -m tests.incidents.tasks`.

One line a recording, of the folders given or of all beside the checkout: the recorded partition-ms in its window
without a running task, what an import of all logs, of the instances' and of the broker's says of it, and how many
partition-ms all logs and the recording differ on who ran the task. A range: bounds. `!`: see `Total.right`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Label, within
from groupsim.analysis.tables.bounds import Support, support
from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from groupsim.storage.memory import MemoryStore
from tests.incidents.recordings import BOTH, BROKER, CLIENTS, SHARED, began, in_folder, logs_of

NEAR_SHARE = 0.05


class Total(NamedTuple):
    """What an import says of a recording's window; `truth_ms` and `differs_ms` in partition-ms."""

    truth_ms: int
    found: Support
    differs_ms: int

    @property
    def exact(self) -> bool:
        """Whether the import gives a total, not bounds."""
        return self.found.unknown is None and not self.found.inexact

    def right(self) -> bool:
        """Whether the total is within 5 % of the recorded one, or the bounds hold that."""
        slack, least, most = NEAR_SHARE * self.truth_ms, self.found.at_least_ms, self.found.at_most_ms
        return least <= self.truth_ms + slack and (most is None or self.truth_ms - slack <= most)

    def __str__(self) -> str:
        most = "" if self.found.at_most_ms is None else self.found.at_most_ms
        shown = str(self.found.at_least_ms) if self.exact else f"{self.found.at_least_ms}..{most}"
        return shown + ("" if self.right() else " !")


def total(folder: Path, given: str = BOTH) -> Total:
    """Import a recording's logs, and give it no setting."""
    truth, store = read_record(folder), MemoryStore()
    run = import_run(read_files(logs_of(folder, given)), store, name=None, topics=truth["config"]["partitions"]).run
    facts = list(store.read(run.id))
    offset = instant(run.origin or "") - began(truth)
    begin, end = (at - offset for at in truth["summary"]["window_ms"])
    found = list(within(intervals(facts, max(end, facts[-1].at_ms)), begin, end))
    known = begin + offset, min(end, facts[-1].at_ms) + offset
    differs = _differs(truth, found, offset, known) if given == BOTH else 0
    return Total(truth["summary"]["unavailable_partition_ms"], support(run.summary, found), differs)


def _differs(truth: dict[str, Any], found: Sequence[Interval], offset: int, known: tuple[int, int]) -> int:
    """Partition-ms, of the time that logs cover, in which a task ran by one of the two and not there by the other."""
    agree = ran = 0
    by_import = [i for i in found if i.label == Label.OK]
    begin, end = known
    for number, spans in truth["ownership"].items():
        for span in spans:
            name = f"{span['member']}.{span['incarnation']}-StreamThread-1-consumer"
            start, stop = max(begin, span["from_ms"]), min(end, span["to_ms"])
            ran += max(0, stop - start)
            agree += sum(
                max(0, min(stop, i.to_ms + offset) - max(start, i.from_ms + offset))
                for i in by_import
                if i.partition == int(number) and (i.member or "").startswith(name)
            )
    return ran + sum(i.duration_ms for i in by_import) - 2 * agree


def main(arguments: list[str]) -> int:
    """Print the table; 0 if every total is right."""
    print(f"{'recording':44} {'recorded':>8}  {'all logs':14} {'differs':>7}  {'instances':14} broker")
    wrong = 0
    for folder in [Path(a) for a in arguments] or recorded():
        both, clients, broker = (total(folder, given) for given in (BOTH, CLIENTS, BROKER))
        wrong += sum(not each.right() for each in (both, clients, broker))
        print(f"{folder.name:44} {both.truth_ms:>8}  {both!s:14} {both.differs_ms:>7}  {clients!s:14} {broker!s}")
    return int(wrong > 0)


def recorded() -> list[Path]:
    """The recordings beside the checkout."""
    return in_folder(SHARED / "recordings-streams")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
