"""Exports of log platforms as the plain logs they were made of: one log a stream, oldest first.

A plain log is passed on as it is. Of anything else, each stream is written to a file of its own, which the log reader
reads as any log; `numbers` leads from its lines back to the records of the export.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import NamedTuple

from groupsim.incidents.exports import evidence, heads, order
from groupsim.incidents.exports.document import HEAD, Kind, Raw, kind_of, numbered_lines, raw_records
from groupsim.incidents.exports.evidence import Fields
from groupsim.incidents.exports.moments import moment
from groupsim.incidents.exports.order import Entry
from groupsim.incidents.exports.relevant import KEYWORD_BYTES, relevant
from groupsim.incidents.logs.formats import clean, parse, starts_record
from groupsim.incidents.logs.multiline import TRACE
from groupsim.incidents.logs.recognition import recognise
from groupsim.incidents.logs.scan import open_log
from groupsim.incidents.logs.times import iso, to_utc

_SAMPLED = 400
_LATE_MS = 2_000
_LEVEL = re.compile(r"[\[<(]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|SEVERE|%\d\|)")


class Source(NamedTuple):
    """A log to read: `path` is what is read, `name` is what its rows are said to come from, `origin` the
    file (the first one) that it was made of.

    `numbers` has, for each line, the number of its record in the export; None where the log is read as it is.
    """

    path: Path
    name: str
    origin: Path
    numbers: array[int] | None = None


class Part(NamedTuple):
    """One stream's share of one file."""

    path: Path
    label: str | None
    entries: list[Entry]


def sources(
    paths: Sequence[Path], zone: tzinfo | None, folder: Path, given: Fields | None = None
) -> tuple[list[Source], list[str]]:
    """The logs behind these files, in the files' order, and sentences about how they were read.

    What is not a plain log is written into `folder`. Raises LogError for a file that can't be read.
    """
    found: list[Source] = []
    notes: list[str] = []
    streams: dict[tuple[str, ...], list[Part]] = defaultdict(list)
    names = Counter(path.name for path in paths)
    for path in paths:
        parts = _parts(path, zone, given, notes, names[path.name] > 1)
        if parts is None:
            found.append(Source(path, str(path), path))
            continue
        for key, part in parts:
            streams[key].append(part)
    labels = Counter(part.path for joined in streams.values() for part in joined)
    for at, joined in enumerate(streams.values()):
        entries = order.ordered([part.entries for part in joined])
        first = joined[0]
        name = str(first.path) if labels[first.path] == 1 else f"{first.path}[{first.label}]"
        found.append(_written(entries, Source(folder / f"{at}.log", name, first.path), zone))
    places = {path: at for at, path in enumerate(paths)}
    found.sort(key=lambda source: places[source.origin])
    return found, notes


def _parts(
    path: Path, zone: tzinfo | None, given: Fields | None, notes: list[str], repeated: bool
) -> list[tuple[tuple[str, ...], Part]] | None:
    """The streams of one file by what identifies them; None if it is a plain log."""
    with open_log(path) as stream:
        head = stream.read(HEAD)
    kind = kind_of(head)
    if kind is Kind.TEXT:
        return _text_parts(path, zone, notes, repeated)
    with open_log(path) as stream:
        raws = [
            Raw(raw.number, evidence.opened(raw.fields))
            for raw in raw_records(kind, stream, lambda said: notes.append(f"{path}: {said}"))
        ]
    fields = evidence.choose([raw.fields for raw in raws], _understood, zone, given)
    if fields is None:
        return None
    parts = _by_label(path, list(_entries(path, raws, fields, zone)), fields, repeated)
    shown = _order_of(parts)
    told = f", {len(parts)} streams by {fields.stream}" if len(parts) > 1 else ""
    notes.append(
        f"{path}: read as {kind.value}, text from {', '.join(fields.texts)}, time from {fields.time}, {shown}{told}"
    )
    return parts


def _order_of(parts: Sequence[tuple[tuple[str, ...], Part]]) -> str:
    turned = [order.direction(part.entries) for _, part in parts]
    return "newest first" if any(turned) else "oldest first" if False in turned else "in no order"


def _understood(text: str) -> bool:
    first, _, _ = text.partition("\n")
    return bool(recognise(parse(0, clean(first.encode("utf-8", "replace")))))


def _entries(
    path: Path, raws: Iterable[Raw], fields: Fields, zone: tzinfo | None
) -> Iterator[tuple[str | None, Entry]]:
    """Each record that has a text, with its stream's label."""
    utc = None if fields.texts[0].startswith("@message") else zone
    for raw in raws:
        text = evidence.text_of(raw.fields, fields.texts)
        if text is None:
            continue
        if fields.whole is not None:
            text = evidence.whole(raw.fields, fields.whole)
        at = moment(raw.fields.get(fields.time), utc) if fields.time is not None else None
        label = raw.fields.get(fields.stream) if fields.stream is not None else None
        ns, resolution = (None, 0) if at is None else at
        placed = evidence.ordinal(raw.fields.get(fields.sequence)) if fields.sequence is not None else None
        yield (
            None if label is None else str(label),
            Entry(str(path), raw.number, ns, resolution, placed, text.rstrip("\r\n")),
        )


