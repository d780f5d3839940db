"""The section "What would have helped" in a real browser, with and without JavaScript."""

from __future__ import annotations

import pytest

from groupsim.analysis.report import report
from groupsim.analysis.runs import Run
from groupsim.analysis.what_ifs import StoredChoice, StoredWhatIf
from tests.analysis.report.browser import needs_browser
from tests.analysis.report.conftest import EXAMPLE, Opened, imported

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs_browser]
ASSUMED = "session.timeout.ms=6000 is assumed"


@pytest.fixture
def asked() -> Run:
    """An incident with one question of two choices, one of which the record can't answer."""
    rows = [("as recorded", "", 20_000), ("<b>range</b>", "better", 5_000)]
    choices = [
        StoredChoice(
            choice=name,
            answer=f"{name} is said.",
            verdict=verdict,
            median_ms=ms,
            least_ms=ms,
            most_ms=2 * ms,
            seeds=10,
            rebalances=[3, 2, 5],
            max_partitions=[7, 7, 7],
            outage_ms=[2_000, 1_900, 2_500],
        )
        for name, verdict, ms in rows
    ]
    refused = StoredChoice(choice="restart.ms=1", answer="nobody restarts", verdict="can't be answered")
    found = StoredWhatIf(
        group="billing",
        headline="range would have cost a quarter.",
        from_ms=200,
        to_ms=14_000,
        recorded_ms=19_000,
        choices=[*choices, refused],
        rests_on=["the replay of the record is 3 % off"],
        founding="2.5 partition-seconds, 9.9 with <b>range</b>",
        given=["client=java"],
        drawn=[ASSUMED],
        assumed=[ASSUMED, "m2.0 died"],
    )
    run = imported(EXAMPLE)
    run.what_ifs = [found]
    return run


def test_what_would_have_helped_stands_below_the_summary_with_bars_on_one_scale(opened: Opened, asked: Run) -> None:
    section = opened(asked).locator("#run-0-helped")
    assert section.locator(".lead").inner_text() == "range would have cost a quarter."
    assert section.locator(".sentences-each li").all_inner_texts() == [
        "<b>range</b> is said.",
        "nobody restarts",
        "the replay of the record is 3 % off",
    ]
    names = section.locator("tbody th").all_inner_texts()
    assert names == ["the record", "as recorded", "<b>range</b>", "restart.ms=1"]
    cells = section.locator("tbody tr").nth(2).locator("td").all_inner_texts()
    assert cells[1:] == ["5.0 (5.0 to 10.0)", "2.0 (1.9 to 2.5)", "3 (2 to 5)", "7", "better"]
    record, base, quarter = (each.evaluate("e => e.offsetWidth") for each in section.locator(".meter").all())
    assert base / quarter == pytest.approx(4, rel=0.05)
    assert base / record == pytest.approx(20 / 19, rel=0.05)
    assert section.locator(".table-box").evaluate("e => e.scrollWidth <= e.clientWidth")  # the verdict is in sight
    start_up = "Start-up, in no comparison: 2.5 partition-seconds, 9.9 with <b>range</b>."
    assert start_up in section.inner_text()
    section.locator("summary").click()
    assert section.locator("details .hint").all_inner_texts() == [
        "Given with the question",
        "Unknown, so each seed draws a value",
        "Assumed, because the logs do not show it",
    ]
    assert section.locator("details li").all_inner_texts() == ["client=java", ASSUMED, "m2.0 died"]


def test_without_javascript_the_same_is_read_in_the_same_order(opened: Opened, asked: Run) -> None:
    text = opened(text=report([asked]), ready=False, java_script_enabled=False).inner_text("body")
    said = [
        "groupsim report",
        "Unavailable: one or more partitions for ",
        "What would have helped",
        "range would have cost a quarter.",
        "the record",
        "2.0 (1.9 to 2.5)",
        "3 (2 to 5)",
        "can't be answered",
        "<b>range</b> is said.",
        "nobody restarts",
        "the replay of the record is 3 % off",
        "Start-up, in no comparison: 2.5",
        "client=java",
        ASSUMED,
        "m2.0 died",
        "need JavaScript",
        "Times count from",
    ]
    places = [text.index(each) for each in said]
    assert places == sorted(places)
