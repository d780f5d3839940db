"""The first sentence of an advice: what to take or to keep, what that costs, and how sure it is."""

from __future__ import annotations

import math

from groupsim.advice.advice import Advice
from groupsim.advice.amounts import amount, short
from groupsim.advice.choices import in_words
from groupsim.advice.current_settings import least
from groupsim.advice.tradeoff import tradeoff
from groupsim.wording.lists import capital
from groupsim.wording.numbers import probability


def decision(advice: Advice) -> str:
    """Take a choice, or keep what is set now, where no choice is better by enough to be worth a change."""
    found, goal = advice.selection, advice.goal
    used = f"used {advice.runs:,} of {advice.of_runs:,} runs"
    if advice.tradeoff is not None and advice.tradeoff.members:
        return tradeoff(advice, advice.tradeoff, used)
    if found.evidence is None:
        wanted = " and ".join(f"{name} <= {most:g}" for name, most in goal.bounds.items())
        sure = (
            f"probability at least {probability(found.confidence)}" if found.reached else "but more runs may find one"
        )
        return f"No choice keeps {wanted} ({sure}; {used})."
    value = amount(goal.minimise, found.evidence.mean)
    chosen = in_words(advice.choices[found.evidence.best])
    if advice.is_present:
        return f"Keep {chosen}, {_as_it_is(advice)}: {value}; best {_sure(advice)}; {used}."
    if advice.keeps:
        return f"{_keep(advice)} Best {_sure(advice)} is {chosen}: {value}{_change(advice)}, {_enough(advice)}; {used}."
    return f"Take {chosen}: {value}{_instead(advice)}; best {_sure(advice)}; {used}.{_broken(advice)}"


def _broken(advice: Advice) -> str:
    """Which bounds the settings as they are do not keep: so a choice may be taken that costs more."""
    before = advice.before or {}
    broken = [
        f"{name} is {short(name, before[name])}"
        for name, most in advice.goal.bounds.items()
        if before.get(name, most) > most
    ]
    return (
        f" {capital(_as_they_are(advice))} do not keep the bound: {' and '.join(broken)}." if broken and before else ""
    )


def _sure(advice: Advice) -> str:
    """`of 4 with probability at least 0.97, within 5%`."""
    found, number = advice.selection, len(advice.choices)
    within = f"{probability(found.confidence)}, within {advice.goal.indifference:.0%}"
    if found.reached:
        return f"of {number} with probability at least {within}"
    return f"of {number} so far, with probability about {within}"


def _keep(advice: Advice) -> str:
    """What is set now, by the choice that is the same, if there is one."""
    name, own = advice.goal.minimise, advice.present.own
    kept = _as_they_are(advice) if own is None else f"{in_words(advice.choices[own])}, {_as_it_is(advice)}"
    return f"Keep {kept}: {amount(name, (advice.before or {})[name])}."


def _enough(advice: Advice) -> str:
    """Why that is no reason to change anything."""
    if advice.record is not None and advice.record.reliance.only_moves:
        most = math.ceil((advice.before or {})["unpolled_ms"])
        others = f" (--subject-to 'unpolled_ms<={most}' leaves such choices out)" if advice.tried else ""
        return f"which saves nothing: partitions are held instead by processes that are stuck in a batch{others}"
    if advice.change is not None and advice.change.mean >= 0:
        return "which is no gain"
    enough = f"{advice.goal.indifference:.0%} and {amount(advice.goal.minimise, least(advice.goal.minimise))}"
    return f"which is not worth a change: a gain has to be more than {enough}"


def _as_it_is(advice: Advice) -> str:
    return "as it is" if advice.record is None else "as the record has it"


def _as_they_are(advice: Advice) -> str:
    return "the settings as they are" if advice.record is None else "the settings of the record"


def _instead(advice: Advice) -> str:
    """How much that is beside the settings as they are."""
    name, before = advice.goal.minimise, advice.before
    if before is None:
        return ""
    return f" instead of {amount(name, before[name])} with {_as_they_are(advice)}{_change(advice)}"


def _change(advice: Advice) -> str:
    evidence, name, before = advice.selection.evidence, advice.goal.minimise, advice.before
    if evidence is None or before is None or not before[name]:
        return ""
    return f" ({evidence.mean / before[name] - 1:+.0%})"
