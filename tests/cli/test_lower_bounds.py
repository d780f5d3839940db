"""Figures that are bounds are said to be: lengths of rebalances, and totals that are one of their bounds."""

from __future__ import annotations

import pytest

from groupsim.analysis.display_names import near_word
from tests.cli.conftest import Call
from tests.cli.test_wrong_files import DUMP


def test_lengths_of_rebalances_of_the_topic_alone_are_said_to_be_lower_bounds(call: Call) -> None:
    groups = [row["group"] for row in call("incident", "read", str(DUMP), "--groups", "--format", "json").json]
    call("incident", "import", str(DUMP), "--group", next(each for each in groups if "one-closes.range" in each))
    rows = call("rebalances", "latest", "--format", "json").json
    assert {row["took"] for row in rows} == {"at least"}
    said = f"{len(rows)} of {len(rows)} rebalances began at their `started_ms` or before"
    assert said in call("rebalances", "latest").err


@pytest.mark.parametrize(
    ("total", "least", "most", "word"),
    [
        (107_500, 90_000, 120_000, "about"),
        (107_500, 90_000, 107_520, "at most"),
        (107_500, 107_500, 120_000, "at least"),
        (107_500, 90_000, None, "about"),
    ],
)
def test_a_total_that_is_one_of_its_bounds_is_not_about(total: int, least: int, most: int | None, word: str) -> None:
    assert near_word(total, least, most) == word
