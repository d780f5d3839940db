"""A number counts as the order of records only if it goes with their times."""

from __future__ import annotations

from typing import Any

import pytest

from groupsim.incidents.exports.sequence import Numbering, numbering

SECOND = 1_700_000_000


def records(name: str, numbers: list[int], times: list[int]) -> list[dict[str, Any]]:
    return [
        {"time": SECOND + at, name: number, "pod": f"p{place % 2}"}
        for place, (number, at) in enumerate(zip(numbers, times, strict=True))
    ]


@pytest.mark.parametrize(
    ("numbers", "times", "sign"),
    [
        ([40, 50, 41, 55, 47, 58], [1, 1, 2, 2, 2, 3], 1),  # rises in each of two streams
        ([47, 58, 41, 55, 40, 50], [3, 3, 2, 2, 1, 1], 1),  # the same, newest first
        ([6, 5, 4, 3, 2, 1], [1, 1, 1, 1, 1, 1], 1),  # only the numbers tell that this is newest first
        ([9, 8, 7, 4, 2, 1], [1, 2, 3, 4, 5, 6], -1),  # falls as time goes on
        ([0, 1, 2, 3, 4, 5], [6, 5, 4, 3, 2, 1], 0),  # places in a document that is newest first
        ([0, 0, 0, 0, 0, 0], [6, 5, 4, 3, 2, 1], 0),  # one number for the whole document
        ([5, 1, 9, 3, 8, 2], [1, 2, 3, 4, 5, 6], 0),  # goes with nothing
    ],
)
def test_numbers_that_go_with_the_times(numbers: list[int], times: list[int], sign: int) -> None:
    found = numbering(records("log.offset", numbers, times), "time", "pod", None)
    assert found == (Numbering("log.offset", sign) if sign else None)
