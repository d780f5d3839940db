"""The list of log records in a JSON value, however deep: nested lists, tables by rows or by columns, key-value lists.

A record is a flat mapping of dotted names to scalars. What stands above a list (Loki's `stream`, OpenTelemetry's
`resource.attributes`) holds for every record in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

Record = dict[str, Any]
_TIME_NAME = re.compile(r"time|date|(?:^|[._@])ts(?:ns)?$|^@?t$|epoch|instant|_TIMESTAMP", re.IGNORECASE)
_DEPTH = 40
_LOOKED_AT = 20
_TABLES = 8
"""So many lists of column names, and as many matrices, of one mapping are tried with each other."""
_NAMES = ("key", "field", "name", "Name", "Key", "k")
_VALUES = ("value", "Value", "v", "val")
TEXTS = ("message", "msg", "log", "line", "_raw", "@message", "MESSAGE", "body", "text", "textPayload", "@m")
"""Usual names of the field that holds the log line, the most usual first."""
ORIGINAL = "\0"
"""The key under which a record keeps the line that it was made of, if it is one."""
PLAIN = "\0\0"
"""The key of a line that stands between JSON records and is none."""
DOCUMENT = "\0{"
"""The key under which a record keeps the JSON object that it was made of, with its lists."""
_WIDEST = 400
"""Columns of a table, and keys of a record that are kept."""


def records(value: Any) -> Iterator[Record]:
    """The records of one document, in its order."""
    yield from walk(plain(value), {})


def column_names(value: Mapping[str, Any]) -> list[str] | None:
    """The first list of column names in a mapping; None if it holds none."""
    return next(_name_lists(value, 0), None)


def plain(value: Any, depth: int = 0) -> Any:
    """The value with lists of key-value pairs made mappings, and OpenTelemetry's typed values made values."""
    if depth > _DEPTH:
        return None
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, inner),) = value.items()
            if key.endswith("Value") and key != "Value":
                return _typed(inner, depth)
        return {str(key): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        pairs = _pairs(value)
        if pairs is not None:
            return {key: plain(inner, depth + 1) for key, inner in pairs.items()}
        return [plain(inner, depth + 1) for inner in value]
    return value


def _typed(inner: Any, depth: int) -> Any:
    if isinstance(inner, dict) and list(inner) == ["values"]:
        inner = inner["values"]
    return plain(inner, depth + 1)


def _pairs(items: Sequence[Any]) -> dict[str, Any] | None:
    """`[{"key": k, "value": v}, …]` as a mapping; None if the list is something else."""
    if not items or not isinstance(items[0], dict):
        return None
    name = next((n for n in _NAMES if n in items[0]), None)
    held = next((n for n in _VALUES if n in items[0]), None)
    if name is None or held is None:
        return None
    found: dict[str, Any] = {}
    for item in items:
        if not isinstance(item, dict) or len(item) > 3 or not isinstance(item.get(name), str) or held not in item:
            return None
        found[item[name]] = item[held]
    return found


def walk(value: Any, above: Record, depth: int = 0) -> Iterator[Record]:
    """The records in a plain value, each with what stands above it."""
    if depth > _DEPTH:
        return
    if isinstance(value, dict):
        if is_record(value):
            yield {**above, **flat(value)}
            return
        rows = _table(value)
        if rows is not None:
            for row in rows:
                yield {**above, **row}
            return
        lists = [(key, inner) for key, inner in value.items() if holds_records(inner)]
        if not lists:
            yield {**above, **flat(value)}
            return
        nested = {key for key, _ in lists}
        labels = {**above, **flat({key: inner for key, inner in value.items() if key not in nested})}
        for _, inner in lists:
            yield from walk(inner, labels, depth + 1)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield from walk(item, above, depth + 1)
            elif isinstance(item, list):
                if (pair := _pair(item)) is not None:
                    yield {**above, **pair}
                else:
                    yield from walk(item, above, depth + 1)
            elif isinstance(item, str):
                yield {**above, "line": item}


def is_record(value: Mapping[str, Any]) -> bool:
    """A mapping with a text and a time of its own is one record, whatever lists it holds."""
    return any(isinstance(value.get(name), str) for name in TEXTS) and any(
        isinstance(inner, str | int | float) and is_time_name(key) for key, inner in value.items()
    )


def holds_records(value: Any, depth: int = 0) -> bool:
    """Whether a value is a list of records, or holds one."""
    if depth > _DEPTH:
        return False
    if isinstance(value, list):
        if not value:
            return False
        if all(isinstance(item, dict) for item in value):
            return len(value) > 1 or len(value[0]) > 1 or _has_line(value[0]) or holds_records(value[0], depth + 1)
        if all(isinstance(item, list) for item in value):
            return any(_pair(item) is not None or holds_records(item, depth + 1) for item in value[:3])
        return False
    if isinstance(value, dict):
        return _table(value) is not None or any(holds_records(inner, depth + 1) for inner in value.values())
    return False


def _has_line(value: Mapping[str, Any]) -> bool:
    """Whether a mapping has a text and a time somewhere below it."""
    leaves = {name.rpartition(".")[2] for name in flat(value)}
    return not leaves.isdisjoint(TEXTS) and any(map(is_time_name, leaves))


def _pair(item: Sequence[Any]) -> Record | None:
    """`[time, text]`, perhaps with a mapping of labels behind: a record."""
    if not 2 <= len(item) <= 4 or not isinstance(item[1], str) or isinstance(item[0], list | dict | bool):
        return None
    if not (isinstance(item[0], int | float) or (isinstance(item[0], str) and item[0][:4].isdecimal())):
        return None
    more = flat(item[2]) if len(item) > 2 and isinstance(item[2], dict) else {}
    return {**more, "time": item[0], "line": item[1]}


def _table(value: Mapping[str, Any]) -> Iterator[Record] | None:
    """Rows under a list of column names, or columns under one; None if the mapping holds no table."""
    matrices = list(islice(_matrices(value, 0), _TABLES))
    for names in islice(_name_lists(value, 0), _TABLES):
        for key, matrix in matrices:
            if key is names:
                continue
            if all(len(row) == len(names) for row in matrix) and len(matrix) != len(names):
                return (flat(dict(zip(names, row, strict=True))) for row in matrix)
            if len(matrix) == len(names) and len({len(column) for column in matrix}) == 1:
                if all(len(row) == len(names) for row in matrix) and not _by_columns(value):
                    return (flat(dict(zip(names, row, strict=True))) for row in matrix)
                return (flat(dict(zip(names, row, strict=True))) for row in zip(*matrix, strict=True))
    return _named_columns(value)


def _named_columns(value: Mapping[str, Any]) -> Iterator[Record] | None:
    """The rows of a mapping of names to columns of one length, one of them with times; None if it is something else."""
    columns = {name: inner for name, inner in value.items() if isinstance(inner, list)}
    lengths = {len(column) for column in columns.values()}
    if len(columns) < 2 or len(lengths) > 1 or lengths <= {0, 1} or not any(map(is_time_name, columns)):
        return None
    if any(isinstance(cell, list | dict) for column in columns.values() for cell in column[:_LOOKED_AT]):
        return None
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _by_columns(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("columns"), list) and any(isinstance(item, list) for item in value["columns"])


def _name_lists(value: Any, depth: int) -> Iterator[list[str]]:
    if not isinstance(value, dict) or depth > 2:
        return
    for inner in value.values():
        if isinstance(inner, list) and 1 < len(inner) <= _WIDEST:
            if all(isinstance(item, str) for item in inner) and len(set(inner)) == len(inner):
                yield inner
            elif all(isinstance(item, dict) and isinstance(_name(item), str) for item in inner):
                yield [str(_name(item)) for item in inner]
        elif isinstance(inner, dict):
            yield from _name_lists(inner, depth + 1)


def _name(item: Mapping[str, Any]) -> Any:
    return next((item[key] for key in ("name", "Name", "text", "id", "field") if key in item), None)


def _matrices(value: Any, depth: int) -> Iterator[tuple[Any, list[list[Any]]]]:
    if not isinstance(value, dict) or depth > 2:
        return
    for inner in value.values():
        if isinstance(inner, list) and inner and all(isinstance(item, list) for item in inner):
            yield inner, inner
        elif isinstance(inner, dict):
            yield from _matrices(inner, depth + 1)


def is_time_name(name: str) -> bool:
    """Whether a field of this name may hold the record's time."""
    return _TIME_NAME.search(name) is not None


def flat(value: Any, prefix: str = "", depth: int = 0) -> Record:
    """A mapping as dotted names and scalars; a list of numbers or texts keeps its place, a list of bytes is a text.

    A list of `key:value`, as Datadog has tags, is read as a mapping.
    """
    found: Record = {}
    if not isinstance(value, dict) or depth > _DEPTH:
        return found
    for key, inner in value.items():
        if len(found) > _WIDEST:
            break
        name = f"{prefix}{key}"
        if isinstance(inner, dict):
            found.update(flat(inner, f"{name}.", depth + 1))
        elif isinstance(inner, list):
            if (text := _bytes(inner)) is not None:
                found[name] = text
            elif inner and len(inner) <= _WIDEST and all(isinstance(item, str) and ":" in item for item in inner):
                found.update({f"{name}.{tag}": said for tag, _, said in (item.partition(":") for item in inner)})
            elif inner and len(inner) <= 4 and all(isinstance(item, int | float | str) for item in inner):
                found.update({f"{name}.{at}": item for at, item in enumerate(inner)})
        elif inner is not None:
            found[name] = inner
    return found


def _bytes(items: Sequence[Any]) -> str | None:
    if len(items) < 5 or not all(isinstance(item, int) and 0 <= item < 256 for item in items):
        return None
    return bytes(items).decode("utf-8", "replace")
