"""Timestamps recognised by their shape, wherever a layout puts them, and turned into UTC milliseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from groupsim.incidents.errors import LogError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_UTC = _EPOCH.replace(tzinfo=None)
_MONTHS = {
    m: n for n, m in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)
}

_CLOCK = r"(?P<h>\d{2}):(?P<mi>\d{2}):(?P<s>\d{2})(?:[.,:](?P<f>\d{1,9}))?"
_NAMED = {
    "CET": "+0100",
    "CEST": "+0200",
    "EET": "+0200",
    "EEST": "+0300",
    "WET": "+0000",
    "WEST": "+0100",
    "MSK": "+0300",
    "JST": "+0900",
    "EST": "-0500",
    "EDT": "-0400",
    "MST": "-0700",
    "MDT": "-0600",
    "PST": "-0800",
    "PDT": "-0700",
}
"""Zones that a log may name by an abbreviation of one meaning (CST, IST and BST have several, and need `--tz`)."""
_ZONE = rf"(?:\s?(?P<z>Z|UTC|GMT|{'|'.join(_NAMED)}|[+-]\d{{2}}:?\d{{2}})(?![\w:]))?"
_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        # 2020-08-03 09:27:51,537 · 2022-07-10T12:23:06.393+02:00 · 2022.11.09 17:49:34.282778 · 2023/04/10 16:15:57
        rf"(?P<y>\d{{4}})[-./](?P<mo>\d{{2}})[-./](?P<d>\d{{2}})(?:T|t|_|\s|\s-\s){_CLOCK}(?:\s(?P<ap>[AaPp][Mm])\b)?{_ZONE}",
        # 02/14/2025 04:40:40 PM
        rf"(?P<mo>\d{{1,2}})/(?P<d>\d{{1,2}})/(?P<y>\d{{4}}),?\s(?P<h>\d{{1,2}}):(?P<mi>\d{{2}}):(?P<s>\d{{2}})"
        rf"(?:[.,](?P<f>\d{{1,9}}))?(?:\s(?P<ap>[AaPp][Mm])\b)?{_ZONE}",
        # 01.03.2024 10:00:00.250 · 01-03-2024 10:00:00,250 (dots and dashes: the day comes first)
        rf"(?P<d>\d{{1,2}})(?P<sep>[.-])(?P<mo>\d{{1,2}})(?P=sep)(?P<y>\d{{4}}),?\s{_CLOCK}{_ZONE}",
        # 12 Nov 2022 10:00:00,123 · 12/Nov/2022:10:00:00 +0000 · 12-Nov-2022 10:00:00.123
        rf"(?:[A-Z][a-z]{{2}},\s)?(?P<d>\d{{1,2}})[-/\s](?P<mon>[A-Z][a-z]{{2}})[-/\s](?P<y>\d{{4}})[:\s]{_CLOCK}{_ZONE}",
        # Fri Mar 01 10:00:00 UTC 2024 (date, Java's Date)
        rf"(?:[A-Z][a-z]{{2}},?\s)?(?P<mon>[A-Z][a-z]{{2}})\s+(?P<d>\d{{1,2}})\s{_CLOCK}"
        r"\s(?P<z>[A-Z]{3,4})\s(?P<y>\d{4})",
        # Nov 12, 2022 10:00:00 AM · Tue Nov 12 10:00:00 2022 · Nov 12 10:00:00 (syslog: the year is missing)
        r"(?:[A-Z][a-z]{2},?\s)?(?P<mon>[A-Z][a-z]{2})\s+(?P<d>\d{1,2}),?\s(?:(?P<y>\d{4}),?\s(?:@\s)?)?"
        r"(?P<h>\d{1,2}):(?P<mi>\d{2}):(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?(?:\s(?P<ap>[AaPp][Mm])\b)?(?:\s(?P<y2>\d{4}))?",
        # 19/01/29 14:35:20 (Spark: the year has two digits and comes first)
        rf"(?P<yy>\d{{2}})/(?P<mo>\d{{2}})/(?P<d>\d{{2}})\s{_CLOCK}",
        # 20240301T100000.250Z
        r"(?P<y>\d{4})(?P<mo>\d{2})(?P<d>\d{2})[T\s-](?P<h>\d{2})(?P<mi>\d{2})(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?"
        rf"(?!\d){_ZONE}",
        # 20221112 10:00:00.123 · I20221112 10:00:00.123 (glog)
        rf"[IWEF]?(?P<y>\d{{4}})(?P<mo>\d{{2}})(?P<d>\d{{2}})[T\s-]{_CLOCK}{_ZONE}",
        # I1112 10:00:00.123456 (glog, klog: the year is missing)
        rf"[IWEFD](?P<mo>\d{{2}})(?P<d>\d{{2}})\s{_CLOCK}",
        # 1681132527138000000 (nanoseconds), 1681132527138000
        r"(?P<e>\d{10})(?P<ef>\d{6}|\d{9})(?![\d.:/-])",
        # [1681132527.138] · 1681132527138 · 1681132527
        # but no 2147483646, which is a coordinator's id, counted down from the largest number of 32 bits
        r"(?!21474\d{5}\b)(?P<e>\d{10})(?:[.,](?P<ef>\d{1,9})|(?P<em>\d{3}))?(?![\d.:/-])",
    )
)
_BEGIN = re.compile(r"[IWEFD]?\d|[A-Z][a-z]{2}[,\s]")
"""How each of these shapes begins, and a time of day; other text is not compared with all of them."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK_ONLY = re.compile(rf"{_CLOCK}(?![\d:])")


