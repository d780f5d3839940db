"""Imports of recordings of which lines are lost: `python -m tests.incidents.lost_lines`.

Draws recordings beside the checkout and, evenly, lines of their logs that the import reads, leaves one line out at a
time, and compares the total with what was recorded and with the import of all lines; `--of`: of clients' or brokers'
logs alone. What is false is listed by what the lost line was. Instead, of each recording: `--revoked`, all lines
"Revoke previously assigned" lost; `--share 0.05`, so many of all lines, `--lines` times; `--halves`, the first or the
second half of each log in turn. `--widths FILE`: the bounds of the whole recordings; FILE is written if it is not
there, else they are compared with it. `--small`: recordings of the checkout.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.reading import read_files
from tests.incidents.imported import supported
from tests.incidents.recordings import BOTH, BROKER, CLIENTS, CONSUMER_GROUPS, FAMILIES, SHARED, in_folder, logs_of
from tests.incidents.unavailable import Total, total

Lost = Callable[[str, int, str], bool]
"""Whether a line is lost, by its log's name, its number and its text."""
PLACES = ("recordings", "recordings-848", "recordings-pairs", "recordings-old-groups")
REVOKED = "Revoke previously assigned partitions"


class Loss(NamedTuple):
    """What an import says of a recording without some lines, and with all (`whole`).

    `lines`: file, number and text of each; `kind`: what they were. Of the totals that count all labels see `Total`.
    """

    recording: str
    kind: str
    lines: tuple[tuple[str, int, str], ...]
    truth: int
    total: Total
    whole: Total

    @property
    def known(self) -> bool:
        """The import gives a total without bounds."""
        return self.total.exact

    @property
    def right(self) -> bool:
        """The total is near the recorded one and agrees with the whole logs', or its bounds do."""
        return self.total.right(self.truth) and self.total.agrees(self.whole)


class Case(NamedTuple):
    """A recording, what was recorded, and what the import of all its logs says."""

    folder: Path
    truth: dict[str, Any]
    whole: Total

    @property
    def ms(self) -> int:
        """The recorded unavailable partition-milliseconds."""
        ms: int = self.truth["summary"]["unavailable_partition_ms"]
        return ms


def case(folder: Path) -> Case | None:
    """A recording whose whole logs give the recorded total; None: they do not, or it has no window."""
    truth = read_record(folder)
    if "summary" not in truth or not truth["config"].get("partitions"):
        return None
    with suppress(LogError):
        said = total(logs_of(folder), truth)
        found = Case(folder, truth, said)
        return found if said.right(found.ms) else None
    return None


def drawn_recordings(rng: Random, number: int, folders: Sequence[Path]) -> Iterator[Case]:
    """Recordings, in a drawn order, of which the whole logs give the recorded total."""
    cases = (case(folder) for folder in rng.sample(folders, len(folders)))
    yield from islice((each for each in cases if each is not None), number)


