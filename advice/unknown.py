"""What nobody knows of the world: parameters that are drawn anew under each seed, alike for all choices.

The draws are evenly spread however many there are (Halton's sequence: van der Corput's in another prime base for each
parameter, turned by a random share of the range: Cranley and Patterson 1976). Independent draws leave out the eighth of
a range in which another choice is better in every second advice that ends after five. Replays draw what a record leaves
open by steps of irrational numbers, on which these do not depend.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import isqrt, log
from random import Random

from groupsim.advice.errors import AdviceError

_RANGE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\.\.(\d{1,15}(?:\.\d{1,9})?)")


@dataclass(frozen=True, slots=True)
class Range:
    """Values from `low` to `high`; `whole`: only whole ones. Drawn evenly as ratios, where `low` is above 0."""

    low: float
    high: float
    whole: bool

    def at(self, share: float) -> str:
        """The value so far (0 to 1) from the low to the high end, as text."""
        low, high = self.low, self.high
        value = low * (high / low) ** share if low > 0 else low + share * (high - low)
        return str(round(value)) if self.whole else f"{value:.6g}"

    def share(self, value: float) -> float:
        """How far (0 to 1) a value is from the low to the high end: of `at` the other way round."""
        low, high = self.low, self.high
        return log(value / low) / log(high / low) if low > 0 else (value - low) / (high - low)

    def steps(self, count: int) -> list[str]:
        """So many values, evenly apart, the ends included; each once."""
        return list(dict.fromkeys(self.at(i / (count - 1)) for i in range(count)))


Unknown = Mapping[str, Range]


def parse(text: str, option: str) -> Range | None:
    """`LOW..HIGH`; None for another text. Raises AdviceError where the ends are not in order."""
    found = _RANGE.fullmatch(text)
    if found is None:
        return None
    low, high = float(found[1]), float(found[2])
    if not low < high:
        raise AdviceError(f"{option} {text}: the first end must be below the second")
    return Range(low, high, whole="." not in found[1] + found[2])


def unknown(texts: Sequence[str]) -> dict[str, Range]:
    """`KEY=LOW..HIGH` texts as ranges by key. Raises AdviceError."""
    found: dict[str, Range] = {}
    for text in texts:
        key, equals, rest = text.partition("=")
        between = parse(rest, "--unknown") if key and equals else None
        if between is None:
            raise AdviceError(f"--unknown {text!r}: expected KEY=LOW..HIGH")
        if key in found:
            raise AdviceError(f"--unknown {key!r} is given twice")
        found[key] = between
    return found


def drawn(ranges: Unknown, nth: int, first_seed: int = 0) -> dict[str, str]:
    """The values of the `nth` seed, from 0, of an advice that begins with `first_seed`."""
    found = {}
    for key, between, base in zip(ranges, ranges.values(), _primes(), strict=False):
        turned = Random(f"{first_seed}/{key}").random()
        found[key] = between.at((_mirrored(nth, base) + turned) % 1)
    return found


def _mirrored(number: int, base: int) -> float:
    """The digits of a whole number in reverse order, behind the point."""
    mirrored, place = 0.0, 1.0
    while number:
        number, digit = divmod(number, base)
        place /= base
        mirrored += digit * place
    return mirrored


def _primes() -> Iterator[int]:
    return (n for n in count(2) if all(n % d for d in range(2, isqrt(n) + 1)))
