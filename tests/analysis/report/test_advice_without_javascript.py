"""What to set, for readers without JavaScript: the newest answer first, older ones said to be older."""

from __future__ import annotations

from groupsim.analysis.advices import AdvisedChoice, StoredAdvice
from groupsim.analysis.report import advices


def answer(text: str) -> StoredAdvice:
    def choice(name: str, mean: float) -> AdvisedChoice:
        measures = {"partition_ms": mean, "max_partitions": 4.0}
        return AdvisedChoice(choice=name, measures=measures, least=mean, most=2 * mean, runs=7, front=False)

    return StoredAdvice(
        group="billing", answer=text, names=["partition_ms", "max_partitions"], best="<b>range</b>",
        now=choice("as recorded", 20_000), choices=[choice("<b>range</b>", 5_000)],
        along=[], sensitivity={}, assumed=[], refused=[],
    )  # fmt: skip


def test_the_newest_answer_stands_first_and_older_ones_are_said_to_be_older() -> None:
    shown = advices.as_html(advices.advices([answer("Take <i>a</i>."), answer("Keep b.")]))
    assert shown.startswith("<h3>What to set</h3><p><strong>Keep b.</strong></p>")
    newest, older = shown.split("<h4>An older answer</h4>")
    assert "<td>&lt;b&gt;range&lt;/b&gt;</td><td>5.0 s</td><td>5.0 to 10.0</td><td>4</td>" in newest
    assert older.startswith("<p><strong>Take &lt;i&gt;a&lt;/i&gt;.</strong></p>")


def test_without_advice_there_is_nothing() -> None:
    assert advices.as_html([]) == ""
