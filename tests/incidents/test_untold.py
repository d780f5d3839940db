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


@pytest.mark.parametrize(
    ("folder", "log", "cut"),
    [
        ("incidents/max-poll-range", "m1.0.log", _until(40)),
        ("consumer-groups/kill9-librdkafka", "m1.0.log", _since(303)),
        ("incidents/rolling-restart-cooperative", "m1.1.log", _until(16)),
        ("incidents/kill9-range", "m2.0.log", _until(19)),
        ("consumer-groups/kill9-librdkafka", "m3.0.log", _until(105)),
    ],
)
def test_a_log_that_does_not_tell_of_its_generations_leaves_the_total_unknown(
    folder: str, log: str, cut: Cut, tmp_path: Path
) -> None:
    whole = logs_of(ROOT / "examples" / folder)
    given = [path for path in whole if not path.name.startswith(log)]
    for path in whole:
        if path.name.startswith(log):
            lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
            part = tmp_path / path.name.removesuffix(".gz")
            part.write_text("".join(cut(lines)), encoding="utf-8")
            given.append(part)
    full, found = supported(whole), supported(given)
    assert found.unknown is not None
    assert log in found.unknown
    assert "export its log whole" in found.unknown
    assert full.at_most_ms is not None
    assert found.at_least_ms <= full.at_most_ms
    assert found.at_most_ms is None or found.at_most_ms >= full.at_least_ms
