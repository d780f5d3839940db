"""An advice on a run in the form in which it is kept with it."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.advice.advice import Advice
from groupsim.advice.as_data import front_of, ranked, second_axis
from groupsim.advice.choices import in_words, main_effects
from groupsim.advice.refused import left_out, needs
from groupsim.advice.selection import Row
from groupsim.advice.sentences import answer, rests_on
from groupsim.analysis.advices import AdvisedAlong, AdvisedChoice, StoredAdvice

AS_RECORDED = "as recorded"


def stored(advice: Advice, group: str) -> StoredAdvice:
    """All that a report and pictures show of it."""
    evidence, record, name = advice.selection.evidence, advice.record, advice.goal.minimise
    means = [advice.means(i) for i in range(len(advice.choices))]
    front = set(front_of(advice, means))
    words = [in_words(choice) for choice in advice.choices]
    return StoredAdvice(
        group=group,
        answer=answer(advice),
        rests_on=rests_on(advice),
        names=list(second_axis(advice)),
        best=None if evidence is None else words[evidence.best],
        now=_choice(AS_RECORDED, name, advice.now, False),
        choices=[_choice(words[i], name, advice.selection.rows[i], i in front) for i in ranked(advice)],
        along=[
            AdvisedAlong(
                key=along.key,
                flips=bool(along.flips),
                values=list(along.means),
                means=[{words[i]: mean for i, mean in by_choice.items()} for by_choice in along.means.values()],
            )
            for along in advice.along
        ],
        sensitivity=main_effects(advice.choices, [row[name] for row in means]),
        assumed=[] if record is None else list(record.assumed),
        refused=left_out(advice.refused),
        needs=[] if record is None else needs(advice.choices, record.needs),
    )


def _choice(words: str, name: str, rows: Sequence[Row], front: bool) -> AdvisedChoice:
    values = [row[name] for row in rows]
    measures = {each: sum(row[each] for row in rows) / len(rows) for each in rows[0]}
    return AdvisedChoice(
        choice=words, measures=measures, least=min(values), most=max(values), runs=len(rows), front=front
    )
