"""docs/predictions.md is what the stored results say."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from groupsim.conformance.predictions.results import Evidence
from recorders.page.predictions_page import PAGE, STORED, page
from recorders.page.scored import stored


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(stored(STORED)), "run: python -m recorders.page.predictions_page"


def test_every_folder_is_scored_from_logs_with_true_timeouts_and_from_true_actions() -> None:
    found = [each for each in stored(STORED) if not each.first]
    assert found
    for scored in found:
        evidences = [each.setting.evidence for each in found if each.setting.folder == scored.setting.folder]
        assert evidences == list(Evidence)
        assert scored.pairs


def test_a_later_score_stands_beside_the_first_look() -> None:
    found = stored(STORED)
    first = next(each for each in found if each.first)
    later = replace(first, first=False, setting=structs.replace(first.setting, version="later"))
    rows = [row for row in page([first, later]).splitlines() if row.startswith("| put-aside")]
    assert [row.split(" | ")[0] for row in rows[:2]] == ["| put-aside, first look", "| put-aside"]
    assert "commit a035439" in rows[0]
    assert "later" in rows[1]
    unchanged = page([first, replace(first, first=False)])
    assert "| put-aside | logs alone" not in unchanged
