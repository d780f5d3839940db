"""Mutated exports: no traceback and no hang; what the tool found once stays found."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.incidents.logs.partition_lists import partitions
from groupsim.incidents.logs.times import Stamp, to_utc
from tests.incidents.exports.fuzz import attempted, attempts


def test_a_hundred_and_fifty_mutated_documents(tmp_path: Path) -> None:
    said = [said for _, _, said in attempts(150, 20_261_122, tmp_path)]
    assert [each for each in said if each.startswith("error")] == []
    assert said.count("imported") > 75


@pytest.mark.parametrize("ms", [2**70, -(2**70), 253_402_300_800_000])
def test_a_time_that_no_calendar_has_is_unknown(ms: int) -> None:
    assert to_utc(Stamp(ms, True), None) is None


def test_a_partition_has_no_number_of_thousands_of_digits() -> None:
    assert partitions("[a-1, b-" + "9" * 4_400 + "]") == ["a-1"]


@pytest.mark.parametrize(
    "text",
    [
        '{"timestamp": 253402300800000, "message": "[Consumer clientId=c, groupId=g] (Re-)joining group"}\n' * 3,
        '{"timestamp": 1e999, "message": "[Consumer clientId=c, groupId=g] (Re-)joining group"}\n' * 3,
        '{"timestamp": ' + "9" * 5_000 + ', "message": "[Consumer clientId=c, groupId=g] (Re-)joining group"}\n' * 3,
        '2024-03-01 10:00:00 INFO {"msg": "[Consumer clientId=c\\ud800, groupId=g] (Re-)joining group", "t": 1'
        + "0" * 400
        + "}\n",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"message": "group ' + "\\ud800" * 100 + '", "time": 1709287200}\n' * 3,
        '{"\\ud800": {"log": "[Consumer clientId=c, groupId=g] (Re-)joining group"}, "time": 1709287200}\n' * 3,
        '{"id": "\u00b2", "message": "[Consumer clientId=c, groupId=g] (Re-)joining group", "time": 1709287200}\n' * 3,
    ],
    ids=range(9),
)
def test_what_broke_an_import(tmp_path: Path, text: str) -> None:
    export = tmp_path / "export.json"
    export.write_text(text)
    assert attempted(export) in ("imported", "refused")