_EARLIEST, _LATEST = -62_000_000_000_000, 253_000_000_000_000
"""Milliseconds since 1970: the years 5 and 9987, so that zones and differences of clocks stay within the calendar."""

_ZONE_NAME = re.compile(
    r"(?:(?:date|event|log|local|utc|gmt)_?)?(?:time_?)?(?:zone|tz)(?:_?(?:id|name|offset|info))?"
    r"|(?:utc|gmt|zone)_?offset",
    re.IGNORECASE,
)
_OFFSET = re.compile(r"(?:UTC|GMT|Z|Etc/UTC)|(?:UTC|GMT)?(?P<sign>[+-])(?P<h>\d{1,2})(?::?(?P<m>[0-5]\d))?")
_LONGEST_ZONE = 60


class Stamp(NamedTuple):
    """A timestamp as printed: `ms` since 1970 as if it were UTC, or None where the year or the day is missing.

    `zoned` is True where the text itself says how far from UTC it is (then `ms` is UTC). `clock_ms`: of a time of day,
    the milliseconds since midnight; `without_year`: the rest of a time, in the year 2000; `zone`: that which the record
    names beside it; `resolution_ms`: that of the time, if fewer than three digits behind the second are there, else 0.
    """

    ms: int | None
    zoned: bool
    clock_ms: int | None = None
    without_year: datetime | None = None
    zone: tzinfo | None = None
    resolution_ms: int = 0

    @property
    def multiple_ms(self) -> int:
        """The most of 1, 10, 100, 1,000 and 60,000 of which the time is a multiple."""
        ms = self.clock_ms if self.ms is None else self.ms
        if ms is None and self.without_year is not None:
            ms = self.without_year.second * 1_000 + self.without_year.microsecond // 1_000
        if ms is None or ms % 10:
            return 1
        return next(each for each in (60_000, 1_000, 100, 10) if ms % each == 0)


def read_stamp(text: str, start: int) -> tuple[Stamp, int] | None:
    """The timestamp that begins exactly at `start`, and where it ends; None if none of the known shapes is there."""
    if _BEGIN.match(text, start) is None:
        return None
    for shape in _SHAPES:
        found = shape.match(text, start)
        if found is not None:
            stamp = _stamp(found)
            if stamp is not None:
                return stamp, found.end()
    found = _CLOCK_ONLY.match(text, start)
    if found is None:
        return None
    return Stamp(None, False, _clock_ms(found), resolution_ms=_resolution(found["f"])), found.end()


def _clock_ms(found: re.Match[str]) -> int:
    """Milliseconds since midnight; a zone is left to `--tz`, like that of a time without one."""
    hours, minutes, seconds = int(found["h"]), int(found["mi"]), int(found["s"])
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + _millis(found["f"] or "0")


def read_number(value: float) -> Stamp | None:
    """A time given as a number: seconds, milliseconds, microseconds or nanoseconds since 1970, by its size."""
    for limit, per_ms in ((1e11, 1e-3), (1e14, 1.0), (1e17, 1e3), (1e20, 1e6)):
        if 1e8 < value < limit:
            coarse_ms = _resolution("") if per_ms < 1 and value.is_integer() else 0
            return Stamp(round(value / per_ms), True, resolution_ms=coarse_ms)
    return None


def _stamp(found: re.Match[str]) -> Stamp | None:
    parts = found.groupdict()
    if parts.get("e"):
        fraction = parts["ef"] or parts.get("em")
        return Stamp(int(parts["e"]) * 1000 + _millis(fraction or "0"), True, resolution_ms=_resolution(fraction))
    year = parts.get("y") or parts.get("y2") or (f"20{parts['yy']}" if parts.get("yy") else None)
    month = int(parts["mo"]) if parts.get("mo") else _MONTHS.get((parts.get("mon") or "").lower())
    if month is None:
        return None
    day = int(parts["d"])
    if month > 12 >= day and "/" in found[0]:
        month, day = day, month  # 25/12/2024: no month is the 25th
    hour = int(parts["h"])
    if parts.get("ap"):
        hour = hour % 12 + (12 if parts["ap"].lower() == "pm" else 0)
    midnight = _midnight(int(year or 2000), month, day)
    minute = int(parts["mi"])
    if midnight is None or hour > 23 or minute > 59:
        return None
    fraction = parts.get("f")
    seconds = (hour * 60 + minute) * 60 + min(int(parts["s"]), 59)
    ms = midnight + seconds * 1000 + _millis(fraction or "0")
    if year is None:
        without_year = _EPOCH + timedelta(milliseconds=ms)
        return Stamp(None, False, without_year=without_year, resolution_ms=_resolution(fraction))
    zone = parts.get("z")
    if not zone or (zone.isalpha() and zone not in _NAMED and zone not in ("Z", "UTC", "GMT")):
        return Stamp(ms, False, resolution_ms=_resolution(fraction))
    return Stamp(ms - _offset_ms(zone), True, resolution_ms=_resolution(fraction))


