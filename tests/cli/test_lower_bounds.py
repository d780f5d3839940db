"""Figures that are bounds are said to be: lengths of rebalances, and totals that are one of their bounds."""

from __future__ import annotations

from typing import Any

import pytest

from groupsim.cli.summary import headline
from tests.cli.conftest import Call
from tests.cli.test_wrong_files import DUMP


def test_lengths_of_rebalances_of_the_topic_alone_are_said_to_be_lower_bounds(call: Call) -> None:
    groups = [row["group"] for row in call("incident", "read", str(DUMP), "--groups", "--format", "json").json]
    call("incident", "import", str(DUMP), "--group", next(each for each in groups if "one-closes.range" in each))
    rows = call("rebalances", "latest", "--format", "json").json
    assert {row["took"] for row in rows} == {"at least"}
    said = f"{len(rows)} of {len(rows)} rebalances began at their `started_ms` or before"
    assert said in call("rebalances", "latest").err


def _shown(total: int, least: int, most: int | None) -> list[str]:
    unavailable = {
        "partition_ms": total,
        "share": total / 400_000,
        "max_partitions": 12,
        "by_label": {"WITHHELD": total},
    }
    bounds = {"inexact": True, "at_least_partition_ms": least, "at_most_partition_ms": most}
    return _lines({**unavailable, **bounds})


def _lines(after_start: dict[str, Any]) -> list[str]:
    without = {"starting_ms": 0, "unknown_ms": 0, "after_start": {"unknown_ms": 0, **after_start}}
    return headline({"unavailable": without, "groups": {}, "source": "recorded"})


@pytest.mark.parametrize("most", [107_210, 111_200, 300_000])
def test_the_first_line_has_the_range_where_the_truth_may_be_half_or_double(most: int) -> None:
    assert _shown(107_200, 15_400, most)[0].startswith(f"unavailable  between 15.4 and {most / 1000:.1f} partition-")
    assert _shown(most, most - 1_000, 2 * most + 10)[0].startswith("unavailable  between ")


def test_the_first_line_has_the_range_of_a_total_that_is_one_of_its_bounds() -> None:
    line, uncertain, label = _shown(95_800, 24_000, 95_810)
    part = "between 24.0 and 95.8 partition-seconds (6.0–24.0 % of all partition time)"
    assert line == f"unavailable  {part}, at most 12 partitions at once"
    assert uncertain.endswith("only in bounds; the times below add up to 95.8 partition-seconds")
    assert "95.800 s" in label
    assert _shown(24_000, 24_000, 95_810)[0].startswith(f"unavailable  {part}")


def test_the_first_line_has_the_total_where_it_is_no_bound_or_there_are_not_both() -> None:
    assert _shown(34_600, 22_600, 54_600)[0].startswith("unavailable  about 34.6 partition-seconds (8.65 % of all")
    assert _shown(24_000, 24_000, None)[0].startswith("unavailable  at least 24.0 partition-seconds (6.00 % of all")
    assert _shown(24_000, 24_000, 24_010)[0].startswith("unavailable  at most 24.0 partition-seconds (6.00 % of all")


def test_one_partition_is_not_named_as_several() -> None:
    unavailable = {"partition_ms": 4_000, "share": 0.01, "max_partitions": 1, "by_label": {}}
    (line,) = _lines(unavailable)
    assert line.endswith(", at most 1 partition at once")
