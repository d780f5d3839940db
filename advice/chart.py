"""A flip as a small chart of characters: what each choice costs at some values of something unknown."""

from __future__ import annotations

from groupsim.advice.advice import Advice, Along
from groupsim.advice.choices import in_words
from groupsim.analysis.tables.amounts import scaled, unit

WIDTH = 40
_LETTERS = "ABCDEFGH"


def chart(advice: Advice, along: Along) -> list[str]:
    """A line per value: a letter per choice, further to the right where it costs more; those with a flip, and the best.

    Where two fall on one place, the cheaper one is shown. The figures follow, cheapest first.
    """
    name = advice.goal.minimise
    best = advice.selection.evidence.best if advice.selection.evidence is not None else along.flips[0].before
    shown = list(dict.fromkeys([best, *(i for flip in along.flips for i in (flip.before, flip.after))]))
    letters = dict(zip(shown, _LETTERS, strict=False))
    most = max(means[i] for means in along.means.values() for i in letters if i in means) or 1
    longest = max(map(len, along.means))
    lines = [f"{unit(name)} by {along.key}:"]
    lines += [f"  {letter} is {in_words(advice.choices[i])}" for i, letter in letters.items()]
    for value, means in along.means.items():
        places = [" "] * (WIDTH + 1)
        ranked = sorted((i for i in letters if i in means), key=lambda i: means[i])
        for i in reversed(ranked):
            places[round(means[i] / most * WIDTH)] = letters[i]
        figures = "  ".join(f"{letters[i]} {scaled(name, means[i]):,.1f}" for i in ranked)
        lines.append(f"  {value:>{longest}} │{''.join(places)}│ {figures}")
    return lines
