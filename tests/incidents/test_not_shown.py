"""Logs that are cut, or filtered, give bounds that contain the truth, and no exact total that is too high."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.incidents.imported import supported
from tests.incidents.recordings import ROOT, logs_of

Cut = Callable[[list[str]], list[str]]


def _until(number: int) -> Cut:
    return lambda lines: lines[:number]


def _since(number: int) -> Cut:
    return lambda lines: lines[number:]


def _without(word: str) -> Cut:
    return lambda lines: [line for line in lines if word not in line]


@pytest.mark.parametrize(
    ("folder", "log", "cut"),
    [
        ("incidents/max-poll-range", "m1.0.log", _until(40)),
        ("consumer-groups/kill9-librdkafka", "m1.0.log", _since(303)),
        ("incidents/rolling-restart-cooperative", "m1.1.log", _until(16)),
        ("incidents/kill9-range", "m2.0.log", _until(19)),
        ("consumer-groups/kill9-librdkafka", "m3.0.log", _until(105)),
        ("consumer-groups/kill9-librdkafka", "m2.0.log", _since(152)),
        ("incidents/rolling-restart-range", "m1.0.log", _since(38)),
        ("incidents/rolling-restart-range", "m", _without("ConsumerRebalanceListenerInvoker")),
    ],
)
def test_a_log_that_does_not_tell_of_its_generations_leaves_the_total_unknown(
    folder: str, log: str, cut: Cut, tmp_path: Path
) -> None:
    whole = logs_of(ROOT / "examples" / folder)
    given = [path for path in whole if not path.name.startswith(log)]
    full = supported(whole)
    for path in whole:
        if path.name.startswith(log):
            lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
            part = tmp_path / path.name.removesuffix(".gz")
            part.write_text("".join(cut(lines)), encoding="utf-8")
            given.append(part)
    found = supported(given)
    assert found.unknown is not None
    assert log in found.unknown
    assert "export its log whole" in found.unknown
    assert full.at_most_ms is not None
    assert found.at_least_ms <= full.at_most_ms  # the truth is somewhere within the bounds of all logs
    assert found.at_most_ms is None or found.at_most_ms >= full.at_least_ms
