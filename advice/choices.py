"""The choices among which an advice is sought: every combination of the values of some settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

from groupsim.advice.errors import AdviceError
from groupsim.advice.unknown import Range, parse

STEPS = 6
"""Values of a range where it is not searched, evenly apart as ratios, the ends included."""
Choice = dict[str, str]
Space = Mapping[str, Sequence[str] | Range]
"""By setting: its values, or a range of them."""


def vary(texts: Sequence[str]) -> dict[str, list[str] | Range]:
    """`KEY=V1,V2` texts as values by key and `KEY=LOW..HIGH` as ranges, in order. Raises AdviceError."""
    found: dict[str, list[str] | Range] = {}
    for text in texts:
        key, equals, rest = text.partition("=")
        if not equals or not key or not rest:
            raise AdviceError(f"--vary {text!r}: expected KEY=V1,V2,... or KEY=LOW..HIGH")
        if key in found:
            raise AdviceError(f"--vary {key!r} is given twice")
        values = rest.split(",")
        if "" in values or len(set(values)) < len(values):
            raise AdviceError(f"--vary {text!r}: every value once, none empty")
        found[key] = parse(rest, f"--vary {key}") or values
    return found


def combinations(space: Space) -> list[Choice]:
    """Every combination, the last key changing fastest; of a range STEPS values."""
    lists = [values.steps(STEPS) if isinstance(values, Range) else values for values in space.values()]
    return [dict(zip(space, chosen, strict=True)) for chosen in product(*lists)]


def corners(space: Space) -> list[Choice]:
    """The combinations of the ends of each range, and of the least and the greatest of numbers; of words the first."""
    ends: dict[str, list[str]] = {}
    for key, values in space.items():
        if isinstance(values, Range):
            ends[key] = [values.at(0.0), values.at(1.0)]
        elif all(value.isascii() and value.isdigit() for value in values):
            ends[key] = sorted({min(values, key=int), max(values, key=int)})
        else:
            ends[key] = list(values[:1])
    return combinations(ends)


def in_words(choice: Mapping[str, str]) -> str:
    """`assignor=range session.timeout.ms=6000`."""
    return " ".join(f"{key}={value}" for key, value in choice.items())


def together(choice: Mapping[str, str]) -> str:
    """The same in a sentence: `assignor=range and session.timeout.ms=6000`."""
    *others, last = (f"{key}={value}" for key, value in choice.items())
    return " and ".join(filter(None, [", ".join(others), last]))


def main_effects(choices: Sequence[Choice], means: Sequence[float]) -> dict[str, float]:
    """How much of the differences between the choices each key explains alone, 0 to 1, largest first.

    The variance of the mean of each value, as a share of the variance of all choices.
    """
    centre = math.fsum(means) / len(means)
    whole = math.fsum((m - centre) ** 2 for m in means)
    found = {}
    for key in choices[0]:
        by_value: dict[str, list[float]] = {}
        for choice, mean in zip(choices, means, strict=True):
            by_value.setdefault(choice[key], []).append(mean)
        between = math.fsum(len(group) * (math.fsum(group) / len(group) - centre) ** 2 for group in by_value.values())
        found[key] = between / whole if whole else 0.0
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def front(means: Sequence[Mapping[str, float]], names: Sequence[str]) -> list[int]:
    """The choices that no other beats in all of the measures (Pareto), by the first measure."""

    def beaten(i: int) -> bool:
        mine = [means[i][name] for name in names]
        return any(_beats([other[name] for name in names], mine) for j, other in enumerate(means) if j != i)

    return sorted((i for i in range(len(means)) if not beaten(i)), key=lambda i: (means[i][names[0]], i))


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and list(one) != list(other)