def one_lost(recording: Case, number: int, of: str = BOTH) -> Iterator[Loss]:
    """One of the lines that the import reads lost, `number` times (less, if there are fewer), evenly among them."""
    read = read_files(logs_of(recording.folder, of))
    rows = {(Path(row.file).name, row.line): f"{row.program}: {row.kind}" for row in (*read.rows, *read.context)}
    places = sorted(rows)
    few = places if len(places) <= number else [places[nth * len(places) // number] for nth in range(number)]
    yield from (loss(recording, rows[place], _at(place)) for place in few)


def _at(place: tuple[str, int]) -> Lost:
    return lambda name, number, _: (name, number) == place


def revoked_lost(recording: Case) -> Iterator[Loss]:
    """All lines that say that partitions are revoked lost."""
    found = loss(recording, "revoked", lambda name, _, text: not name.startswith("broker") and REVOKED in text)
    if found.lines:
        yield found


def share_lost(recording: Case, rng: Random, share: float, times: int) -> Iterator[Loss]:
    """A share of all lines lost, drawn anew each time."""
    for _ in range(times):
        yield loss(recording, f"{share:.0%} of lines", lambda *_: rng.random() < share)


def halves_lost(recording: Case) -> Iterator[Loss]:
    """The first or the second half of one log lost."""
    for log in logs_of(recording.folder):
        half = len(gzip.decompress(log.read_bytes()).splitlines()) // 2
        who = log.name.split(".")[0].rstrip("0123456789")
        for first in (True, False):
            which = f"{'first' if first else 'second'} half of {'the broker' if who == 'broker' else 'a client'}"
            yield loss(recording, which, _half(log.name, half, first=first))


def _half(log: str, half: int, *, first: bool) -> Lost:
    return lambda name, number, _: name == log and (number <= half) is first


def loss(recording: Case, kind: str, lost: Lost) -> Loss:
    """An import without the lines that are lost."""
    with TemporaryDirectory() as place:
        logs, dropped = without(recording.folder, Path(place), lost)
        said = _total(logs, recording.truth)
        return Loss(recording.folder.name, kind, tuple(dropped), recording.ms, said, recording.whole)


def _total(logs: Sequence[Path], truth: dict[str, Any]) -> Total:
    """What an import says; nothing, if it refuses these logs."""
    try:
        return total(logs, truth)
    except LogError as error:
        return Total(0, 0, None, str(error))


def without(folder: Path, place: Path, lost: Lost) -> tuple[list[Path], list[tuple[str, int, str]]]:
    """The logs of a recording without the lines that are lost, and these; what is not as it was lies in `place`."""
    dropped: list[tuple[str, int, str]] = []
    return [_without(log, place, lost, dropped) for log in logs_of(folder)], dropped


def _without(log: Path, place: Path, lost: Lost, dropped: list[tuple[str, int, str]]) -> Path:
    kept, before = [], len(dropped)
    for number, line in enumerate(gzip.decompress(log.read_bytes()).splitlines(keepends=True), 1):
        text = line.decode(errors="replace")
        if lost(log.name, number, text):
            dropped.append((log.name, number, text.strip()))
        else:
            kept.append(line)
    if len(dropped) == before:
        return log
    copy = place / log.name.removesuffix(".gz")
    copy.write_bytes(b"".join(kept))
    return copy


def widths(folders: Sequence[Path]) -> dict[str, list[Any]]:
    """By recording that can be imported: is its whole total known, and its bounds."""
    found: dict[str, list[Any]] = {}
    for folder in folders:
        with suppress(LogError):
            said = supported(logs_of(folder))
            name = f"{folder.parent.name}/{folder.name}"
            found[name] = [said.unknown is None, said.at_least_ms, said.at_most_ms]
    return found


def wider(before: dict[str, list[Any]], now: dict[str, list[Any]]) -> list[str]:
    """What is less known of these recordings than before, a line each."""
    found = []
    for name in sorted(before.keys() | now.keys()):
        was, is_ = before.get(name), now.get(name)
        if was is None or is_ is None or _width(is_) > _width(was) or was[0] > is_[0]:
            found.append(f"{name}: {was} -> {is_}")
    return found


def _width(said: Sequence[Any]) -> float:
    return float("inf") if said[2] is None else said[2] - said[1]


def shown(losses: Sequence[Loss]) -> Iterator[str]:
    """The figures, and by kind the losses that made a total or a bound false."""
    known = [lost for lost in losses if lost.known]
    bounded = [lost for lost in losses if not lost.known]
    for word, some in (("known", known), ("bounded or unknown", bounded)):
        wrong = [lost for lost in some if not lost.right]
        upper = (
            "" if some is known else f", with an upper bound: {sum(one.total.at_most_ms is not None for one in some)}"
        )
        yield f"{len(losses)} losses; {word}: {len(some)}{upper}, of them false: {len(wrong)}"
        for kind, number in Counter(lost.kind for lost in wrong).most_common():
            yield f"  {kind}: {number} of {sum(lost.kind == kind for lost in losses)}"
            for lost in (lost for lost in wrong if lost.kind == kind):
                yield from _details(lost)


def _details(lost: Loss) -> Iterator[str]:
    """What is false of a loss, and the first of its lines."""
    yield f"    {lost.kind}: {lost.recording} recorded {lost.truth}: {lost.total}; with all lines: {lost.whole}"
    yield from (f"      {file}:{line}: {text}" for file, line, text in lost.lines[:1])


def main(arguments: Sequence[str]) -> int:
    """Print the figures; 1 if a known total or a bound is false, or bounds are wider."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.lost_lines", description=__doc__)
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("--recordings", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--of", choices=(CLIENTS, BROKER, BOTH), default=BOTH)
    parser.add_argument("--revoked", action="store_true")
    parser.add_argument("--share", type=float)
    parser.add_argument("--halves", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--widths", type=Path)
    parser.add_argument("--only", help="recordings whose name has this")
    given = parser.parse_args(arguments)
    folders = FAMILIES + CONSUMER_GROUPS if given.small else [f for p in PLACES for f in in_folder(SHARED / p)]
    folders = [folder for folder in folders if not given.only or given.only in folder.name]
    if given.widths is not None:
        return _compared(given.widths, folders)
    rng = Random(given.seed)
    losses: list[Loss] = []
    for recording in drawn_recordings(rng, given.recordings, folders):
        for lost in _losses(recording, rng, given):
            losses.append(lost)
            if not lost.right:
                print(*_details(lost), sep="\n", file=sys.stderr, flush=True)
        wrong = sum(not lost.right for lost in losses)
        print(f"{recording.folder.name}: {len(losses)} losses so far, {wrong} false", file=sys.stderr, flush=True)
    print(*shown(losses), sep="\n")
    return int(any(not lost.right for lost in losses))


def _losses(recording: Case, rng: Random, given: argparse.Namespace) -> Iterator[Loss]:
    """Of one recording, what the command asks for."""
    if given.revoked:
        return revoked_lost(recording)
    if given.halves:
        return halves_lost(recording)
    if given.share is not None:
        return share_lost(recording, rng, given.share, given.lines)
    return one_lost(recording, given.lines, given.of)


def _compared(file: Path, folders: Sequence[Path]) -> int:
    """Write the bounds of whole recordings, or compare them with those of the file."""
    now = widths(folders)
    if not file.exists():
        file.write_text("".join(f"{line}\n" for line in json.dumps(now).replace("],", "],\n").splitlines()))
        return 0
    before = json.loads(file.read_text())
    less = wider(before, now)
    sums = [sum(width for said in every.values() if (width := _width(said)) < float("inf")) for every in (before, now)]
    print(f"{len(now)} recordings, {len(less)} are less known than before; sum of widths {sums}", *less, sep="\n")
    return int(bool(less))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
