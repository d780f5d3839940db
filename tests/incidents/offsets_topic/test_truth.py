"""What a real cluster kept of its groups: generations, members and assignments are exact, the outage is in the bounds.

A sample of what `python -m tests.incidents.offsets_topic.truth` measures.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.incidents.offsets_topic.said import differences
from tests.incidents.offsets_topic.truth import measure, truths
from tests.incidents.recordings import began

GOLDEN = Path(__file__).parents[2] / "golden" / "offsets-topic"
NAMES = (
    "S15-partitions-grow__cooperative-sticky__d0__r1",
    "S03-one-closes__range__d0__r1",
    "S01-join-2s-apart__cooperative-sticky__d0__r1",
    "S14-unequal-subscriptions__range__d0__r1",
    "M02-rolled-and-back__cooperative-sticky-to-kip848__d0__r1",
    "M03-mixed-kills__range-and-kip848__d0__r1",
    "M05-last-new-member-killed__range-and-kip848__d0__r1",
    "M06-static-rolled__range-to-kip848__d0__r1",
    "R01-regex-topic-later__kip848-uniform__d0__r1",
    "P01-max-poll-exceeded-join__kip848-uniform__d0__r1",
    "P02-callback-beyond-max-poll__range__d0__r1",
    "S07-rolling-restart__kip848-uniform__d0-ai0__r1",
)


@cache
def _records() -> dict[str, dict[str, Any]]:
    with gzip.open(GOLDEN / "truth.json.gz", "rt") as text:
        found: dict[str, dict[str, Any]] = json.load(text)
        return found


@pytest.mark.parametrize("name", NAMES)
def test_the_topic_says_what_the_logs_say_and_its_bounds_hold_the_true_outage(name: str) -> None:
    record = _records()[name]
    start, group = began(record), record["config"]["group_id"]
    begin, end = record["summary"]["window_ms"]
    until = start + record["run_end_ms"]
    dump = GOLDEN / f"{record['batch']}.dump.txt.gz"
    found, history = measure([dump], group, until, (start + begin, start + end))
    assert list(differences(history[group], record, start, until)) == []
    assert found.rests_on.at_most_ms is not None
    assert found.rests_on.at_least_ms <= truths(record)[2] <= found.rests_on.at_most_ms
