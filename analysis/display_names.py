"""Names, numbers and durations as people read them. Control characters in names are shown as escapes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from groupsim.storage.log_gaps import Precision

LONGEST = 200


def plain(value: object) -> str:
    """Text without control characters: each is shown as an escape sequence. "" for None."""
    text = "" if value is None else str(value)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(value: object, longest: int = LONGEST) -> str:
    """The same, cut in the middle to `longest` characters before."""
    text = "" if value is None else str(value)
    if len(text) > longest:
        head = longest // 2
        text = f"{text[:head]}…{text[head + 1 - longest :]}"
    return plain(text)


def counted(number: int, what: str) -> str:
    """`1 partition`, `2 partitions`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def bounds(at_least_ms: int, at_most_ms: int | None, known_share: float | None = None) -> str:
    """`, at least 6.4 and at most 52.0 partition-seconds`: what is known of an unknown total; may be empty.

    `known_share` (0-1), if given, is said where there are both bounds.
    """
    if at_most_ms is not None:
        known = "" if known_share is None else f" ({100 * known_share:.0f} % of all partition time is known)"
        return f", at least {at_least_ms / 1_000:,.1f} and at most {at_most_ms / 1_000:,.1f} partition-seconds{known}"
    if at_least_ms < 100:
        return ""
    return f", at least {at_least_ms / 1_000:,.1f} partition-seconds, with no upper bound"


def inexact_sentence(precision: Precision | None, at_least_ms: int, at_most_ms: int | None) -> str:
    """Why a total that is known is not exact, with its bounds. `precision`: None if the times are not the reason."""
    known = bounds(at_least_ms, at_most_ms)
    if precision is None:
        return f"some members have no log: the total {f'is{known[1:]}' if known else 'has no upper bound'}"
    if not precision.ms:
        return f"{precision.why()}{known or ', with no upper bound'}"
    return f"{precision.why()}: the total {f'is{known[1:]}' if known else 'has no upper bound'}"


def is_near(total_ms: int, at_least_ms: int, at_most_ms: int | None) -> bool:
    """Whether a total that rests on inexact times can be shown beside its bounds, and not they alone.

    Not if it is itself a bound, or has one beyond half or double of it.
    """
    if at_most_ms is None:
        return True
    near = near_word(total_ms, at_least_ms, at_most_ms) == "about"
    return near and total_ms <= 2 * at_least_ms and at_most_ms <= 2 * total_ms


def near_word(total_ms: int, at_least_ms: int, at_most_ms: int | None) -> str:
    """What is said of a total that rests on inexact times: `about`, or `at most`, `at least` if it is shown as that."""
    shown_ms = [f"{each / 1_000:.1f}" for each in (total_ms, at_least_ms, at_most_ms or 0)]
    if at_most_ms is not None and shown_ms[2] == shown_ms[0]:
        return "at most"
    return "at least" if shown_ms[1] == shown_ms[0] else "about"


def duration(ms: float) -> str:
    """Milliseconds for people: `340 ms`, `12.3 s`, `10m00s`, `2h05m`."""
    if ms < 1_000:
        return f"{ms:,.0f} ms"
    if ms < 100_000:
        return f"{ms / 1_000:,.1f} s"
    minutes, rest = divmod(round(ms / 1_000), 60)
    return f"{minutes}m{rest:02d}s" if minutes < 60 else f"{minutes // 60:,}h{minutes % 60:02d}m"


def moment(ms: int, origin: str | None) -> str:
    """`4m02s` into a run, or the instant of a recorded one, which began at `origin`."""
    if origin is None:
        return duration(ms)
    at = datetime.fromisoformat(origin).astimezone(UTC) + timedelta(milliseconds=ms)
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1_000:03d} UTC"
