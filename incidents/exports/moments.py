"""The time of a record as its platform writes it: text or number, with its resolution."""

from __future__ import annotations

import re
from datetime import tzinfo
from typing import NamedTuple

from groupsim.incidents.logs.times import in_utc, read_number, read_stamp, to_utc

_FRACTION = re.compile(r":\d{2}[.,](\d{1,9})")
_DIGITS = re.compile(r"\d{10}(?:\d{3}|\d{6}|\d{9})?")
_DECIMAL = re.compile(r"\d{10}\.\d{1,9}")
_SECONDS = re.compile(r"\d:\d{2}:\d{2}")
_MINUTES = re.compile(r"(?<![\d:+-])(\d{1,2}:\d{2})(?![:\d])")
"""A time of day without seconds, as spreadsheets write it."""
_MINUTE = 60_000_000_000
_PER_DIGITS = {10: 1_000_000_000, 13: 1_000_000, 16: 1_000, 19: 1}


class Moment(NamedTuple):
    """UTC nanoseconds since 1970, and the resolution in nanoseconds; `twice`: the clock showed this time twice."""

    ns: int
    resolution: int
    twice: bool = False


def moment(value: object, zone: tzinfo | None) -> Moment | None:
    """The instant that a field holds; None if it holds none. What names no zone is in `zone`, or in UTC."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return _of_digits(str(value))
    if isinstance(value, float):
        stamp = read_number(value)
        if stamp is None or stamp.ms is None:
            return None
        if value >= 1e11:
            return Moment(stamp.ms * 1_000_000, 1_000_000)
        shown = 0 if value.is_integer() else min(6, len(repr(value).partition(".")[2]))
        return Moment(round(value * 1_000_000) * 1_000, 10 ** (9 - shown))
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _DIGITS.fullmatch(text):
        return _of_digits(text)
    if _DECIMAL.fullmatch(text):
        whole, _, part = text.partition(".")
        return Moment(int(whole) * 1_000_000_000 + int(part.ljust(9, "0")), 10 ** (9 - len(part)))
    if not text[:1].isalnum():
        return None
    found = read_stamp(text, 0)
    in_minutes = found is None and not _SECONDS.search(text)
    if in_minutes:
        text = _MINUTES.sub(r"\1:00", text, count=1)
        found = read_stamp(text, 0)
    if found is None or found[0].ms is None or len(text) - found[1] > 8:
        return None
    ms = to_utc(found[0], zone)
    if ms is None:
        return None
    fraction = _FRACTION.search(text)
    digits = fraction[1] if fraction else ""
    extra = int(digits[3:].ljust(6, "0")) if len(digits) > 3 else 0
    twice = zone is not None and not found[0].zoned and in_utc(found[0].ms, zone, fold=1) > ms
    coarse = _MINUTE if in_minutes else found[0].resolution_ms * 1_000_000
    return Moment(ms * 1_000_000 + extra, coarse or 10 ** (9 - max(3, len(digits))), twice)


def _of_digits(text: str) -> Moment | None:
    per = _PER_DIGITS.get(len(text))
    if per is None or not text.isdecimal():
        return None
    return Moment(int(text) * per, per)
