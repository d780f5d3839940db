"""What an import prints where logs are missing, against the truth.

`python -m tests.incidents.missing_logs [-v] [FOLDER]...`: each FOLDER is a recording (`recording.json` and `logs/`) or
holds recordings; without one, those beside the checkout. Of each, subsets of its logs are imported: the clients alone,
the brokers alone, all but one client, one client alone, one with the broker, either half of the time, either half of
the broker's log and that without its middle. The truth is the import of all logs where that is known, clipped to the
time of the subset; else the recording's own. `-v` names each. `--topics`: the user gives the numbers of partitions.
Under the counts, of the totals that are unknown: how many have an upper bound, how wide the bounds are in the median,
and the sum of lower bounds, each also without what the account of the logs proves.
"""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from groupsim.analysis.availability.intervals import Intervals, intervals
from groupsim.analysis.tables.bounds import Support, support
from groupsim.analysis.tables.summary import summarise
from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import Wanted, read_files
from groupsim.incidents.logs.times import instant, iso
from groupsim.storage.log_gaps import without_account
from groupsim.storage.memory import MemoryStore
from tests.incidents.recordings import BESIDE, began, in_folder, logs_of
from tests.incidents.unavailable import partitions_of

NEAR, NEAR_MS = 0.1, 600
"""A figure is right within this share of the truth, and within so many partition-milliseconds where there is little."""
OUTCOMES = ("known, right", "known, wrong", "unknown", "bounds wrong", "refused")


class Imported(NamedTuple):
    """An import: its total if it is known, the time it covers (UTC ms), and its intervals.

    `before`: what the total would rest on without the account.
    """

    total_ms: int | None
    rests_on: Support
    before: Support
    begins: int
    ends: int
    found: Intervals

    def unavailable_ms(self, begins: int, ends: int) -> int:
        """Unavailable partition-milliseconds between two instants."""
        spans = ((i.from_ms + self.begins, i.to_ms + self.begins) for i in self.found if i.unavailable)
        return sum(max(0, min(to, ends) - max(since, begins)) for since, to in spans)


class Subset(NamedTuple):
    """Some of a recording's logs, or a part of their time."""

    kind: str
    logs: Sequence[Path]
    wanted: Wanted = Wanted()


def imported(
    logs: Sequence[Path],
    wanted: Wanted = Wanted(),  # noqa: B008
    topics: Mapping[str, int] | None = None,
) -> Imported:
    """The import of some logs. Raises LogError."""
    store = MemoryStore()
    run = import_run(read_files(list(logs), wanted=wanted), store, name=None, topics=topics or {}).run
    facts = list(store.read(run.id))
    found = intervals(facts)
    numbers = summarise(facts, found)
    rests_on = support(run.summary, found)
    begins = instant(run.origin or "")
    total = numbers["unavailable"]["partition_ms"] if rests_on.unknown is None else None
    before = support(without_account(run.summary), found)
    return Imported(total, rests_on, before, begins, begins + (run.simulated_ms or 0), found)


def subsets(logs: Sequence[Path], middle: str, folder: Path) -> Iterator[Subset]:
    """Every subset of a recording's logs; parts of its broker's log are written into `folder`."""
    brokers = [log for log in logs if log.name.startswith("broker")]
    clients = [log for log in logs if log not in brokers]
    labels = sorted({log.name.split(".")[0] for log in clients})
    yield Subset("clients alone", clients)
    yield Subset("brokers alone", brokers)
    for label in labels:
        yield Subset("all but one client", [log for log in logs if log.name.split(".")[0] != label])
    one = [log for log in clients if log.name.split(".")[0] == labels[0]]
    yield Subset("one client alone", one)
    yield Subset("one client and broker", [*one, *brokers])
    yield Subset("first half of all", logs, Wanted(until=middle))
    yield Subset("second half of all", logs, Wanted(since=middle))
    yield Subset("first half of clients", clients, Wanted(until=middle))
    yield Subset("second half of clients", clients, Wanted(since=middle))
    for kind, part in _parts(brokers[0]).items():
        path = folder / kind / "broker.log"
        path.parent.mkdir()
        path.write_text("".join(part), encoding="utf-8")
        yield Subset(f"broker's log: {kind}", [*clients, path])


def _parts(log: Path) -> dict[str, list[str]]:
    lines = gzip.decompress(log.read_bytes()).decode().splitlines(keepends=True)
    half, third = len(lines) // 2, len(lines) // 3
    return {"first half": lines[:half], "second half": lines[half:], "no middle": lines[:third] + lines[2 * third :]}


