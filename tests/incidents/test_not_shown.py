"""Logs that are cut, or filtered, give bounds that contain the truth, and no exact total that is too high."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from groupsim.analysis.tables.bounds import Support
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
    ],
)
def test_a_log_that_does_not_tell_of_its_generations_leaves_the_total_unknown(
    folder: str, log: str, cut: Cut, tmp_path: Path
) -> None:
    whole = logs_of(ROOT / "examples" / folder)
    found, full = supported(_given(whole, log, cut, tmp_path)), supported(whole)
    assert found.unknown is not None
    assert log in found.unknown
    assert "export such logs whole" in found.unknown
    _hold(found, full)


@pytest.mark.parametrize(
    ("log", "cut"),
    [
        ("m1.0.log", _since(126)),  # it had joined just before
        ("m3.0.log", _until(219)),  # it has a part of what it was assigned
        ("m1.0.log", _until(550)),  # it has a part of what came last
    ],
)
def test_a_log_of_librdkafka_that_is_cut_within_a_rebalance_leaves_it_in_doubt(
    log: str, cut: Cut, tmp_path: Path
) -> None:
    """The totals were exact, and up to eight times the truth."""
    whole = logs_of(Path(__file__).parent / "data" / "closes-librdkafka-cooperative")
    found = supported(_given(whole, log, cut, tmp_path))
    assert found.unknown is not None
    _hold(found, supported(whole))


def test_what_members_took_and_gave_up_shows_without_the_lines_on_their_callbacks(tmp_path: Path) -> None:
    whole = logs_of(ROOT / "examples" / "incidents" / "rolling-restart-range")
    found = supported(_given(whole, "m", _without("ConsumerRebalanceListenerInvoker"), tmp_path))
    assert found.bounded
    _hold(found, supported(whole))


def _given(whole: Sequence[Path], log: str, cut: Cut, folder: Path) -> list[Path]:
    """All logs, those whose names begin with `log` cut."""
    given = [path for path in whole if not path.name.startswith(log)]
    for path in whole:
        if path.name.startswith(log):
            lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
            part = folder / path.name.removesuffix(".gz")
            part.write_text("".join(cut(lines)), encoding="utf-8")
            given.append(part)
    return given


def _hold(found: Support, full: Support) -> None:
    """The truth is somewhere within the bounds of all logs."""
    assert full.at_most_ms is not None
    assert found.at_least_ms <= full.at_most_ms
    assert found.at_most_ms is None or found.at_most_ms >= full.at_least_ms


@pytest.mark.parametrize(
    ("folder", "log", "cut"),
    [
        ("kill9-uniform", "m3.0.log", _until(17)),  # had yet to take what it was given
        ("kill9-librdkafka", "m3.0.log", _until(64)),
        ("rolled-range-to-consumer", "m1.0.log", _until(42)),  # the broker says later that it left
        ("rolled-range-to-consumer", "m1.1.log", _until(32)),
        ("rolled-range-to-consumer", "m1.1.log", _until(57)),  # nobody has what it took over
        ("rolled-range-to-consumer", "m2.0.log", _since(35)),  # what it gave up is not all that it had
        ("rolled-range-to-consumer", "m2.1.log", _until(18)),
        ("rolled-range-to-consumer", "m3.0.log", _since(57)),
        ("rolled-range-to-consumer", "m3.0.log", _until(22)),
    ],
)
def test_a_log_that_begins_or_ends_in_a_membership_leaves_what_others_do_not_tell_in_doubt(
    folder: str, log: str, cut: Cut, tmp_path: Path
) -> None:
    """The totals were exact, or their lower bounds up to three times the truth."""
    whole = logs_of(ROOT / "examples" / "consumer-groups" / folder)
    found = supported(_given(whole, log, cut, tmp_path))
    assert found.unknown is not None
    _hold(found, supported(whole))


def test_a_death_whose_time_is_inferred_does_not_make_certain_what_a_cut_log_leaves_open(tmp_path: Path) -> None:
    """It had a part of what it was assigned: the rest was certain from one session before its removal on."""
    whole = logs_of(ROOT / "examples" / "consumer-groups" / "kill9-librdkafka")
    found = supported(_given(whole, "m2.0.log", _until(131), tmp_path))
    assert found.at_least_ms <= supported(whole).at_least_ms
