"""An advice in sentences: what to take or to keep and how sure that is, and apart from it what that rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from groupsim.advice.advice import Advice, Flip
from groupsim.advice.choices import in_words, together
from groupsim.advice.current_settings import least
from groupsim.advice.evidence import Estimate, Evidence
from groupsim.advice.pareto import Front
from groupsim.analysis.tables.amounts import about, amount, called, in_two_digits, short, unit
from groupsim.replay.reconstruct.inferred_settings.evidence import SESSION
from groupsim.replay.spread import FEWEST, median_interval
from groupsim.replay.verdict import Verdict
from groupsim.simulation.settings import HOST, QUIET_MS
from groupsim.wording.lists import as_sentence, capital
from groupsim.wording.numbers import counted, percent, probability

EIGHT_HOURS_MS = 8 * 3_600_000
NAMED = 6
"""So many choices are named where several measures are to be small together."""


def answer(advice: Advice) -> str:
    """What to take or to keep and how much better it is; then how sure that is, and the drawback."""
    first, *others = _decision(advice)
    warning = _warning(advice)
    if warning and first.startswith(("Keep ", "Take ")):
        first = f"Perhaps {first[0].lower()}{first[1:]}"
    return " ".join(filter(None, [first, warning, *others, *_beside(advice)]))


def rests_on(advice: Advice) -> list[str]:
    """In sentences what the answer rests on, and what else has to be known to decide."""
    used = f"It used {advice.runs:,} of {advice.of_runs:,} runs."
    return [*filter(None, [*_more(advice), _moved(advice), _searched(advice), _one_host(advice)]), used]


def flip_in_words(advice: Advice, flip: Flip) -> tuple[str, str]:
    """On the other side of the flip than most of the advice: when, and which choice is better there."""
    best = advice.selection.evidence.best if advice.selection.evidence is not None else flip.before
    if flip.after == best:
        return f"{flip.key} <= {flip.below}", in_words(advice.choices[flip.before])
    return f"{flip.key} >= {flip.above}", in_words(advice.choices[flip.after])


def unsure(advice: Advice) -> str:
    """Why the seeds do not show that what is taken costs less, without a full stop, by the sign test as in a what-if.

    Empty where they do, or where nothing is taken for its cost. Of a scenario a mean that is surely less is enough.
    """
    change, name = advice.change, advice.goal.minimise
    if change is None or advice.keeps or change.mean >= 0:
        return ""
    moved = [own[name] - was[name] for own, was in zip(advice.selection.chosen_rows, advice.now, strict=False)]
    _, most = median_interval(moved)
    is_less = change.interval()[1] < 0
    if (len(moved) >= FEWEST and most <= 0) or (advice.record is None and is_less):
        drowned = advice.record is not None and advice.record.reliance.verdict == Verdict.NOT_SURE
        return "It is not sure that it helps: it changes no more than the replay is off" if drowned else ""
    less, more = sum(ms < 0 for ms in moved), sum(ms > 0 for ms in moved)
    if not is_less:
        often = f"less in {less} of {counted(len(moved), 'simulation')} and more in {more}"
        saved = f"on average it saved {amount(name, -change.mean)}, which may be chance"
        return f"It is not sure that it helps: it cost {often}; {saved}"
    low, high = (-end for end in reversed(change.interval()))
    saved = f"on average it saved {short(name, low).partition(' ')[0]} to {amount(name, high)}"
    if not more:
        return f"It is not sure that it helps each time: there are only {counted(len(moved), 'simulation')}; {saved}"
    return f"It does not help each time: it cost more in {more} of {counted(len(moved), 'simulation')}, but {saved}"


def _decision(advice: Advice) -> list[str]:
    """Take a choice, or keep what is set now, where no choice is better by enough to be worth a change."""
    selection, goal = advice.selection, advice.goal
    if advice.tradeoff is not None and advice.tradeoff.members:
        return _tradeoff(advice, advice.tradeoff)
    if selection.evidence is None:
        wanted = " and ".join(f"{name} <= {most:g}" for name, most in goal.bounds.items())
        sure = f"{_percent(selection.confidence)} sure." if selection.reached else "More runs may find one."
        return [f"No choice keeps {wanted}.", sure]
    name, evidence = goal.minimise, selection.evidence
    chosen = together(advice.choices[evidence.best])
    if advice.is_present:
        return [f"Keep {chosen}, {_as_it_is(advice)}: {about(name, evidence.mean)}.", _recorded(advice), _sure(advice)]
    if advice.keeps:
        first = f"the best of the {len(advice.choices)} choices, {chosen}," if len(advice.choices) > 1 else chosen
        best = f"{first} has {amount(name, evidence.mean)}{_change(advice)}, {_enough(advice)}"
        return [_keep(advice), _recorded(advice), as_sentence(best), _sure(advice)]
    before = "" if advice.before is None else f"; with the present settings {in_two_digits(name, advice.before[name])}"
    return [f"Take {chosen}: {about(name, evidence.mean)}{before}.", _recorded(advice), _sure(advice), _broken(advice)]


def _warning(advice: Advice) -> str:
    """Why figures or directions are not sure, as a sentence."""
    said = (advice.record.reliance.warning if advice.record is not None else "") or unsure(advice)
    return as_sentence(said) if said else ""


def _broken(advice: Advice) -> str:
    """Which bounds the settings as they are do not keep: so a choice may be taken that costs more."""
    before = advice.before or {}
    broken = [
        f"{name} is {short(name, before[name])}"
        for name, most in advice.goal.bounds.items()
        if before.get(name, most) > most
    ]
    return f"{capital(_as_they_are(advice))} do not keep the bound: {' and '.join(broken)}." if broken else ""


def _sure(advice: Advice) -> str:
    """`At least 97 % sure that this is the best of the 4 choices, or as good as the best (within 5 %).`"""
    selection, number = advice.selection, len(advice.choices)
    good = f"or as good as the best (within {percent(advice.goal.indifference)})"
    sure = f"{_percent(selection.confidence)} sure that this is the best of the {number} choices, {good}"
    return f"At least {sure}." if selection.reached else f"So far about {sure}."


def _recorded(advice: Advice) -> str:
    """The record's total, where it is not what its simulations cost on average: that is what figures compare with."""
    record, before = advice.record, advice.before
    if record is None or before is None or not record.reliance.recorded:
        return ""
    mean = in_two_digits(advice.goal.minimise, before[advice.goal.minimise])
    return f"What was recorded is {record.reliance.recorded}; {mean} is the average of its simulations."


