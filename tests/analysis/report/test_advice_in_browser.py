"""What to set: an advice in the report of an incident, in a real browser."""

from __future__ import annotations

import pytest

from groupsim.analysis.advices import AdvisedAlong, AdvisedChoice, StoredAdvice
from tests.analysis.report.browser import needs_browser
from tests.analysis.report.conftest import EXAMPLE, Opened, imported

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs_browser]


def test_what_to_set_has_the_answer_its_choices_and_a_chart_of_what_flips(opened: Opened) -> None:
    run = imported(EXAMPLE)

    def choice(name: str, mean: float, front: bool = False) -> AdvisedChoice:
        measures = {"partition_ms": mean, "detection_ms": 6_000.0}
        return AdvisedChoice(choice=name, measures=measures, least=mean, most=2 * mean, runs=7, front=front)

    means = [{"<b>range</b>": 5_000.0, "sticky": 9_000.0}, {"<b>range</b>": 9_000.0, "sticky": 6_000.0}]
    run.advices = [
        StoredAdvice(
            group="billing", answer="Take <b>range</b>.", names=["partition_ms", "detection_ms"], best="<b>range</b>",
            now=choice("as recorded", 20_000), choices=[choice("<b>range</b>", 5_000, True), choice("sticky", 9_000)],
            along=[
                AdvisedAlong(key="restart.ms", flips=True, values=["500", "9000"], means=means),
                AdvisedAlong(key="session.timeout.ms", flips=False, values=["1", "2"], means=means),
            ],
            sensitivity={"assignor": 0.5}, assumed=["session.timeout.ms=6000 is assumed"], refused=["a=1: why not"],
        )
    ]  # fmt: skip
    section = opened(run).locator("#run-0-set")
    assert section.locator(".lead").inner_text() == "Take <b>range</b>."
    assert section.locator("tbody th").all_inner_texts() == ["as recorded", "<b>range</b>", "sticky"]
    assert "5.0 (5.0 to 10.0)" in section.inner_text()
    assert "assignor 50 %" in section.inner_text()
    (chart,) = section.locator("figure").all()
    assert chart.locator("polyline").count() == 2
    assert "By restart.ms" in chart.inner_text()
    for summary in section.locator("summary").all():
        summary.click()
    assert "session.timeout.ms=6000 is assumed" in section.inner_text()
    assert "a=1: why not" in section.inner_text()
