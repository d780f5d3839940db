"""Which field of a record is the log line, which its time, which names its stream: chosen by what is in them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import Any, NamedTuple

from groupsim.incidents.errors import LogError
from groupsim.incidents.exports.find_records import DOCUMENT, ORIGINAL, PLAIN, TEXTS, Record, is_time_name
from groupsim.incidents.exports.moments import moment
from groupsim.incidents.exports.relevant import KEYWORD, names_groups
from groupsim.incidents.exports.sequence import Numbering, numbering
from groupsim.incidents.logs.times import is_zone_name, zone_named

_SAMPLE = 2_000
_PLACES_OF_TEXT = 3
_TRIED = 300
"""Records that concern groups and are tried for each candidate of a text."""
_CANDIDATES = 40
"""Fields that are tried for the text: the usual names first, then the longest texts."""
_LATER = re.compile(
    r"ingest|observed|index(?:ed|_?time)|receiv|processed|arriv|expir|updated|monotonic|start|boot", re.I
)
"""Names of times that are not the event's own."""
_PLACES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"pod[._]?name$|(?:^|[._])pod$|pod_name$",
        r"log_?stream(?:_?name)?$",
        r"container[._]?id$",
        r"task_?(?:name|arn|id)$|alloc(?:ation)?[._]?(?:id|name)$|replica$",
        r"(?:^|[._])instance(?:[._]?(?:id|name))?$",
        r"container[._]?name$|(?:^|[._])container$",
        r"_HOSTNAME$|host[._]?name$|(?:^|[._])(?:source)?host$|(?:^|[._])node(?:[._]?name)?$|machine|computer",
        r"file[._]?path$|file_?name$|(?:^|[._])path$|(?:^|[._])source$|(?:^|[._])file$",
        r"systemd_unit$|(?:^|[._])unit$|identifier$|service[._]?(?:instance[._]id|name)$|(?:^|[._])service$|(?:^|[._])app$",
        r"(?:^|[._])stream$|(?:^|[._])job$|(?:^|[._])role$",
    )
)
_NO_PLACE = re.compile(r"logger|thread|class|level|severity|group|user|image|namespace|cluster", re.IGNORECASE)
_STRONG = 5
"""So many of the places name one process, or nearly: equal names in two files are one stream."""
_STD = frozenset({"stdout", "stderr"})


class Fields(NamedTuple):
    """The fields that were chosen: a record's text is the first of `texts` that it has.

    `whole` is the prefix of a record that is read as JSON itself, or None.
    """

    texts: tuple[str, ...]
    time: str | None
    stream: str | None
    sequence: Numbering | None
    whole: str | None = None
    strong: bool = False
    zone: str | None = None
    """The field with the zone of `time`, which stands beside it."""


def choose(
    records: Sequence[Record],
    recognised: Callable[[str], int],
    zone: tzinfo | None,
    given: Fields | None = None,
) -> Fields | None:
    """The fields of these records; None if none of them holds a text. `given` names fields that the user named."""
    sample = _sample(records)
    texts = given.texts if given and given.texts else tuple(_texts(sample, recognised))
    if not texts:
        return None
    text = texts[0]
    having = [record for record in sample if isinstance(record.get(text), str)]
    if not having:
        return None
    time = (given.time if given else None) or _time(having, text, zone)
    lines = [record for record in records if text_of(record, texts) is not None]
    stream, strong = _stream(lines, texts, time)
    if given and given.stream:
        stream, strong = given.stream, True
    sequence = numbering(lines, time, stream, zone)
    zone_field = _zone_field(having, time)
    return Fields(texts, time, stream, sequence, _whole(having, text, recognised), strong, zone_field)


