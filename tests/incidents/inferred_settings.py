"""Timeouts inferred from logs, against those of drawn groups: `python -m tests.incidents.inferred_settings`.

Groups with drawn settings, members and faults are simulated, their logs are written as Kafka would, and read again.
Of each timeout, the logs of a group contain evidence (a value that is printed, or observations enough to tell it from
any other), only bounds, or none. Printed: how many values are right within 5 % where there is evidence, how many true
values lie in the given range where there are bounds, and how many are said to be unknown where there is nothing; and
how many true values lie in the middle 90 % of a range, and in all of it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from groupsim.events.base import Recorded
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.pipeline.parallel import streamed
from groupsim.replay.reconstruct.incident import Incident, reconstruct
from groupsim.storage.memory import MemoryStore
from tests.incidents.contained import NEAR, Contained, contained
from tests.incidents.drawn_groups import GROUP, DrawnGroup, drawn, simulated
from tests.incidents.written_logs import write_logs

MIDDLE = 0.9


def imported(group: DrawnGroup, facts: Iterable[Recorded]) -> list[Recorded]:
    """The facts that the group's logs give."""
    with TemporaryDirectory() as folder:
        logs = write_logs(facts, GROUP, Path(folder), group.true if group.prints else {})
        store = MemoryStore()
        found = import_run(read_files(logs), store, name=None, topics={})
    return list(store.read(found.run.id))


@dataclass(frozen=True, slots=True)
class Compared:
    """One timeout of one group. `values`: those that are possible, each as likely as the others."""

    seed: int
    setting: str
    contained: Contained
    true_ms: int
    read_ms: int
    known: bool
    values: tuple[int, ...]

    @property
    def right(self) -> bool:
        """What counts as right depends on what the logs contain."""
        if self.contained is Contained.EVIDENCE:
            return self.near and self.known
        if self.contained is Contained.NOTHING:
            return not self.known
        return self.near if self.known else self.inside(1.0)

    @property
    def near(self) -> bool:
        """The read value is right within 5 %."""
        return abs(self.read_ms - self.true_ms) <= NEAR * self.true_ms

    def inside(self, share: float) -> bool:
        """Whether the true value, give or take 5 %, is in the middle of the range that holds this share of values."""
        outside = round((1 - share) / 2 * len(self.values))
        least, greatest = self.values[outside], self.values[-1 - outside]
        return least <= (1 + NEAR) * self.true_ms and greatest >= (1 - NEAR) * self.true_ms

    def __str__(self) -> str:
        read = f"{self.read_ms} known" if self.known else f"{self.read_ms}, {self.values[0]} to {self.values[-1]}"
        return f"seed {self.seed}: {self.setting}={self.true_ms} ({self.contained}) is read as {read}"


def compared(seed: int) -> list[Compared]:
    """Both timeouts of a drawn group."""
    group = drawn(seed)
    facts = simulated(group)
    return against(group, contained(group, facts), reconstruct(imported(group, facts), GROUP))


def against(group: DrawnGroup, what: Mapping[str, Contained], incident: Incident) -> list[Compared]:
    """Both timeouts of the incident that a group's logs gave, and what the logs contain of them."""
    return [
        Compared(
            group.seed,
            name,
            what[name],
            group.true[name],
            incident.settings[name],
            name in incident.known_settings,
            incident.open_settings.get(name) or (incident.settings[name],),
        )
        for name in what
    ]


def shares(found: Iterable[Compared]) -> Mapping[tuple[str, Contained], tuple[int, int]]:
    """How many are right, and how many there are, by setting and what the logs contain."""
    right: Counter[tuple[str, Contained]] = Counter()
    all_: Counter[tuple[str, Contained]] = Counter()
    for each in found:
        right[each.setting, each.contained] += each.right
        all_[each.setting, each.contained] += 1
    return {key: (right[key], all_[key]) for key in sorted(all_)}


def report(found: Iterable[Compared], *, wrong: bool) -> Iterator[str]:
    """The lines that are printed; with `wrong` each that is not right."""
    found = list(found)
    yield from (str(each) for each in found if wrong and not each.right)
    for (name, what), (right, number) in shares(found).items():
        yield f"{name:22} {what:9} right {right:5} of {number:5}  {right / number:6.1%}"
    ranges = [each for each in found if each.contained is not Contained.NOTHING and len(each.values) > 1]
    for name in sorted({each.setting for each in ranges}):
        own = [each for each in ranges if each.setting == name]
        middle, all_ = (sum(each.inside(share) for each in own) for share in (MIDDLE, 1.0))
        yield (
            f"{name:22} ranges {len(own):4}: its middle {MIDDLE:.0%} contains the truth in {middle / len(own):.1%},"
            f" all of it in {all_ / len(own):.1%}"
        )


def main(arguments: list[str]) -> int:
    """Print the shares; with `-v` also what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.inferred_settings", description=__doc__)
    parser.add_argument("--groups", type=int, default=2_000)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first group")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args(arguments)
    seeds = range(given.first, given.first + given.groups)
    found = [each for result in streamed(given.jobs, compared, seeds, at_once=20) for each in result]
    print("\n".join(report(found, wrong=given.v)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
