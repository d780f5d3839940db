"""An advice takes no choice that only moves time: partitions are held instead, by processes that do not poll."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from groupsim.advice.advice import Advice
from groupsim.advice.choices import Choice, in_words
from groupsim.advice.refused import Refused
from groupsim.advice.trust import compared
from groupsim.replay.sentences.parts import unpolled
from groupsim.replay.verdict import Verdict, only_moves
from groupsim.wording.numbers import partition_seconds, seconds


def without_movers(answered: Callable[[Sequence[Choice]], Advice], choices: Sequence[Choice]) -> Advice:
    """The advice on the choices that do more than move time; on those that are left where none does.

    `answered`: the advice on some choices, with what it rests on.
    """
    advice, moved, runs = answered(choices), list[Refused](), dict[str, int]()
    while True:
        rows = {in_words(choice): len(rows) for choice, rows in zip(advice.choices, advice.selection.rows, strict=True)}
        runs |= {words: max(number, runs.get(words, 0)) for words, number in rows.items()}
        movers = _movers(advice) if advice.record is not None and advice.record.reliance.only_moves else []
        rest = [choice for choice in advice.choices if all(mover.choice != choice for mover in movers)]
        if not movers or not rest:
            others = sum(runs.values()) - advice.selection.runs
            return replace(advice, refused=[*advice.refused, *moved], other_runs=others)
        moved += movers
        advice = answered(rest)


def _movers(found: Advice) -> list[Refused]:
    movers = []
    for choice, rows in zip(found.choices, found.selection.rows, strict=True):
        result = compared(rows, found.now)
        if only_moves(result):
            own, base = result.unavailable_partition_ms.median, result.base.median
            costs = f"{partition_seconds(own)} instead of {seconds(base)}"
            movers.append(Refused(choice, f"{costs}; {unpolled(result)}", Verdict.MOVED))
    return movers