def named(given: Fields, records: Sequence[Record], file: str) -> Fields:
    """The fields that the user named, as the records name them: `pod` also means `stream.pod`, if nothing else does.

    Raises LogError for a field that no record has.
    """
    known = sorted({name for record in records[:: max(1, len(records) // _SAMPLE)] for name in record})
    shown = [name for name in known if ORIGINAL not in name]

    def resolved(name: str) -> str:
        ends = [each for each in shown if each == name or each.endswith(f".{name}")]
        if name in ends or len(ends) == 1:
            return name if name in ends else ends[0]
        raise LogError(f"{file} has no field {name!r}; its fields are: {', '.join(shown[:20]) or 'none'}")

    return given._replace(
        texts=tuple(map(resolved, given.texts)),
        time=None if given.time is None else resolved(given.time),
        stream=None if given.stream is None else resolved(given.stream),
    )


def concerns_groups(records: Iterable[Record], fields: Fields) -> bool:
    """Whether a text of these records has a word that stands in lines about groups."""
    return any(text is not None and KEYWORD.search(text) for text in (text_of(each, fields.texts) for each in records))


def _sample(records: Sequence[Record]) -> list[Record]:
    """Those that may concern groups first, then others from all over the document."""
    concerned = []
    for record in records:
        if names_groups(record):
            concerned.append(record)
            if len(concerned) >= _SAMPLE:
                break
    step = max(1, len(records) // _SAMPLE)
    return [*concerned, *records[::step]]


def text_of(record: Record, texts: Sequence[str]) -> str | None:
    """The log line of a record; None if it holds none."""
    return next((value for name in (*texts, PLAIN) if isinstance(value := record.get(name), str)), None)


def _texts(sample: Sequence[Record], recognised: Callable[[str], int]) -> Iterator[str]:
    """The best field, and the best of those records that lack it: a platform may keep texts in several places."""
    left = sample
    for _ in range(_PLACES_OF_TEXT):
        text = _text(left, recognised)
        if text is None:
            return
        yield text
        left = [record for record in left if not isinstance(record.get(text), str)]
        if len(left) < len(sample) // 50 + 1:
            return


def _text(sample: Sequence[Record], recognised: Callable[[str], int]) -> str | None:
    lengths: Counter[str] = Counter()
    for record in sample:
        lengths.update({name: len(value) for name, value in record.items() if isinstance(value, str)})
    candidates = [name for name, total in lengths.items() if total >= 8 * len(sample) or _rank(name) < len(TEXTS)]
    if not candidates:
        return None

    candidates = sorted(candidates, key=lambda name: (_rank(name), -lengths[name], name))[:_CANDIDATES]

    def score(name: str) -> tuple[int, bool, int, int]:
        tried = [v for r in sample if isinstance(v := r.get(name), str) and KEYWORD.search(v)][:_TRIED]
        inside = any(name.startswith(f"{other}.") and f"{other}.{ORIGINAL}" in sample[0] for other in candidates)
        return (sum(map(recognised, tried)), inside, -_rank(name), lengths[name])

    return max(sorted(candidates), key=score)


def _rank(name: str) -> int:
    leaf = name.rpartition(".")[2]
    return next((at for at, each in enumerate(TEXTS) if each in (name, leaf)), len(TEXTS))


def _whole(having: Sequence[Record], text: str, recognised: Callable[[str], int]) -> str | None:
    """The prefix of the fields beside the text, if the object they form says more than the text alone."""
    prefix = text.rpartition(".")[0]
    prefix = f"{prefix}." if prefix else ""
    tried = [r for r in having if names_groups(r)][:_TRIED]
    alone = sum(recognised(r[text]) for r in tried)
    together = sum(recognised(whole(r, prefix)) for r in tried)
    return prefix if together > alone else None


def whole(record: Record, prefix: str) -> str:
    """The fields below a prefix as a JSON object on one line: as it was written, where that is known."""
    if not prefix and ORIGINAL in record:
        return str(record[ORIGINAL])
    if f"{prefix}{ORIGINAL}" in record and prefix[:-1] in record:  # JSON in a text
        return str(record[prefix[:-1]])
    inner = record.get(DOCUMENT)
    for name in prefix.split(".")[:-1]:
        inner = inner.get(name) if isinstance(inner, dict) else None
    if isinstance(inner, dict):
        return json.dumps(inner, default=str)
    nested: dict[str, Any] = {}
    for name, value in record.items():
        if name.startswith(prefix) and ORIGINAL not in name:
            _put(nested, name[len(prefix) :].split("."), value)
    return json.dumps(nested, default=str)


def _put(nested: dict[str, Any], path: Sequence[str], value: object) -> None:
    for name in path[:-1]:
        inner = nested.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        nested = inner
    nested.setdefault(path[-1], value)


def _time(having: Sequence[Record], text: str, zone: tzinfo | None) -> str | None:
    names = Counter(name for record in having for name in record if name != text and ORIGINAL not in name)
    found: list[tuple[int, int, int, str]] = []
    for name, count in names.items():
        if count < 0.9 * len(having) or _LATER.search(name.rpartition(".")[2]) or _LATER.search(name):
            continue
        moments = [moment(record.get(name), zone) for record in having[:200]]
        good = [each for each in moments if each is not None]
        if len(good) < 0.9 * len(moments) or not _recent(good[0].ns):
            continue
        finest = min(each.resolution if each.ns % 1_000_000_000 else 1_000_000_000 for each in good)
        named = 0 if is_time_name(name) else 1
        found.append((named, max(finest, 1), name.count("."), name))
    return min(found)[3] if found else None


def _zone_field(having: Sequence[Record], time: str | None) -> str | None:
    """The field beside the time that holds its zone; None if there is none."""
    beside = "" if time is None else time.removesuffix(time.rpartition(".")[2])
    for name in dict.fromkeys(name for record in having[:_TRIED] for name in record):
        if name.startswith(beside) and is_zone_name(name.removeprefix(beside)) and name != time:
            values = [record[name] for record in having[:_TRIED] if name in record]
            if all(isinstance(value, str) and zone_named(value) is not None for value in values):
                return name
    return None


def _recent(ns: int) -> bool:
    return 300_000_000 < ns // 1_000_000_000 < 4_000_000_000


def _stream(records: Sequence[Record], texts: Sequence[str], time: str | None) -> tuple[str | None, bool]:
    names = Counter(
        name for record in records for name in record if name not in texts and name != time and ORIGINAL not in name
    )
    constant: tuple[str | None, bool] = (None, False)
    for at, place in enumerate(_PLACES):
        for name in sorted(names, key=lambda name: (name.count("."), name)):
            if place.search(name) is None or _NO_PLACE.search(name) or names[name] < 0.9 * len(records):
                continue
            values = {str(record.get(name)) for record in records}
            if values <= _STD:
                continue
            if 1 < len(values) <= max(2, len(records) // 3):
                return name, at < _STRONG
            if len(values) == 1 and constant[0] is None and at < len(_PLACES) - 1:
                constant = (name, at < _STRONG)
    return constant