def _by_label(
    path: Path, entries: Sequence[tuple[str | None, Entry]], fields: Fields | None, repeated: bool
) -> list[tuple[tuple[str, ...], Part]]:
    found: dict[tuple[str, ...], Part] = {}
    for label, entry in entries:
        if label is not None and fields is not None and fields.strong:
            key: tuple[str, ...] = ("label", label)
        elif repeated:  # parts of one stream are called alike, in folders of their own
            key = ("folder", path.parent.name, path.name, label or "")
        else:
            key = ("file", str(path), label or "")
        found.setdefault(key, Part(path, label, [])).entries.append(entry)
    return list(found.items())


def _text_parts(
    path: Path, zone: tzinfo | None, notes: list[str], repeated: bool
) -> list[tuple[tuple[str, ...], Part]] | None:
    """The streams of a text whose lines have heads, or that stands newest first; None for a plain log."""
    with open_log(path) as stream:
        sample = [clean(line) for line in stream.read(HEAD).split(b"\n")[: 2 * _SAMPLED]]
    while sample and not sample[0].strip():
        sample = sample[1:]
    head = heads.head_of(sample[8:]) or heads.head_of(sample) if len(sample) > 12 else heads.head_of(sample)
    stamped = [ms for line in sample if (ms := _stamp(line, zone)) is not None]
    newest = heads.falling(stamped) is True
    if head is None and not newest and not repeated:
        return None
    with open_log(path) as stream:
        kept = relevant(numbered_lines(stream), lambda each: KEYWORD_BYTES.search(each[1]) is not None)
        numbered = [(number, clean(line)) for number, line in kept]
    if head is None:
        entries = [
            (None, Entry(str(path), number, None if ms is None else ms * 1_000_000, 1_000_000, None, line))
            for number, line in numbered
            for ms in (_stamp(line, zone),)
        ]
        if newest:
            notes.append(f"{path}: read as text, newest first")
        return _by_label(path, entries, None, repeated)
    raws = [Raw(number, fields) for number, fields in heads.split(head, numbered)]
    label = next(
        (n for n in ("pod", "stream", "instance", "host", "container") if any(n in r.fields for r in raws)), None
    )
    timed = any("time" in raw.fields for raw in raws)
    fields = Fields(("line",), "time" if timed else None, label, None, None, label is not None)
    parts = _by_label(path, list(_entries(path, raws, fields, zone)), fields, repeated)
    if not timed:
        parts = [(key, Part(part.path, part.label, _self_dated(part.entries, zone))) for key, part in parts]
    notes.append(f"{path}: read as lines of {head.name}, {_order_of(parts)}, {len(parts)} streams")
    return parts


def _self_dated(entries: Sequence[Entry], zone: tzinfo | None) -> list[Entry]:
    """Entries with the times that stand in their own texts."""
    return [
        entry if (ms := _stamp(entry.text, zone)) is None else entry._replace(ns=ms * 1_000_000, resolution=1_000_000)
        for entry in entries
    ]


def _stamp(line: str, zone: tzinfo | None) -> int | None:
    if not line or line[0] in " \t":
        return None
    stamp = parse(0, line[:400]).stamp
    return None if stamp is None else to_utc(stamp, zone)


def _written(entries: Sequence[Entry], source: Source, zone: tzinfo | None) -> Source:
    """A stream as a plain log: lines with a time of their own as they are, others behind their record's time."""
    entries, begun = _by_own_time(entries, zone)
    bare = [entry.text for entry, dated in zip(entries, begun, strict=True) if not dated]
    levelled = sum(_LEVEL.match(text) is not None for text in bare) > len(bare) // 3
    numbers = array("q")
    with source.path.open("w", encoding="utf-8", newline="\n", errors="replace") as out:
        for entry, dated in zip(entries, begun, strict=True):
            text = entry.text
            if not dated and entry.ns is not None and not _continues(text, levelled and not any(begun)):
                text = f"{iso(entry.ns // 1_000_000)} {text}"
            out.write(text.replace("\r", "") + "\n")
            numbers.extend([entry.number] * (text.count("\n") + 1))
    return source._replace(numbers=numbers)


def _by_own_time(entries: Sequence[Entry], zone: tzinfo | None) -> tuple[list[Entry], list[bool]]:
    """Entries by the times in their own texts, and which have one.

    Collectors stamp late, each stream by another delay: so the order of outer times is not quite that of the lines. A
    clock that steps back by more than such a delay is left as it is.
    """
    blocks: list[tuple[int, list[Entry]]] = []
    least = latest = 0
    for entry in entries:
        ms = _stamp(entry.text.partition("\n")[0], zone)
        if ms is None and blocks:
            blocks[-1][1].append(entry)
            continue
        if ms is not None:
            least, latest = min(least, ms - latest), max(latest, ms)
        blocks.append((latest if ms is None else ms, [entry]))
    if -_LATE_MS <= least < 0:
        blocks.sort(key=lambda block: block[0])
    found = [entry for _, block in blocks for entry in block]
    return found, [starts_record(entry.text) for entry in found]


def _continues(text: str, levelled: bool) -> bool:
    """Whether a line without a time goes on with the record before it."""
    if not text or TRACE.match(text) is not None:
        return True
    return levelled and _LEVEL.match(text) is None
