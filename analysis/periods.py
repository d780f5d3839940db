"""Parts of a run, as a caller gives them: `between=("10 s", "1 min")`, in milliseconds of the run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from groupsim.analysis.errors import AnalysisError

if TYPE_CHECKING:
    import pandas as pd

    from groupsim.storage.store import RunInfo

Instant: TypeAlias = "int | float | str | timedelta | datetime | pd.Timestamp"
"""Milliseconds since the run's start, a text such as "12 s", a timedelta; of a recorded run a UTC instant, too."""
Between: TypeAlias = "tuple[Instant | None, Instant | None]"
"""From and to, the second is not in it; None: from the run's start, or to its end."""
Period = tuple[int, int]
"""The same in milliseconds of the run."""

_DATE = re.compile(r"\d{4}-\d\d")
_MS = timedelta(milliseconds=1)
_NEVER_MS = 1 << 53
"""Later than the end of any run, also of one that was killed and does not know its own."""


def period_of(between: Between | None, info: RunInfo) -> Period | None:
    """A part of a run in milliseconds since its start; None: it names none. Raises AnalysisError."""
    if between is None:
        return None
    if isinstance(between, str) or not isinstance(between, Sequence) or len(between) != 2:
        raise AnalysisError(f'between={between!r} must be two times, from and to: between=("10 s", "1 min")')
    begin, end = between
    from_ms = 0 if begin is None else ms_of(begin, info)
    to_ms = _NEVER_MS if end is None else ms_of(end, info)
    if from_ms >= to_ms:
        raise AnalysisError(f"between={between!r}: the first must be before the second")
    return from_ms, to_ms


def ms_of(instant: Instant, info: RunInfo) -> int:
    """An instant in milliseconds since the run's start. Raises AnalysisError."""
    import pandas as pd

    try:
        if isinstance(instant, int | float) and not isinstance(instant, bool):
            return round(instant)
        if isinstance(instant, str | datetime) and (isinstance(instant, datetime) or _DATE.match(instant)):
            return round(_since(instant, info.origin) / _MS)
        if isinstance(instant, timedelta | str) and not str(instant).strip().isdigit():  # pandas reads nanoseconds
            return round(pd.Timedelta(instant) / pd.Timedelta(_MS))
    except (ValueError, TypeError, OverflowError):
        pass
    example = "" if info.origin is None else f', or an instant, UTC: "{info.origin}"'
    raise AnalysisError(f'{instant!r} is no time: milliseconds since the run\'s start, "12 s", a timedelta{example}')


def _since(instant: str | datetime, origin: str | None) -> timedelta:
    """Since the start of a recorded run; of a simulated one there is none. Raises ValueError."""
    import pandas as pd

    if origin is None:
        raise ValueError
    at = pd.Timestamp(instant)
    return (at.tz_localize("UTC") if at.tzinfo is None else at.tz_convert("UTC")) - pd.Timestamp(origin)
