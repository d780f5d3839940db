"""Reading a line takes time that grows no faster than its length, whatever piece of it repeats."""

from __future__ import annotations

import time

import pytest

from groupsim.incidents.logs.formats import parse
from groupsim.incidents.logs.recognition import concerns_a_group, recognise
from groupsim.incidents.logs.rows import UnrecognisedLine
from groupsim.incidents.logs.unknown_wordings import by_wording
from tests.incidents.lines import JAVA_BROKER, NEW
from tests.incidents.test_consumer_group_wordings import LINES as CONSUMER_GROUPS
from tests.incidents.test_rarer_clients import LINES as RARER
from tests.thinned import some

SAMPLES = [JAVA_BROKER + said + " " + NEW for said, *_ in CONSUMER_GROUPS] + ["".join(x[1]) for x in RARER]
_LENGTH = 12_000


def seconds(line: str) -> float:
    """The least time of three for one line."""
    took = []
    for _ in range(3):
        began = time.process_time()
        record = parse(1, line)
        recognise(record)
        concerns_a_group(record.text)
        by_wording([UnrecognisedLine("a.log", 1, line)])
        took.append(time.process_time() - began)
    return min(took)


@pytest.mark.parametrize("line", some(SAMPLES, 4), ids=some(range(len(SAMPLES)), 4))
def test_four_times_the_length_takes_about_four_times_as_long(line: str) -> None:
    words = line.split(" ")
    for at in range(0, len(words), max(1, len(words) // 5)):
        piece = " ".join(words[at : at + 3]) + " "
        head, tail = " ".join(words[: at + 3]) + " ", " ".join(words[at + 3 :])
        one, two, four = (seconds(head + piece * (times * _LENGTH // len(piece)) + tail) for times in (1, 2, 4))
        assert two < 3.5 * one + 0.02, piece
        assert four < 8 * one + 0.04, piece
