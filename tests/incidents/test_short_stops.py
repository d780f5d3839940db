"""Processes that were stopped for less than their session: a heartbeat that was due meanwhile shows it, or nothing."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from groupsim.storage.log_gaps import Doubt, doubts
from tests.incidents.imported import BROKER, C1, adding, import_logs, joined
from tests.incidents.lines import CLASS, stamped, write
from tests.incidents.recordings import BOTH, FAMILIES, ROOT
from tests.incidents.unavailable import compare

EXAMPLE = ROOT / "examples" / "consumer-groups" / "kill9-librdkafka"
STOPPED = [folder for folder in FAMILIES if folder.name.startswith("S16") and "-f05__" in folder.name]

_SETTINGS = "\n\tsession.timeout.ms = {}\n\theartbeat.interval.ms = 2000"
_HEARS = C1 + "Request joining group due to: group is already rebalancing" + CLASS
_BEGAN_S = 20.0
_MANAGER = " (kafka.coordinator.group.GroupCoordinator)"


def _doubts(folder: Path, *after: str, session_ms: int = 12_000) -> list[Doubt]:
    """The doubts about a member of which other members' rebalance began at 20 s; `after`: its lines since then."""
    config = "ConsumerConfig values: \n\tclient.id = c1\n\tgroup.id = billing" + _SETTINGS.format(session_ms)
    own = [stamped(0, config), *joined(1, 1), adding(1.4, "orders-0", "orders-1"), *after]
    said = [
        stamped(1.05, f"{BROKER}Stabilized group billing generation 1 (__consumer_offsets-1) with 1 members{_MANAGER}"),
        stamped(1.15, f"{BROKER}Assignment received from leader for group billing for generation 1"),
        stamped(
            _BEGAN_S,
            f"{BROKER}Preparing to rebalance group billing in state PreparingRebalance with old generation 1"
            f" (__consumer_offsets-1) (reason: Adding new member c2){_MANAGER}",
        ),
    ]
    result, _ = import_logs(write(folder, *own), write(folder, *said, name="b.log"))
    found = [doubt for doubt in doubts(result.run.summary) if "stopped (a pause" in doubt.why]
    assert all(doubt.inexact and doubt.why in result.notes for doubt in found)
    return found


def _times(found: list[Doubt]) -> list[tuple[float, float]]:
    return [(doubt.from_ms / 1_000, doubt.to_ms / 1_000) for doubt in found]


@pytest.mark.parametrize("heard", [20.1, 22.3, 22.9])
def test_a_member_that_hears_of_a_rebalance_at_a_heartbeat_was_not_stopped(tmp_path: Path, heard: float) -> None:
    assert _doubts(tmp_path, stamped(heard, _HEARS)) == []


def test_one_that_hears_later_may_not_have_served_since_its_session_before(tmp_path: Path) -> None:
    (found,) = _doubts(tmp_path, stamped(27, _HEARS))
    assert _times([found]) == [(15, 27)]
    assert found.partitions == (("orders", 0), ("orders", 1))


def test_nor_since_its_last_line_where_that_is_less(tmp_path: Path) -> None:
    wrote = stamped(18, C1 + "Discovered group coordinator 127.0.0.1:9092 (id: 2147483646 rack: null)" + CLASS)
    assert _times(_doubts(tmp_path, wrote, stamped(27, _HEARS))) == [(18, 27)]
    ran = stamped(24.5, C1 + "Discovered group coordinator 127.0.0.1:9092 (id: 2147483646 rack: null)" + CLASS)
    assert _times(_doubts(tmp_path, ran, stamped(27, _HEARS))) == [], "it ran, and its next heartbeat heard of it"


def test_a_batch_that_takes_long_is_no_stop(tmp_path: Path) -> None:
    """Its heartbeats hear of the rebalance, time after time; its application joins when the batch is over."""
    heard = [stamped(second, _HEARS) for second in (21, 23, 25, 27)]
    assert _doubts(tmp_path, *heard, stamped(28, C1 + "(Re-)joining group" + CLASS)) == []
    assert _times(_doubts(tmp_path, *heard, stamped(33, _HEARS))) == [(27, 33)], "stopped in the batch"


def test_a_member_that_joins_without_having_heard_shows_nothing(tmp_path: Path) -> None:
    """Lines that its heartbeats print may have been left out."""
    assert _doubts(tmp_path, stamped(27, C1 + "(Re-)joining group" + CLASS)) == []


def test_heartbeats_that_a_log_does_not_have_may_not_have_been_sent(tmp_path: Path) -> None:
    """librdkafka with debug=cgrp prints each; m1 has one a second."""
    log = gzip.decompress((EXAMPLE / "m1.0.log.gz").read_bytes()).decode()
    stopped = "".join(line for line in log.splitlines(keepends=True) if not re.match(r"%7.179532755[7-9]", line))
    for text, seconds in ((log, []), (stopped, [pytest.approx(4.0, abs=0.1)])):
        (tmp_path / "m1.0.log").write_text(text)
        others = [EXAMPLE / f"{name}.log.gz" for name in ("broker", "m2.0", "m3.0")]
        result, _ = import_logs(tmp_path / "m1.0.log", *others)
        found = _times([doubt for doubt in doubts(result.run.summary) if "sent no heartbeat" in doubt.why])
        assert [end - begin for begin, end in found] == seconds


@pytest.mark.parametrize("folder", STOPPED, ids=lambda path: path.name)
def test_bounds_of_recorded_stops_that_a_rebalance_ran_into_hold_what_was_recorded(folder: Path) -> None:
    one = compare(folder)
    found = one.totals[BOTH]
    assert found.inexact
    assert found.right(one.truth)
    assert found.at_most_ms is not None
    assert found.at_least_ms < one.truth < found.at_most_ms
