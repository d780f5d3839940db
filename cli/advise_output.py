"""What `groupsim advise` prints for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groupsim.cli.output import plain, table
from groupsim.cli.whatif_output import print_basis

if TYPE_CHECKING:
    from groupsim.advice.advice import Advice

MOST_ROWS = 10


def print_advice(advice: Advice) -> None:
    """The sentences, the best choices, charts of what flips, which settings matter, and what it rests on."""
    from groupsim.advice.as_data import table_rows
    from groupsim.advice.chart import chart
    from groupsim.advice.choices import main_effects
    from groupsim.advice.refused import left_out, needs
    from groupsim.advice.sentences import in_one_sentence

    print(plain(in_one_sentence(advice)))
    rows = table_rows(advice)
    table(rows[:MOST_ROWS], list(rows[0]))
    for each in advice.along:
        for line in chart(advice, each) if each.flips else ():
            print(plain(line))
    means = [advice.means(i)[advice.goal.minimise] for i in range(len(advice.choices))]
    effects = [f"{key} {share:.0%}" for key, share in main_effects(advice.choices, means).items()]
    if len(effects) > 1:
        print(plain(f"differences that each setting explains by itself: {', '.join(effects)}"))
    for sentence in left_out(advice.refused):
        print(plain(f"left out: {sentence}"))
    if advice.record is None:
        return
    for sentence in needs(advice.choices, advice.record.needs):
        print(plain(sentence))
    print_basis(advice.record.basis)
