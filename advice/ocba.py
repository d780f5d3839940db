"""Optimal computing budget allocation: more runs for the choices that are hard to tell from the best.

Source: C.-H. Chen, J. Lin, E. Yücesan, S. E. Chick, Simulation Budget Allocation for Further Enhancing the Efficiency
of Ordinal Optimization (2000), and the procedure that Chen and Lee published with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def allocation(means: Sequence[float], variances: Sequence[float], runs: Sequence[int], more: int) -> list[int]:
    """How many of `more` runs each choice gets; `runs` it has had. The smallest mean is the best.

    A choice that has had more than its share gets none, and the others share what is left. Choices as good as the best
    count as hardly worse than it. The sum is `more`.
    """
    best = min(range(len(means)), key=lambda i: (means[i], i))
    if len(means) == 1:
        return [more]
    ratio = _ratios(means, variances, best)
    total = more + sum(runs)
    share = [0] * len(means)
    open_ = set(range(len(means)))
    while True:
        left = total - sum(share[i] for i in range(len(means)) if i not in open_)
        weight = math.fsum(ratio[i] for i in open_)
        over = []
        for i in sorted(open_):
            share[i] = int(left / weight * ratio[i]) if weight else left // len(open_)
            if share[i] < runs[i]:
                share[i] = runs[i]
                over.append(i)
        if not over:
            break
        open_ -= set(over)
        if not open_:
            break
    share[best] += total - sum(share)
    return [given - had for given, had in zip(share, runs, strict=True)]


def _ratios(means: Sequence[float], variances: Sequence[float], best: int) -> list[float]:
    """Runs of each choice, as a multiple of those of one of them: its variance over its distance squared."""
    others = [i for i in range(len(means)) if i != best]
    nearest = min(means[i] for i in others) - means[best]
    least = max(nearest, 1e-9 * max(1.0, abs(means[best])))
    spread = [max(v, 1e-12) for v in variances]
    ratio = [0.0] * len(means)
    for i in others:
        distance = max(means[i] - means[best], least)
        ratio[i] = spread[i] / distance**2
    ratio[best] = math.sqrt(spread[best] * math.fsum(ratio[i] ** 2 / spread[i] for i in others))
    return ratio
