"""Known defects: each is recognised in its example, and in no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.known import DEFECTS
from groupsim.diagnosis.to_text import as_text
from groupsim.incidents.logs.reading import read_files
from tests.diagnosis.known_examples import EXAMPLES
from tests.diagnosis.scoring import fragments


@pytest.mark.parametrize("id_", DEFECTS)
def test_a_known_defect_is_named_in_its_example_and_in_no_other(id_: str, tmp_path: Path) -> None:
    path = tmp_path / "example.log"
    path.write_text(EXAMPLES[id_], encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    known = {finding.known for group in explanation.groups for finding in group.findings} - {None}
    assert known == {id_}
    said = [line for line in as_text(explanation) if line.startswith("  known defect (possible): ")]
    assert len(said) == 1
    assert f"{id_} in {DEFECTS[id_].library}" in said[0]


def test_a_rebalance_that_waits_for_its_members_shows_no_defect(tmp_path: Path) -> None:
    path = tmp_path / "example.log"
    path.write_text(EXAMPLES["KAFKA-8653"].replace(",401]", ",900]"), encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    assert not [f.known for group in explanation.groups for f in group.findings if f.known]


def test_fragments_of_recorded_and_simulated_logs_show_no_defect(tmp_path: Path) -> None:
    for labelled in fragments(tmp_path, every=4):
        explanation = explain_reading(read_files(labelled.files))
        found = [f.known for group in explanation.groups for f in group.findings if f.known] if explanation else []
        assert not found, labelled.name
