"""Figures that are bounds are said to be: lengths of rebalances, and totals that are one of their bounds."""

from __future__ import annotations

import re
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
    """Of partitions of which each is unavailable for a quarter of the total, one in two parts."""
    known = {"share": total / 400_000, "max_partitions": 12, "by_label": {"WITHHELD": total}, "inexact": True}
    for name, part in (("partition_ms", 1), ("outage_ms", 4), ("longest_partition_ms", 8)):
        ends = {f"at_least_{name}": least // part, f"at_most_{name}": None if most is None else most // part}
        known |= {name: total // part, **ends}
    return _lines(known)


def _lines(after_start: dict[str, Any]) -> list[str]:
    without = {"starting_ms": 0, "unknown_ms": 0, "after_start": {"unknown_ms": 0, **after_start}}
    return headline({"unavailable": without, "groups": {}, "source": "recorded"})


def _sentences(lines: list[str]) -> list[str]:
    """Those of the first line; none has more than 30 words and three figures."""
    said = re.split(r"\. (?=Sum)", lines[0].removeprefix("unavailable  "))
    assert len(said[0].split()) <= 30
    assert len(re.findall(r"\d[\d.,]*", said[0])) <= 3
    return said


@pytest.mark.parametrize("most", [107_210, 111_200, 300_000])
def test_the_first_line_has_the_ranges_where_the_truth_may_be_half_or_double(most: int) -> None:
    outage, total = _sentences(_shown(107_200, 15_400, most))
    assert outage == f"one or more partitions for 3.9 to {most / 4000:.1f} s in total, at most 12 at once"
    assert total.startswith(f"Sum: between 15.4 and {most / 1000:.1f} partition-seconds (")
    assert _sentences(_shown(most, most - 1_000, 2 * most + 10))[1].startswith("Sum: between ")


def test_the_first_line_has_the_range_of_a_total_that_is_one_of_its_bounds() -> None:
    shown = _shown(95_800, 24_000, 95_810)
    total = "Sum: between 24.0 and 95.8 partition-seconds (6.0–24.0 % of all partition time)"
    assert _sentences(shown) == ["one or more partitions for 6.0 to 24.0 s in total, at most 12 at once", total]
    _, uncertain, label = shown
    assert uncertain.endswith("only in bounds; the times below add up to 95.8 partition-seconds")
    assert "95.800 partition-s" in label
    assert _sentences(_shown(24_000, 24_000, 95_810))[1] == total


@pytest.mark.parametrize(
    ("most", "outage", "longest", "total"),
    [
        (None, "at least 6.0 s", "one of them at least 3.0 s", "at least 24.0"),
        (24_010, "at most 6.0 s", "none longer than 3.0 s", "at most 24.0"),
    ],
)
def test_the_first_line_has_bounds_by_name(most: int | None, outage: str, longest: str, total: str) -> None:
    first, second = _sentences(_shown(24_000, 24_000, most))
    assert first == f"one or more partitions for {outage} in total, at most 12 at once, {longest} at a time"
    assert second.startswith(f"Sum: {total} partition-seconds (6 %")


def test_the_first_line_has_the_total_where_it_is_no_bound() -> None:
    first, second = _sentences(_shown(34_600, 22_600, 54_600))
    about = "at most 12 at once, none longer than about 4.3 s at a time"
    assert first == f"one or more partitions for about 8.7 s in total, {about}"
    assert second == "Sum: about 34.6 partition-seconds (8.6 % of all partition time)"


EXACT = {"partition_ms": 4_000, "share": 0.01, "max_partitions": 1, "by_label": {}, "outage_ms": 4_000}


def test_one_partition_is_not_named_as_several() -> None:
    (first, _) = _sentences(_lines({**EXACT, "longest_partition_ms": 4_000}))
    assert first == "one partition for 4.0 s"
    (first, _) = _sentences(_lines({**EXACT, "longest_partition_ms": 900}))
    assert first == "one partition for 4.0 s in total, never longer than 900 ms at a time"
    none = dict.fromkeys(("partition_ms", "max_partitions", "outage_ms", "longest_partition_ms"), 0)
    assert _sentences(_lines({**EXACT, **none}))[0] == "no partition"


def test_each_label_says_what_it_means() -> None:
    known = {"share": 0.1, "max_partitions": 2, "by_label": {"WITHHELD": 4_000, "OWNER_DEAD": 2_000}}
    known |= dict.fromkeys(("partition_ms", "outage_ms", "longest_partition_ms"), 6_000)
    lines = _lines({**known, "to_the_end": {"OWNER_DEAD": 1_500}})
    assert lines[1:] == [
        "  WITHHELD               4.000 partition-s  nobody has it, because a rebalance runs or has yet to begin",
        "  OWNER_DEAD             2.000 partition-s  its owner's process is gone, and the coordinator does not know"
        " yet; 1.500 partition-s of it to the end of the record",
    ]
