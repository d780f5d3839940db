"""Exports of log platforms as the plain logs they were made of: one log a stream, oldest first.

A plain log is passed on as it is. Of anything else, each stream is written to a file of its own, which the log reader
reads as any log; `numbers` leads from its lines back to the records of the export.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path
from typing import NamedTuple

from groupsim.incidents.exports import order, plain_log, whole_seconds
from groupsim.incidents.exports.evidence import Fields
from groupsim.incidents.exports.parts import Key, Part, PartReader, Remarks, describe
from groupsim.incidents.exports.stream_names import short_names
from groupsim.storage.log_gaps import coarse_times

_SECOND_MS = 1_000


class Source(NamedTuple):
    """A log to read: `path` is what is read, `name` what its rows come from, `origin` the file (the first) behind it.

    `numbers` has, for each line, the number of its record in the export; None where the log is read as it is.
    """

    path: Path
    name: str
    origin: Path
    numbers: array[int] | None = None
    passed: int = 0
    """Lines that came before those in `path`: they concern no group, and were left out."""
    stream: str | None = None
    """The stream's short name, where its file has several."""


def sources(
    paths: Sequence[Path], zone: tzinfo | None, folder: Path, given: Fields | None = None
) -> tuple[list[Source], Remarks]:
    """The logs behind these files, in the files' order. What is not a plain log is written into `folder`.

    `zone` is that of times without one; `given` names fields where they can't be found. Raises LogError for a file that
    can't be read.
    """
    found: list[Source] = []
    remarks = Remarks()
    reader = PartReader(zone, given, remarks)
    streams: dict[Key, list[Part]] = defaultdict(list)
    names = Counter(path.name for path in paths)
    for path in paths:
        for part in reader.parts(path, names[path.name] > 1) or ():
            streams[part.key].append(part)
    turned = [order.direction(part.entries) for joined in streams.values() for part in joined]
    newest_first = turned.count(True) > turned.count(False)
    read = {part.path for joined in streams.values() for part in joined}
    for path in paths:
        if path in read:
            continue
        if newest_first and path in reader.undetermined and (parts := reader.parts(path, True)) is not None:
            for part in parts:
                streams[part.key].append(part)
        elif (passed := reader.passed.get(path)) is not None:
            log = folder / f"passed-{len(found)}.log"
            log.write_bytes(passed.tail)
            left = passed.lines - passed.tail.count(b"\n") - (not passed.tail.endswith(b"\n"))
            found.append(Source(log, str(path), path, passed=left))
            reader.look_for_answer(path)
        else:
            found.append(Source(path, str(path), path))
            reader.look_for_answer(path)
    coarse = _place(streams, zone)
    shares = Counter(part.path for joined in streams.values() for part in joined)
    several = [key for key, joined in streams.items() if shares[joined[0].path] > 1]
    short = dict(zip(several, short_names([streams[key][0].label or "unlabelled" for key in several]), strict=True))
    for number, (key, joined) in enumerate(streams.items()):
        first, stream = joined[0], short.get(key)
        name = str(first.path) if stream is None else f"{first.path}[{stream}]"
        entries = order.ordered([part.entries for part in joined], newest_first, describe)
        remarks.uncertain += _uncertain(name, joined)
        if key in coarse:
            remarks.resolution_ms = _SECOND_MS
            remarks.notes.append(f"{name}: {coarse_times(_SECOND_MS)}")
        log = folder / f"{number}.log"
        found.append(Source(log, name, first.path, plain_log.write(entries, log, zone), stream=stream))
    places = {path: place for place, path in enumerate(paths)}
    return sorted(found, key=lambda source: places[source.origin]), remarks


def _place(streams: dict[Key, list[Part]], zone: tzinfo | None) -> set[Key]:
    """Give records of whole seconds times inside their seconds; gives the streams that have such records."""
    chosen = [
        (key, place)
        for key, joined in streams.items()
        for place, part in enumerate(joined)
        if whole_seconds.is_coarse(part.entries, zone)
    ]
    placed = whole_seconds.placed([streams[key][place].entries for key, place in chosen], describe)
    for (key, place), entries in zip(chosen, placed, strict=True):
        streams[key][place] = streams[key][place]._replace(entries=entries)
    return {key for key, _ in chosen}


def _uncertain(name: str, joined: Sequence[Part]) -> list[str]:
    """Why the order or the times of a stream are not known well enough."""
    found = []
    for part in joined:
        timed = [entry for entry in part.entries if entry.ns is not None]
        ties = len(timed) - len({entry.ns for entry in timed})
        if ties and order.unordered(part.entries) and any(entry.order is None for entry in timed):
            found.append(f"{name}: its records are in no order and {ties} of them have the time of another one")
    return found