def outcome(part: Imported, truth: int) -> str:
    """One of OUTCOMES."""
    slack = NEAR * truth + NEAR_MS
    if part.total_ms is not None:
        return "known, right" if abs(part.total_ms - truth) <= slack else "known, wrong"
    most = part.rests_on.at_most_ms
    fits = part.rests_on.at_least_ms <= truth + slack and (most is None or most >= truth - slack)
    return "unknown" if fits else "bounds wrong"


class Bounds(NamedTuple):
    """Of one total that is unknown, and the truth."""

    kind: str
    before: Support
    now: Support
    truth: int


def compare(
    folder: Path, *, verbose: bool = False, topics: bool = False
) -> tuple[Counter[tuple[str, str]], list[Bounds]]:
    """How often each kind of subset of one recording has each outcome, and the bounds of totals that are unknown."""
    counts: Counter[tuple[str, str]] = Counter()
    bounds: list[Bounds] = []
    logs, truth = logs_of(folder), read_record(folder)
    whole = imported(logs)
    given = partitions_of(truth) if topics else None
    with TemporaryDirectory() as parts:
        everything = Subset("all logs", logs)
        for subset in (everything, *subsets(logs, iso((whole.begins + whole.ends) // 2), Path(parts))):
            try:
                part = imported(subset.logs, subset.wanted, given)
            except LogError:
                counts[subset.kind, "refused"] += 1
                continue
            true_ms = true_total(whole, truth, part.begins, part.ends)
            found = outcome(part, true_ms)
            counts[subset.kind, found] += 1
            if part.total_ms is None:
                bounds.append(Bounds(subset.kind, part.before, part.rests_on, true_ms))
            if verbose or found in ("known, wrong", "bounds wrong"):
                between = f"{part.rests_on.at_least_ms}..{part.rests_on.at_most_ms}"
                print(f"  {folder.name}: {subset.kind}: {found}, {part.total_ms} of {true_ms} ms, bounds {between}")
    return counts, bounds


def widths(bounds: Sequence[Bounds]) -> Iterator[str]:
    """A line for each kind."""
    for kind in dict.fromkeys(each.kind for each in bounds):
        own = [each for each in bounds if each.kind == kind]
        shown = (_shown(which, own, [getattr(each, which) for each in own]) for which in ("before", "now"))
        yield f"{kind:28}{' '.join(shown)}"


def _shown(which: str, own: Sequence[Bounds], supports: Sequence[Support]) -> str:
    known = [each.at_most_ms - each.at_least_ms for each in supports if each.at_most_ms is not None]
    width = f"{median(known) / 1000:,.1f} s" if known else "-"
    least, truth = sum(each.at_least_ms for each in supports), sum(each.truth for each in own)
    lower = f"{least / max(1, truth):4.0%} of truth"
    return f"| {which}: upper {len(known):4} of {len(own):4}, width {width:>8}, lower {lower}"


def true_total(whole: Imported, recording: dict[str, Any], begins: int, ends: int) -> int:
    """The truth between two instants: of the import of all logs, or, where that is unknown, of the recording."""
    if whole.total_ms is not None:
        return whole.unavailable_ms(begins, ends)
    zero = began(recording)
    opens = zero + recording["summary"]["window_ms"][0]
    spans = [(zero + since, zero + to) for each in recording["unavailable"].values() for since, to in each]
    recorded: int = sum(max(0, min(to, ends) - max(since, begins)) for since, to in spans)
    return recorded + whole.unavailable_ms(begins, min(ends, opens))


def main(arguments: list[str]) -> int:
    """Print the tables; 0 if no figure is known and wrong, and no bound."""
    given = [Path(a) for a in arguments if not a.startswith("-")]
    folders = [folder for place in given for folder in in_folder(place)] if given else BESIDE
    counts: Counter[tuple[str, str]] = Counter()
    bounds: list[Bounds] = []
    for folder in folders:
        outcomes, unknown = compare(folder, verbose="-v" in arguments, topics="--topics" in arguments)
        counts += outcomes
        bounds += unknown
    print(f"\n{len(folders)} recordings\n{'logs':26}" + "".join(f"{name:>14}" for name in OUTCOMES))
    for kind in dict.fromkeys(kind for kind, _ in counts):
        print(f"{kind:26}" + "".join(f"{counts[kind, name]:14}" for name in OUTCOMES))
    print("\nunknown totals", *widths(bounds), sep="\n")
    return 1 if any(name in ("known, wrong", "bounds wrong") for _, name in counts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
