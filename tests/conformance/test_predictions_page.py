"""docs/predictions.md is what the stored results say."""

from __future__ import annotations

from groupsim.conformance.page.predictions_page import PAGE, page, stored
from groupsim.conformance.predictions.evidence import Evidence


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(stored()), "run: python -m groupsim.conformance.page.predictions_page"


def test_every_folder_is_scored_from_logs_with_true_timeouts_and_from_true_actions() -> None:
    found = stored()
    assert found
    for scored in found:
        evidences = [each.setting.evidence for each in found if each.setting.folder == scored.setting.folder]
        assert evidences == list(Evidence)
        assert scored.pairs
