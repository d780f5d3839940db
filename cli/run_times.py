"""Times of a run as users write them (`--between FROM TO`) and read them (the column `at`).

Milliseconds since the run's start; of a recorded run instants, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from groupsim.cli.errors import BadRequest
from groupsim.storage.store import RunInfo

AT = "at"
_LONGEST = 30
"""More digits are no time."""

PeriodOption = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--between",
        metavar="FROM TO",
        help="Only this part of the run: ms since its start, or instants as in the column `at`.",
    ),
]


def period(between: tuple[str, str] | None, info: RunInfo) -> tuple[int, int] | None:
    """The part of a run that --between names, in ms since its start. Raises BadRequest."""
    if between is None:
        return None
    from_ms, to_ms = _ms(between[0], info), _ms(between[1], info)
    if from_ms >= to_ms:
        raise BadRequest(f"--between {between[0]} {between[1]}: the first must be less than the second")
    return from_ms, to_ms


def _ms(text: str, info: RunInfo) -> int:
    from groupsim.incidents.errors import LogError
    from groupsim.incidents.logs.times import instant, moment

    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST:
        return int(text)
    if info.origin is None:
        raise BadRequest(f"--between {text[:100]!r}: expected milliseconds since the start of the run, a whole number")
    try:
        return instant(moment(text, "--between")) - instant(info.origin)
    except LogError:
        raise BadRequest(
            f"--between {text[:100]!r}: expected milliseconds since the start of the run, or an instant, UTC:"
            f" {info.origin}"
        ) from None


def with_instants(
    rows: Sequence[dict[str, Any]], columns: Sequence[str], info: RunInfo, key: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows and columns, for a recorded run with `at`: the UTC time of `key` (ISO 8601, milliseconds)."""
    if info.origin is None:
        return list(rows), list(columns)
    origin = datetime.fromisoformat(info.origin)

    def instant(ms: int) -> str:
        return (origin + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    timed = [{AT: None if row.get(key) is None else instant(row[key]), **row} for row in rows]
    return timed, [AT, *columns]
