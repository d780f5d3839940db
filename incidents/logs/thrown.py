"""The exception below a line that says that a task, a worker or a stream thread failed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, islice

from groupsim.incidents.logs.formats import Record, clean, parse
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.scan import Window

_FAILURES = frozenset(
    [
        RowKind.STREAMS_FAILED,
        RowKind.TASK_FAILED,
        RowKind.TASK_NOT_COMMITTED,
        RowKind.TASK_STUCK,
        RowKind.WORKER_FAILED,
    ]
)
_THROWN = re.compile(
    r"(?P<cause>Caused by: )?(?P<what>(?:[a-z_][\w$]{0,60}\.){2,12}[\w$]{0,80}(?:Exception|Error)\b.{0,400})"
)
_FRAME = re.compile(r"(?:#011)?\s{0,16}(?:at |\.\.\. \d|Suppressed: |\[CIRCULAR)")
_FAR, _LONGEST, _MESSAGE = 120, 4_000, 3
"""Lines below, bytes of one, and lines of a message between an exception and its frames."""


def with_thrown(found: tuple[Match, ...], record: Record, window: Window, skip: int) -> tuple[Match, ...]:
    """The rows, those of failures with `thrown`: what was thrown first, and `cause`: the innermost cause of it.

    `skip`: how many of the lines below are read already.
    """
    if not found or found[0].kind not in _FAILURES:
        return found
    said = str(found[0].detail.get("error", ""))
    own = said if _THROWN.match(said) is not None else ""
    below = (parse(0, clean(raw[:_LONGEST])) for raw in islice(window.following(_FAR + skip), skip, None))
    inside = record.more or tuple(
        chain.from_iterable(str(record.fields[key]).split("\n") for key in _KEYS if key in record.fields)
    )
    thrown = _first_and_last(inside) if inside else _first_and_last(_own_lines(own, below))
    if not thrown:
        return found
    return tuple(match._replace(detail=match.detail | thrown) if match.kind in _FAILURES else match for match in found)


_KEYS = ("stack_trace", "stackTrace", "exception", "throwable", "stack", "thrown")
"""Where layouts of JSON put a stack trace."""


def _own_lines(own: str, below: Iterable[Record]) -> Iterable[str]:
    """The lines to the next record: one that is no exception and no frame has a level."""
    yield own
    for record in below:
        if record.level is not None:
            return
        yield record.text


def _first_and_last(lines: Iterable[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    between = 0
    for line in lines:
        text = line.strip()
        thrown = _THROWN.match(text)
        if thrown is not None:
            between = 0
            found.setdefault("thrown", thrown["what"])
            found["cause"] = thrown["what"]
        elif text and _FRAME.match(line) is None:
            between += 1
            if between > _MESSAGE:
                break
    return found
