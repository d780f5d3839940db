"""Numbers as people read them: seconds and partition-seconds, counts, percentages, ranges."""

from __future__ import annotations

from collections.abc import Sequence


def seconds(ms: float, digits: int = 1) -> str:
    """Milliseconds, or partition-milliseconds, in seconds: the number alone.

    >>> seconds(1_234_567)
    '1,234.6'
    >>> seconds(1_234_567, digits=3)
    '1,234.567'
    """
    return f"{ms / 1_000:,.{digits}f}"


def seconds_range(ms: Sequence[float]) -> str:
    """The least and the greatest of some milliseconds in seconds, without a unit; see `ranged`.

    >>> seconds_range([9_000, 7_800, 8_100])
    '7.8 to 9.0'
    >>> seconds_range([7_801, 7_802])
    '7.8'
    """
    return ranged(seconds(min(ms)), seconds(max(ms)))


def two_digits(ms: float) -> str:
    """Milliseconds, or partition-milliseconds, in seconds with two digits: an amount that is known about so well.

    >>> two_digits(24_140), two_digits(608_064), two_digits(7_649), two_digits(340)
    ('24', '610', '7.6', '0.3')
    """
    rounded = float(f"{ms / 1_000:.1e}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:.1f}"


def about_instead(ms: Sequence[float], before_ms: float) -> str:
    """Amounts of partition-milliseconds beside another one, as the first sentence of an answer says them.

    >>> about_instead([7_600, 9_400], 24_140)
    'about 7.6 to 9.4 instead of 24 partition-seconds'
    """
    return (
        f"about {ranged(two_digits(min(ms)), two_digits(max(ms)))} instead of {two_digits(before_ms)} partition-seconds"
    )


def partition_seconds(partition_ms: float, digits: int = 1) -> str:
    """Partition-milliseconds, with the unit.

    >>> partition_seconds(722_512)
    '722.5 partition-seconds'
    """
    return f"{seconds(partition_ms, digits)} partition-seconds"


def partition_time(partition_ms: int) -> str:
    """The same, with all its digits where it is less than a tenth, so that little is not shown as 0.0.

    >>> partition_time(722_512), partition_time(892), partition_time(40), partition_time(0)
    ('722.5 partition-seconds', '0.9 partition-seconds', '0.04 partition-seconds', '0.0 partition-seconds')
    """
    return f"{partition_ms / 1_000:g} partition-seconds" if 0 < partition_ms < 100 else partition_seconds(partition_ms)


def counted(number: int, noun: str) -> str:
    """A number with its noun, which has an `s` unless the number is 1.

    >>> counted(1, "partition"), counted(0, "line"), counted(12_000, "fact")
    ('1 partition', '0 lines', '12,000 facts')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def often(times: int) -> str:
    """How often, behind a verb: `twice`, `3 times`; nothing for once, with a space before it.

    >>> often(1), often(2), often(3)
    ('', ' twice', ' 3 times')
    """
    return "" if times < 2 else " twice" if times == 2 else f" {times} times"


def ranged(low: str, high: str) -> str:
    """Two numbers that are written already; one of them where they look the same.

    >>> ranged("7.8", "9.0"), ranged("7.8", "7.8")
    ('7.8 to 9.0', '7.8')
    """
    return low if low == high else f"{low} to {high}"


def with_range(median: str, least: str, most: str, *, to: str = " to ") -> str:
    """A median that is written already, with the least and the most behind it, unless these look the same.

    >>> with_range("24.4", "23.2", "26.4"), with_range("24", "23", "26", to="–"), with_range("7", "7", "7")
    ('24.4 (23.2 to 26.4)', '24 (23–26)', '7')
    """
    return median if least == most else f"{median} ({least}{to}{most})"


def percent(share: float, digits: int = 0) -> str:
    """A share (0 to 1).

    >>> percent(0.257), percent(0.0371, digits=2)
    ('26 %', '3.71 %')
    """
    return f"{share * 100:.{digits}f} %"


def short_percent(share: float) -> str:
    """A share (0 to 1), with two significant digits.

    >>> short_percent(0.257), short_percent(0.0851), short_percent(0.00036)
    ('26 %', '8.5 %', '0.036 %')
    """
    return percent(share) if share * 100 >= 10 else f"{share * 100:.2g} %"


def percent_change(quotient: float | None) -> str | None:
    """By how much something is more or less than another, from their quotient; None of None. 0 has no sign.

    >>> percent_change(0.53), percent_change(1.2), percent_change(1.001)
    ('−47 %', '+20 %', '0 %')
    """
    return None if quotient is None else f"{_signed(quotient)} %"


def percent_change_range(quotients: tuple[float, float]) -> str:
    """The same of the least and the greatest quotient, what is nearer to 0 first where both have one sign.

    >>> percent_change_range((0.4, 0.7)), percent_change_range((0.9, 1.3)), percent_change_range((0.5, 0.501))
    ('−30 to −60 %', '−10 to +30 %', '−50 %')
    """
    one_side = (quotients[0] - 1) * (quotients[1] - 1) >= 0
    nearer, further = sorted(quotients, key=lambda quotient: abs(quotient - 1)) if one_side else quotients
    return f"{ranged(_signed(nearer), _signed(further))} %"


def probability(value: float) -> str:
    """Two digits, never rounded up to what is not known.

    >>> probability(0.999), probability(0.957)
    ('0.99', '0.95')
    """
    return f"{min(int(value * 100), 99) / 100:.2f}"


def _signed(quotient: float) -> str:
    by_percent = round((quotient - 1) * 100)
    return f"{by_percent:+,}".replace("-", "−") if by_percent else "0"
