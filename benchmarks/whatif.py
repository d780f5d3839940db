"""How close replays of recorded incidents are to the records, from logs alone: `python -m benchmarks.whatif FOLDER`.

FOLDER holds one folder per recording, with its logs in `logs/*.log.gz` or in itself. Of each the logs are imported, the
incident is reconstructed and replayed as recorded; a recording holds if the replay has as many generations and every
join and sync phase is within 20 % or 100 ms. Recordings of the consumer protocol (KIP-848) are counted and left out.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import median

from groupsim.events.errors import GroupsimError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.fidelity import Fidelity, fidelity
from groupsim.replay.replayable import replayable_run
from groupsim.storage.memory import MemoryStore

SEEDS = range(5)
HEADER = ("recordings of", "number", "generations recorded", "same number", "phases met", "hold", "median ms", "p95 ms")


@dataclass(frozen=True, slots=True)
class RecordingResult:
    """One recording; `fidelity` is None for `reason`."""

    name: str
    fidelity: Fidelity | None
    reason: str = ""


def score(folder: Path) -> RecordingResult:
    """One recording's fidelity, from its logs alone."""
    logs = sorted([*folder.glob("logs/*.log.gz"), *folder.glob("*.log.gz")])
    store = MemoryStore()
    try:
        run = import_run(read_files(logs), store, name=folder.name, topics={}).run
        replayable = replayable_run(store, run)
        return RecordingResult(
            folder.name, fidelity(replayable.generations, [replayable.replay_exactly(seed) for seed in SEEDS])
        )
    except GroupsimError as error:
        return RecordingResult(folder.name, None, str(error))


def table(results: Sequence[RecordingResult]) -> Iterator[str]:
    """Markdown: one row per kind of recording (the name before and the client in it), and all together."""
    kinds: dict[str, list[Fidelity]] = defaultdict(list)
    for result in results:
        if result.fidelity is not None:
            kinds[_kind(result.name)].append(result.fidelity)
    yield "| " + " | ".join(HEADER) + " |"
    yield "|---" + "|---:" * (len(HEADER) - 1) + "|"
    for kind, group in sorted(kinds.items()):
        yield _row(kind, group)
    yield _row("**all**", [fidelity for group in kinds.values() for fidelity in group])


def _kind(name: str) -> str:
    scenario, _, rest = name.partition("__")
    client = next((word for word in ("librdkafka", "kafkapython") if rest.startswith(word)), "java")
    return f"{scenario}, {client}" if rest else scenario


def _row(kind: str, group: Sequence[Fidelity]) -> str:
    phases = [phase for fidelity in group for phase in fidelity.phases]
    errors = sorted(phase.error_ms for phase in phases)
    figures = [
        str(len(group)),
        str(sum(fidelity.recorded for fidelity in group)),
        str(sum(fidelity.recorded == fidelity.played for fidelity in group)),
        f"{sum(phase.met for phase in phases)} of {len(phases)}",
        str(sum(fidelity.holds for fidelity in group)),
        f"{median(errors):.0f}" if errors else "—",
        str(errors[ceil(0.95 * len(errors)) - 1]) if errors else "—",
    ]
    return "| " + " | ".join([kind, *figures]) + " |"


def main(arguments: Sequence[str]) -> None:
    """Print the table of a folder; `--each` also prints a line per recording."""
    named = [argument for argument in arguments if not argument.startswith("-")]
    if len(named) != 1:
        raise SystemExit("usage: python -m benchmarks.whatif FOLDER [--each]")
    folders = sorted(path for path in Path(named[0]).iterdir() if path.is_dir())
    results = [score(folder) for folder in folders]
    for line in table(results):
        print(line)
    left_out = [result for result in results if result.fidelity is None]
    print(
        f"\n{len(left_out)} left out: {sum('KIP-848' in result.reason for result in left_out)} of the consumer protocol"
    )
    for result in (
        [*results] if "--each" in arguments else [result for result in left_out if "KIP-848" not in result.reason]
    ):
        verdict = result.reason if result.fidelity is None else "holds" if result.fidelity.holds else "does not hold"
        print(f"{result.name}: {verdict}")


if __name__ == "__main__":
    main(sys.argv[1:])
