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

from groupsim.incidents.exports import order, placed_in_ticks, plain_log
from groupsim.incidents.exports.evidence import Fields
from groupsim.incidents.exports.records_by_stream import Key, Part, PartReader, Remarks, describe
from groupsim.incidents.exports.stream_names import short_names
from groupsim.incidents.exports.time_resolution import MS_NS, is_only_time, ticks
from groupsim.storage import log_gaps


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
    ties = {key: _ties(joined) for key, joined in streams.items()}  # those of the times as they are printed
    coarse = _place(streams, zone, remarks)
    shares = Counter(part.path for joined in streams.values() for part in joined)
    several = [key for key, joined in streams.items() if shares[joined[0].path] > 1]
    short = dict(zip(several, short_names([streams[key][0].label or "unlabelled" for key in several]), strict=True))
    for number, (key, joined) in enumerate(streams.items()):
        first, stream = joined[0], short.get(key)
        name = str(first.path) if stream is None else f"{first.path}[{stream}]"
        entries = order.ordered([part.entries for part in joined], newest_first, describe)
        remarks.uncertain += [
            f"{name}: its records are in no order and {tied} of them have the time of another one" for tied in ties[key]
        ]
        if (resolution_ms := coarse.get(key)) is not None:
            remarks.resolution_ms = max(remarks.resolution_ms, resolution_ms)
            remarks.notes.append(f"{name}: {log_gaps.coarse_times(resolution_ms)}")
        log = folder / f"{number}.log"
        found.append(Source(log, name, first.path, plain_log.write(entries, log, zone), stream=stream))
    places = {path: place for place, path in enumerate(paths)}
    return sorted(found, key=lambda source: places[source.origin]), remarks


def _place(streams: dict[Key, list[Part]], zone: tzinfo | None, remarks: Remarks) -> dict[Key, int]:
    """Give records of coarse times others inside their ticks; gives the resolution in ms of streams that have some."""
    if not any(map(any, ticks([part.entries for joined in streams.values() for part in joined]))):
        return {}
    chosen = []
    for key, joined in streams.items():
        counts = [place for place, part in enumerate(joined) if is_only_time(part.entries, zone)]
        if counts and len(joined) > 1:  # now: once placed, what was delivered twice has two times
            once = order.each_once([part.entries for part in joined])
            streams[key] = [part._replace(entries=own) for part, own in zip(joined, once, strict=True)]
        chosen += [(key, place) for place in counts]
    parts = [streams[key][place].entries for key, place in chosen]
    shares = [placed_in_ticks.Share(*each) for each in zip(parts, ticks(parts), strict=True)]
    coarse: dict[Key, int] = {}
    for (key, place), share, entries in zip(chosen, shares, placed_in_ticks.placed(shares, describe), strict=True):
        if any(share.ticks):
            coarse[key] = max(coarse.get(key, 0), max(share.ticks) // MS_NS)
            moved = ((now.ns or 0) - (was.ns or 0) for was, now in zip(share.entries, entries, strict=True))
            remarks.placed_ms = max([remarks.placed_ms, *(ns // MS_NS for ns in moved)])
            streams[key][place] = streams[key][place]._replace(entries=entries)
    return coarse


def _ties(joined: Sequence[Part]) -> list[int]:
    """Of the parts of a stream that are in no order: how many records have the time of another one, if some have."""
    found = []
    for part in joined:
        timed = [entry for entry in part.entries if entry.ns is not None]
        ties = len(timed) - len({entry.ns for entry in timed})
        if ties and order.unordered(part.entries) and any(entry.order is None for entry in timed):
            found.append(ties)
    return found
