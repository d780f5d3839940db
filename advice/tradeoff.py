"""Several measures to make small together, in one sentence."""

from __future__ import annotations

from groupsim.advice.advice import Advice
from groupsim.advice.amounts import amount
from groupsim.advice.choices import in_words
from groupsim.advice.pareto import Front
from groupsim.wording.numbers import probability

NAMED = 6
"""So many choices are named in the sentence."""


def tradeoff(advice: Advice, front: Front, used: str) -> str:
    """Which choices no other beats, and what each costs, the cheapest in the first measure first."""
    found = advice.selection
    said = f"with probability at least {probability(found.confidence)}"
    if not found.reached:
        said = f"so far, with probability about {probability(found.confidence)}"
    number = len(front.members)
    none = "One choice is" if number == 1 else f"{number} choices are"
    wanted = " and ".join(front.names)
    named = [f"{_named(advice, front, i)} ({_costs(front, advice.means(i))})" for i in front.members[:NAMED]]
    more = f", and {number - NAMED} more" if number > NAMED else ""
    sentence = (
        f"{none} beaten by no other of {len(advice.choices)} in {wanted} {said}, within"
        f" {advice.goal.indifference:.0%}: {', '.join(named)}{more}; {used}."
    )
    if advice.before is not None:
        settings = "the settings as they are" if advice.record is None else "the settings of the record"
        sentence += f" With {settings}: {_costs(front, advice.before)}."
    return sentence


def _named(advice: Advice, front: Front, member: int) -> str:
    others = len(front.alike[member])
    return in_words(advice.choices[member]) + (f" or {others} alike" if others else "")


def _costs(front: Front, means: dict[str, float]) -> str:
    return ", ".join(amount(name, means[name]) for name in front.names)
