"""A recorded run is explained as its import was: the same first sentence in the import, the report, and later."""

from __future__ import annotations

from pathlib import Path

import groupsim
from groupsim.api.reporting import assessment

UNIFORM = Path(__file__).parents[2] / "examples" / "consumer-groups" / "kill9-uniform"


def test_the_report_of_a_run_begins_with_the_sentence_of_its_import(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    imported = groupsim.import_logs(UNIFORM, store=store)
    stored = groupsim.load(store, imported.info.id)
    assert "m2 died" in imported.answer
    assert stored.answer == imported.answer
    answer = assessment(stored).answer
    assert answer is not None
    assert answer.sentence == imported.answer


def test_a_stored_run_still_has_the_lines_that_show_its_findings(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    run = groupsim.import_logs(UNIFORM, store=store)
    explained = groupsim.explain(groupsim.load(store, run.info.id), simulate=False)
    assert "fenced from the group because the member session expired" in str(explained)


def test_groups_of_a_kept_explanation_are_chosen_by_name() -> None:
    run = groupsim.import_logs(UNIFORM)
    (group,) = run.explanation.groups
    assert group.group is not None
    assert groupsim.explain(run, groups=group.group, simulate=False).answer == run.answer
