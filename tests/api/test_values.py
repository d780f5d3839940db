"""What users are given back for settings: numbers, where they are some."""

from __future__ import annotations

import pandas as pd
import pytest

import groupsim
from groupsim.api import html
from groupsim.api.in_python import in_python
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


def test_what_an_answer_rests_on_is_said_in_pythons_words() -> None:
    incident = groupsim.import_logs(groupsim.example("kill9-range"))
    found = incident.what_if(settings={"session.timeout.ms": 6_000}, seeds=range(2))
    assert not [each for each in (*found.rests_on, *found.assumed) if "--" in each]
    assert any('assume={"session.timeout.ms": ...} narrows the answer' in each for each in found.rests_on)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("--set load.rate=200 gives them one", 'settings={"load.rate": 200} gives them one'),
        ("name choices with --assignor and --set", "name choices with assignor= and settings="),
        ("--protocol consumer asks for it", 'protocol="consumer" asks for it'),
        ("--vary assignor=range,sticky tells", 'vary={"assignor": ["range", "sticky"]} tells'),
    ],
)
def test_an_option_becomes_an_argument(sentence: str, said: str) -> None:
    assert in_python(sentence) == said
