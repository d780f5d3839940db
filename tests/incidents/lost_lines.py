"""Imports of recordings of which one client line is lost: `python -m tests.incidents.lost_lines`.

Draws recordings beside the checkout and lines of their clients' logs that the import reads, leaves one line out at a
time, and compares the total with what was recorded. `--revoked`: instead, once for each recording, without all lines
"Revoke previously assigned". `--widths FILE`: instead, the bounds of the whole recordings; FILE is written if it is
not there, else they are compared with it. `--small`: recordings of the checkout.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from groupsim.conformance.predictions.families import read_record
from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.reading import read_files
from tests.incidents.imported import supported
from tests.incidents.recordings import CLIENTS, CONSUMER_GROUPS, FAMILIES, SHARED, in_folder, logs_of
from tests.incidents.unavailable import Total, total

Lost = Callable[[str, int, str], bool]
"""Whether a line is lost, by its log's name, its number and its text."""
PLACES = ("recordings", "recordings-848", "recordings-pairs", "recordings-old-groups")
REVOKED = "Revoke previously assigned partitions"


class Loss(NamedTuple):
    """What an import says of a recording without some lines. `lines`: file, number and text of each."""

    recording: str
    lines: tuple[tuple[str, int, str], ...]
    truth: int
    total: Total

    @property
    def known(self) -> bool:
        """The import gives a total without bounds."""
        return self.total.why is None and not self.total.inexact

    @property
    def right(self) -> bool:
        """The total is near the recorded one, or its bounds hold that."""
        return self.total.right(self.truth)


def whole(folder: Path) -> tuple[int, Total] | None:
    """What was recorded, and what an import of the whole recording says; None: no import, or no window."""
    truth = read_record(folder)
    if "summary" not in truth or not truth["config"].get("partitions"):
        return None
    try:
        return truth["summary"]["unavailable_partition_ms"], total(logs_of(folder), truth)
    except LogError:
        return None


def drawn_recordings(rng: Random, number: int, folders: Sequence[Path]) -> Iterator[Path]:
    """Recordings, in a drawn order, of which the whole logs give the recorded total."""
    found = 0
    for folder in rng.sample(folders, len(folders)):
        if found == number:
            return
        compared = whole(folder)
        if compared is not None and compared[1].right(compared[0]):
            found += 1
            yield folder


def drawn_losses(rng: Random, number: int, folder: Path) -> Iterator[Loss]:
    """One of the clients' lines that the import reads lost, `number` times (less, if there are fewer lines)."""
    read = read_files(logs_of(folder, CLIENTS))
    places = sorted({(Path(row.file).name, row.line) for row in (*read.rows, *read.context)})
    lost = set(rng.sample(places, min(number, len(places))))
    for place in sorted(lost):
        yield loss(folder, _at(place))


def _at(place: tuple[str, int]) -> Lost:
    return lambda name, number, _: (name, number) == place


def revoked_lost(folder: Path) -> Loss | None:
    """All lines that say that partitions are revoked lost; None: there is none."""
    found = loss(folder, lambda name, _, text: not name.startswith("broker") and REVOKED in text)
    return found if found.lines else None


def loss(folder: Path, lost: Lost) -> Loss:
    """An import without the lines that are lost."""
    truth = read_record(folder)
    with TemporaryDirectory() as place:
        logs, dropped = without(folder, Path(place), lost)
        return Loss(folder.name, tuple(dropped), truth["summary"]["unavailable_partition_ms"], total(logs, truth))


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
    """The figures, and the lines of which the loss made a total or a bound false."""
    known = [lost for lost in losses if lost.known]
    bounded = [lost for lost in losses if not lost.known]
    for kind, some in (("known", known), ("bounded or unknown", bounded)):
        wrong = [lost for lost in some if not lost.right]
        yield f"{len(losses)} losses; {kind}: {len(some)}, of them false: {len(wrong)}"
        for lost in wrong:
            said = lost.total
            yield f"  {lost.recording} recorded {lost.truth}: {said.held_ms} [{said.at_least_ms}..{said.at_most_ms}]"
            yield from (f"    {file}:{line}: {text}" for file, line, text in lost.lines[:1])


def main(arguments: Sequence[str]) -> int:
    """Print the figures; 1 if a known total or a bound is false, or bounds are wider."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.lost_lines", description=__doc__)
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("--recordings", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--revoked", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--widths", type=Path)
    parser.add_argument("--only", help="recordings whose name has this")
    given = parser.parse_args(arguments)
    folders = FAMILIES + CONSUMER_GROUPS if given.small else [f for p in PLACES for f in in_folder(SHARED / p)]
    folders = [folder for folder in folders if not given.only or given.only in folder.name]
    rng = Random(given.seed)
    if given.widths is not None:
        now = widths(folders)
        if not given.widths.exists():
            given.widths.write_text("".join(f"{line}\n" for line in json.dumps(now).replace("],", "],\n").splitlines()))
            return 0
        less = wider(json.loads(given.widths.read_text()), now)
        print(f"{len(now)} recordings, {len(less)} are less known than before", *less, sep="\n")
        return int(bool(less))
    drawn = list(drawn_recordings(rng, given.recordings, folders))
    if given.revoked:
        losses = [lost for folder in drawn if (lost := revoked_lost(folder)) is not None]
    else:
        losses = []
        for folder in drawn:
            losses += drawn_losses(rng, given.lines, folder)
            wrong = sum(not lost.right for lost in losses)
            print(f"{folder.name}: {len(losses)} losses so far, {wrong} false", file=sys.stderr, flush=True)
    print(*shown(losses), sep="\n")
    return int(any(not lost.right for lost in losses))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
