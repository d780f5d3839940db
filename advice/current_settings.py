"""What is set now: which choices change least of it, and whether a choice is better by enough to be worth a change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from groupsim.advice.choices import Choice
from groupsim.advice.selection import Goal, Row

LEAST_MS, LEAST = 500, 0.5
"""A smaller gain is hardly anything: of times (and partition-times) in ms, and of what is counted."""


@dataclass(frozen=True, slots=True)
class Present:
    """By choice: how many of its values are not those that are set now; how far its numbers are from those, as ratios.

    The ratio of 1,000 ms to 2,000 ms is as far as that of 2,000 ms to 4,000 ms.
    """

    changed: Sequence[int]
    apart: Sequence[float]

    @property
    def order(self) -> list[int]:
        """The choices, the smallest change first."""
        return sorted(range(len(self.changed)), key=lambda i: (self.changed[i], self.apart[i], i))

    @property
    def own(self) -> int | None:
        """The choice that is set now; None if it is not among them."""
        return next((i for i, changed in enumerate(self.changed) if changed == 0), None)


NOTHING_SET = Present((), ())
"""Where it is not known what is set."""


def of_values(values: Mapping[str, str], choices: Sequence[Choice]) -> Present:
    """Of settings by name, as text; a setting whose value is not known counts as changed by every choice."""
    changed = [sum(key not in values or not _same(value, values[key]) for key, value in c.items()) for c in choices]
    return Present(changed, [apart(values, choice) for choice in choices])


def apart(values: Mapping[str, str], choice: Choice) -> float:
    """How far the numbers of a choice are from those that are set now."""
    found = ((_number(value), _number(values.get(key, ""))) for key, value in choice.items())
    return math.fsum(abs(math.log(own / now)) for own, now in found if own is not None and now is not None)


def _same(one: str, other: str) -> bool:
    return one.lower() == other.lower() or (_number(one) is not None and _number(one) == _number(other))


def _number(text: str) -> float | None:
    """A number above 0."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 0 < found < math.inf else None


def least(name: str) -> float:
    """Less of this measure is hardly anything."""
    return LEAST_MS if name.endswith("_ms") else LEAST


def is_worth_it(rows: Sequence[Row], now: Sequence[Row], goal: Goal) -> bool:
    """Whether a choice is better than the settings as they are, in the mean, by more than the zone and than `least`.

    Under the same seeds. Also where the settings as they are do not keep the bounds.
    """
    if any(fmean(row[name] for row in now) > most for name, most in goal.bounds.items()):
        return True
    name = goal.minimise
    gain = fmean(was[name] - row[name] for row, was in zip(rows, now, strict=False))
    return gain > max(goal.indifference * abs(fmean(row[name] for row in now)), least(name))