def _percent(confidence: float) -> str:
    """Never rounded up to what is not known."""
    return f"{round(100 * float(probability(confidence)))} %"


def _keep(advice: Advice) -> str:
    """What is set now, by the choice that is the same, if there is one."""
    name, own = advice.goal.minimise, advice.present.own
    kept = _as_they_are(advice) if own is None else f"{together(advice.choices[own])}, {_as_it_is(advice)}"
    return f"Keep {kept}: {about(name, (advice.before or {})[name])}."


def _enough(advice: Advice) -> str:
    """Why that is no reason to change anything."""
    if advice.record is not None and advice.record.reliance.only_moves:
        most = math.ceil((advice.before or {})["unpolled_ms"])
        others = f" (--subject-to 'unpolled_ms<={most}' leaves such choices out)" if advice.tried else ""
        return f"which saves nothing: partitions are held instead by processes that are stuck in a batch{others}"
    if advice.change is not None and advice.change.mean >= 0:
        return "which is no gain"
    enough = f"{percent(advice.goal.indifference)} and {amount(advice.goal.minimise, least(advice.goal.minimise))}"
    return f"which is not worth a change: a gain has to be more than {enough}"


def _as_it_is(advice: Advice) -> str:
    return "as it is" if advice.record is None else "as the record has it"


def _as_they_are(advice: Advice) -> str:
    return "the settings as they are" if advice.record is None else "the settings of the record"


def _change(advice: Advice) -> str:
    evidence, name, before = advice.selection.evidence, advice.goal.minimise, advice.before
    if evidence is None or before is None or not before[name]:
        return ""
    return f" ({evidence.mean / before[name] - 1:+.0%})"


def _tradeoff(advice: Advice, front: Front) -> list[str]:
    """Several measures to make small: which choices no other beats, and what each costs."""
    selection, number = advice.selection, len(front.members)
    sure = f"{_percent(selection.confidence)} sure, to {percent(advice.goal.indifference)}"
    choices = "One choice is" if number == 1 else f"{number} choices are"
    named = [f"{_alike(advice, front, i)} ({_costs(front, advice.means(i))})" for i in front.members[:NAMED]]
    more = f", and {number - NAMED} more" if number > NAMED else ""
    return [
        f"{choices} beaten by no other of {len(advice.choices)} in {' and '.join(front.names)}.",
        f"{', '.join(named)}{more}.",
        f"At least {sure}." if selection.reached else f"So far about {sure}.",
        "" if advice.before is None else f"With {_as_they_are(advice)}: {_costs(front, advice.before)}.",
    ]


def _alike(advice: Advice, front: Front, member: int) -> str:
    others = len(front.alike[member])
    return in_words(advice.choices[member]) + (f" or {others} alike" if others else "")


