"""What-ifs of recorded applications of Kafka Streams, from logs alone, held against recordings of what they ask.

`python -m tests.replay.predicted_applications [FOLDER...]`, each a recording or with recordings in it (without one:
those beside the checkout). Two recordings of one story that differ in the protocol, in standbys or in static members
ask about each other. A pair is clear if the recorded costs differ by more than 20 % and a partition-second.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.storage.memory import MemoryStore
from tests.conformance.standby_applications import CLEAR_MS, CLEAR_SHARE

BESIDE = Path(__file__).parents[3] / "shared" / "recordings-streams"
SEEDS = 10
STANDBYS = "num.standby.replicas"


@dataclass(frozen=True)
class Run:
    """One recording."""

    folder: Path

    @cached_property
    def record(self) -> dict[str, Any]:
        return read_record(self.folder)

    @property
    def name(self) -> str:
        return str(self.record["id"])

    @property
    def was_ms(self) -> int:
        """Partition-milliseconds without a running task, as the instances' own code saw it."""
        return int(self.record["summary"]["unavailable_partition_ms"])

    @property
    def set(self) -> dict[str, object]:
        """What two recordings may differ in."""
        config = self.record["config"]
        return {
            "protocol": self.record["protocol"],
            STANDBYS: config[STANDBYS],
            "static": config["static"],
            "volume": config.get("volume", True),
        }

    @property
    def story(self) -> tuple[object, ...]:
        """What was done to which instance, and what the application is."""
        config = self.record["config"]
        done = tuple((action["action"], action["member"]) for action in self.record["actions"])
        slow = config.get("restore_sleep_ms_per_batch_of_m4", 0)
        return done, tuple(config["partitions"]), slow, config.get("preloaded_records_per_partition", 0)

    def imported(self, choices: Sequence[Choice]) -> ReplayableRun:
        """From its logs alone."""
        store = MemoryStore()
        logs = sorted((self.folder / "logs").glob("*.gz"))
        run = import_run(read_files(logs), store, name=None, topics=self.record["config"]["partitions"]).run
        return replayable_run(store, run, choices=choices)


def choice_of(given: Run, wanted: Run) -> Choice | None:
    """What a user of `given` would ask to get `wanted`; None where they are not of one story, or differ in more."""
    differ = [name for name in given.set if given.set[name] != wanted.set[name]]
    if given.story != wanted.story or len(differ) != 1 or differ == ["volume"]:
        return None
    match differ[0]:
        case "protocol":
            return Choice(name=str(wanted.set["protocol"]), protocol=str(wanted.set["protocol"]))
        case "static":
            return Choice(name="static" if wanted.set["static"] else "dynamic", static=bool(wanted.set["static"]))
        case _:
            return Choice(name=f"standbys={wanted.set[STANDBYS]}", settings={STANDBYS: str(wanted.set[STANDBYS])})


@dataclass(frozen=True)
class Asked:
    """A what-if: the median costs of `given` as recorded and with the choice (ms), and the range with it."""

    given: Run
    wanted: Run
    choice: str
    as_recorded_ms: float
    costs_ms: tuple[int, ...]

    @property
    def clear(self) -> bool:
        by = abs(self.given.was_ms - self.wanted.was_ms)
        return by > CLEAR_MS and by > CLEAR_SHARE * max(self.given.was_ms, self.wanted.was_ms)

    @property
    def right(self) -> bool:
        change = median(self.costs_ms) - self.as_recorded_ms
        return change * (self.wanted.was_ms - self.given.was_ms) > 0

    def __str__(self) -> str:
        mark = "" if not self.clear else "  right" if self.right else "  WRONG"
        costs = f"{median(self.costs_ms):,.0f}, {min(self.costs_ms):,} to {max(self.costs_ms):,}"
        given = f"{self.given.name} {self.given.was_ms:,} ({self.as_recorded_ms:,.0f})"
        return f"{given} -> {self.choice} {self.wanted.was_ms:,} ({costs}){mark}"


def _costs(incident: ReplayableRun, choice: Choice, seeds: int) -> tuple[int, ...]:
    return tuple(incident.measure(incident.replay(choice, seed)).unavailable_partition_ms for seed in range(seeds))


def asked(runs: Sequence[Run], seeds: int = SEEDS) -> Iterator[Asked]:
    """Every recording about every other one that is of its story and differs in one thing."""
    for given in runs:
        wanted = [(run, choice) for run in runs if (choice := choice_of(given, run)) is not None]
        choices = {choice.name: choice for _, choice in wanted}
        incident = given.imported(list(choices.values()))
        costs = {
            choice.name: tuple(
                incident.measure(incident.replay(choice, s)).unavailable_partition_ms for s in range(seeds)
            )
            for choice in (AS_RECORDED, *choices.values())
        }
        base = median(costs[AS_RECORDED.name])
        print(f"{given.name} {given.was_ms:,} as recorded: {base:,.0f}", flush=True)
        for run, choice in wanted:
            yield Asked(given, run, choice.name, base, costs[choice.name])


def main(arguments: list[str]) -> int:
    """Print every answer, and how many signs of clear pairs are right."""
    roots = [Path(argument) for argument in arguments] or [BESIDE]
    folders = [path.parent for root in roots for path in sorted(root.glob("**/recording.json*"))]
    found = []
    for answer in asked([Run(folder) for folder in folders]):
        print("  ", answer, flush=True)
        found.append(answer)
    clear = [answer for answer in found if answer.clear]
    print(f"signs right: {sum(answer.right for answer in clear)} of {len(clear)} clear pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
