"""`--between FROM TO`: a part of a run, in milliseconds since its start or, of a recorded run, as instants."""

from __future__ import annotations

from typing import Annotated

import typer

from groupsim.cli.errors import BadRequest
from groupsim.storage.store import RunInfo

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