def _costs(front: Front, means: Mapping[str, float]) -> str:
    return ", ".join(amount(name, means[name]) for name in front.names)


def _more(advice: Advice) -> Iterator[str]:
    """The runner-up, whether it is worth it, where it flips, and how near the replay is to the record."""
    evidence = advice.selection.evidence
    if evidence is not None and (not advice.keeps or advice.is_present):
        yield from _next(advice, evidence)
    for along in advice.along if evidence is not None else ():
        for flip in along.flips:
            when, then = flip_in_words(advice, flip)
            yield f"With {when} {then} is better."
        if not along.flips and advice.holds(along):
            lowest, *_, highest = along.means
            yield f"It holds for {along.key} from {lowest} to {highest}."
    if advice.record is not None:  # how far to trust it, as a what-if says it
        reliance = advice.record.reliance
        trust = "" if advice.keeps or (not reliance.warning and unsure(advice)) else reliance.how_far
        yield from map(as_sentence, filter(None, [trust, reliance.off, reliance.not_in_the_logs]))


def _next(advice: Advice, evidence: Evidence) -> Iterator[str]:
    """Which choices do the same, the next best, and when a process that dies is noticed."""
    record, name = advice.record, advice.goal.minimise
    if advice.same:
        yield _same(advice)
    if advice.equal is not None:
        yield f"There is no difference worth having between it and {in_words(advice.choices[advice.equal])}."
    elif advice.others:
        runner_up, difference = next(iter(advice.others.items()))
        yield f"Next is {in_words(advice.choices[runner_up])}: {_more_than(difference, name)}."
    session = advice.choices[evidence.best].get(SESSION, "")
    if record is not None and record.session_ms is not None and session.isdigit() and int(session) > record.session_ms:
        noticed, before = int(session) / 1_000, record.session_ms / 1_000
        yield f"A process that dies is noticed after {noticed:g} s at most instead of {before:g} s."


def _beside(advice: Advice) -> Iterator[str]:
    """What the choice needs, and what gets worse with it."""
    evidence, record = advice.selection.evidence, advice.record
    if evidence is None or (advice.keeps and not advice.is_present):
        return
    if needs := [] if record is None or advice.keeps else [*record.needs[evidence.best]]:
        yield f"It needs {' and '.join(needs)}."
    prices = advice.price.items()
    worse = [_grows(name, own, before) for name, (own, before) in prices]
    if worse:
        yield f"Drawback: {', '.join(worse)}."


def _grows(name: str, own: float, before: float) -> str:
    """`partitions unavailable at the same time: 12 instead of 7.9 on average`."""
    values = f"{in_two_digits(name, own)} instead of {in_two_digits(name, before)}"
    mean = "" if {own, before} == {round(own), round(before)} else " on average"
    return f"{called(name).removesuffix(',')}: {values}{f' {unit(name)}' if name.endswith('_ms') else mean}"


def _same(advice: Advice) -> str:
    """`static=true and 2 others do the same in all 7 simulations.`"""
    first, *more = advice.same
    seeds = min(len(advice.selection.rows[i]) for i in advice.same)
    others = f" and {counted(len(more), 'other')} do" if more else " does"
    return f"{in_words(advice.choices[first])}{others} the same in all {counted(seeds, 'simulation')}."


def _more_than(difference: Estimate, name: str) -> str:
    """By how much the next best costs more."""
    if difference.error == 0:
        return f"{amount(name, difference.mean)} more under every seed so far"
    low, high = difference.interval()
    lowest, highest = short(name, low).partition(" ")[0], amount(name, high)
    return f"{highest} more" if highest.startswith(f"{lowest} ") else f"{lowest} to {highest} more"


def _one_host(advice: Advice) -> str:
    """That a scenario was simulated on one host, which may decide what is the best."""
    if advice.record is not None:
        return ""
    ask = f"--set {HOST}=busy or --set {QUIET_MS}={EIGHT_HOURS_MS} tells"
    return f"On another host, or in a group that is hours old, another choice may be the best: {ask}."


def _moved(advice: Advice) -> str:
    """What was left out although it costs less."""
    if not (moved := len(advice.moved)):
        return ""
    number = "1 choice that only moves time is" if moved == 1 else f"{moved} choices that only move time are"
    return f"{number} left out: partitions are held instead by processes that are stuck in a batch."


def _searched(advice: Advice) -> str:
    """What a search says nothing about."""
    if not advice.tried:
        return ""
    tried = f"{advice.tried} choices with {advice.search_runs} runs"
    return f"A search tried {tried} and left these {len(advice.choices)}; one that it did not try may be better."