@lru_cache(maxsize=256)
def _midnight(year: int, month: int, day: int) -> int | None:
    """Milliseconds since 1970 of a day; None for one that no calendar has."""
    try:
        return _since_epoch(datetime(year, month, day, tzinfo=UTC))
    except ValueError:
        return None


def _resolution(fraction: str | None) -> int:
    digits = len(fraction or "")
    return 10 ** (3 - digits) if digits < 3 else 0


def _millis(fraction: str) -> int:
    return int((fraction + "00")[:3])


def _since_epoch(moment: datetime) -> int:
    gone = moment - _EPOCH
    return (gone.days * 86_400 + gone.seconds) * 1000 + gone.microseconds // 1000


def _offset_ms(zone: str) -> int:
    zone = _NAMED.get(zone, zone)
    if zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:4])
    return (minutes if zone[0] == "+" else -minutes) * 60_000


def parse_zone(name: str | None) -> tzinfo | None:
    """The zone `name` means (`Europe/Berlin`, `UTC`, `+02:00`); None for None. Raises LogError if there is none."""
    if name is None:
        return None
    try:
        if re.fullmatch(r"[+-]\d{2}:?\d{2}", name):
            return timezone(timedelta(milliseconds=_offset_ms(name)))  # ValueError for a day and more
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, ModuleNotFoundError):
        shown = name if len(name) <= _LONGEST_ZONE else name[: _LONGEST_ZONE - 1] + "…"
        raise LogError(f"there is no time zone {shown!r}; give one as Europe/Berlin, UTC or +02:00") from None


def is_zone_name(name: str) -> bool:
    """Whether a field of this name may hold the zone of the time beside it."""
    return _ZONE_NAME.fullmatch(name) is not None


@lru_cache(maxsize=256)
def zone_named(text: str) -> tzinfo | None:
    """The zone that a field holds (`Europe/Berlin`, `+0200`, `UTC+2`); None for anything else."""
    found = _OFFSET.fullmatch(text.strip())
    if found is not None and found["sign"]:
        minutes = int(found["h"]) * 60 + int(found["m"] or 0)
        return timezone(timedelta(minutes=minutes if found["sign"] == "+" else -minutes)) if minutes < 1440 else None
    if found is not None:
        return UTC
    if text.strip() in _NAMED:
        return zone_named(_NAMED[text.strip()])
    if "/" not in text or len(text) > _LONGEST_ZONE:
        return None  # `EST` and the like mean several zones
    try:
        return ZoneInfo(text.strip())
    except (ZoneInfoNotFoundError, ValueError, OSError, ModuleNotFoundError):
        return None


def to_utc(stamp: Stamp, zone: tzinfo | None) -> int | None:
    """UTC milliseconds since 1970; what has no zone of its own is taken to be in `zone`, or in UTC.

    None for a time that is missing, and for one that no calendar has. Of an hour that comes twice, the first.
    """
    if stamp.ms is None or not _EARLIEST < stamp.ms < _LATEST:
        return None
    zone = stamp.zone or zone
    return stamp.ms if stamp.zoned or zone is None else in_utc(stamp.ms, zone)


def in_utc(local_ms: int, zone: tzinfo, fold: int = 0) -> int:
    """UTC milliseconds of a local time; `fold` 1: if the clock shows it twice, the second time."""
    naive = _EPOCH + timedelta(milliseconds=local_ms)
    return _since_epoch(naive.replace(tzinfo=zone, fold=fold).astimezone(UTC))


def iso(ms: int) -> str:
    """`2020-08-03T09:27:51.537Z` from UTC milliseconds since 1970."""
    return (_EPOCH_UTC + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds") + "Z"


@lru_cache(maxsize=65_536)
def instant(text: str) -> int:
    """UTC milliseconds since 1970 from what `iso` wrote."""
    return _since_epoch(datetime.fromisoformat(text))


def moment(text: str, option: str) -> str:
    """An instant as a user writes it (`2024-03-01T10:00`, `2024-03-01`; UTC without a zone), as rows have it.

    Raises LogError.
    """
    try:
        if _DAY.fullmatch(text):
            text += " 00:00"
        has_zone = text.endswith("Z") or "+" in text[10:] or "-" in text[10:]
        return iso(instant(text if has_zone else text + "Z"))
    except (ValueError, OverflowError):
        raise LogError(f"{option} {text!r} is no instant; write it as 2024-03-01T10:00:00, in UTC") from None
