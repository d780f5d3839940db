"""What users are given back for settings: numbers, where they are some."""

from __future__ import annotations

import pandas as pd
import pytest

import groupsim
from groupsim.api import html
from groupsim.api.values import as_numbers


@pytest.mark.parametrize(
    ("texts", "kind"),
    [(["6000", "45000"], "i"), (["0.5", "1"], "f"), (["range", "6000"], "O"), (["true", "false"], "O")],
)
def test_a_column_of_texts_is_one_of_numbers_where_all_are_some(texts: list[str], kind: str) -> None:
    assert as_numbers(pd.Series(texts)).dtype.kind == kind


def test_an_advice_has_its_settings_as_numbers() -> None:
    found = groupsim.advise("steady_state", vary={"session.timeout.ms": [6_000, 45_000]}, budget=8, jobs=1)
    assert sorted(found.to_frame()["session.timeout.ms"]) == [6_000, 45_000]


def test_a_table_of_a_notebook_says_how_many_rows_it_leaves_out() -> None:
    rows = [(n,) for n in range(12)]
    assert "and 2 more: to_frame() has them" in html.first_rows(["n"], rows)
    assert "more" not in html.first_rows(["n"], rows[:10])
