"""Log entries in YAML, as `gcloud logging read` prints them by default: documents of `key: value` behind `---`.

Only what a printer of such entries writes is understood: nested keys, plain, quoted and block texts; no lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import IO

from groupsim.incidents.exports.find_records import Record, flat
from groupsim.incidents.exports.relevant import blocks_of_lines

SEPARATOR = "---"
_KEY = re.compile(r"(?P<indent> {0,60})(?P<key>[\w./@-]{1,200}|'[^']{1,200}'|\"[^\"]{1,200}\"):(?: (?P<value>.*))?$")
_BLOCK = re.compile(r"[|>][+-]?\d?$")


def begins_so(text: bytes) -> bool:
    """Whether a file begins as such entries do: `---`, then keys, one of them a time."""
    lines = text.decode("utf-8", "replace").split("\n")[:60]
    if lines[0].rstrip() != SEPARATOR:
        return False
    entry = [line for line in lines[1:] if line.strip()]
    keys = [found["key"] for line in entry if (found := _KEY.match(line.rstrip())) is not None]
    return len(keys) > 1 and bool({"insertId", "timestamp", "textPayload", "jsonPayload", "logName"} & set(keys))


def entries(stream: IO[bytes]) -> Iterator[tuple[int, Record]]:
    """Each document as a record, with the number of its first line."""
    lines = (line.rstrip("\r\n") for block in blocks_of_lines(stream) for line in _decoded(block))
    number, begin, held = 0, 1, list[str]()
    for number, line in enumerate(lines, 1):
        if line.rstrip() == SEPARATOR:
            if held:
                yield begin, flat(_record(held))
            begin, held = number + 1, []
        else:
            held.append(line)
    if held:
        yield begin, flat(_record(held))


def _decoded(block: bytes) -> list[str]:
    return block.decode("utf-8", "replace").replace("\x00", "").splitlines()


def _record(lines: list[str]) -> Record:
    root: Record = {}
    above: list[tuple[int, Record]] = [(-1, root)]
    at = 0
    while at < len(lines):
        found = _KEY.match(lines[at])
        at += 1
        if found is None:
            continue
        indent, key, value = len(found["indent"]), found["key"].strip("'\""), (found["value"] or "").strip()
        while above[-1][0] >= indent:
            above.pop()
        more = at
        while more < len(lines) and (not lines[more].strip() or _depth(lines[more]) > indent):
            more += 1
        if not value:
            inner: Record = {}
            above[-1][1][key] = inner
            above.append((indent, inner))
            continue
        above[-1][1][key] = _text(value, lines[at:more])
        at = more
    return root


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _text(value: str, below: list[str]) -> str:
    """A text: a block below its sign, or a scalar that may be folded over the lines below."""
    if _BLOCK.match(value):
        depth = min((_depth(line) for line in below if line.strip()), default=0)
        return "\n".join(line[depth:] for line in below).rstrip("\n")
    folded = [value, *(line.strip() for line in below)]
    whole = "".join(
        "\n" * len(group) if not filled else (" ".join(group))
        for filled, group in ((filled, list(each)) for filled, each in groupby(folded, key=bool))
    )
    if whole[:1] == "'" and whole[-1:] == "'":
        return whole[1:-1].replace("''", "'")
    if whole[:1] == '"' and whole[-1:] == '"':
        try:
            return str(json.loads(re.sub(r"\\x([0-9a-fA-F]{2})", r"\\u00\1", whole), strict=False))
        except ValueError:
            return whole[1:-1]
    return whole
