"""Logs of different programs, days and groups, given at once."""

from __future__ import annotations

from pathlib import Path

from groupsim.diagnosis.explain import Explanation, explain_reading
from groupsim.diagnosis.to_text import as_text
from groupsim.incidents.logs.reading import read_files

_BROKER = "[{}] INFO [GroupCoordinator 1]: {} (kafka.coordinator.group.GroupCoordinator)"
_GONE = "Member app{0}-6f9619ff-8b86-d011-b42d-00cf4fc964ff in group g has failed, removing it from the group"
_EMPTY = "Group g with generation 8 is now empty (__consumer_offsets-3)"
_NEW = (
    "Preparing to rebalance group g in state PreparingRebalance with old generation 8 (__consumer_offsets-3) (reason:\
 Adding new member app-1f9619ff-8b86-d011-b42d-00cf4fc964ff with group instance id None)"
)
_LATE = (
    "%4|1681132527.138|MAXPOLL|rdkafka#consumer-1| [thrd:main]: Application maximum poll interval (300000ms) exceeded"
    " by 162ms (adjust max.poll.interval.ms for long-running message processing): leaving group"
)
_OTHER = "2025-04-01 08:00:00,000 INFO [Consumer clientId=c, groupId=h] (Re-)joining group (ConsumerCoordinator)"


def _explained(folder: Path, **logs: list[str]) -> Explanation:
    files = [folder / f"{name}.log" for name in logs]
    for file, lines in zip(files, logs.values(), strict=True):
        file.write_text("\n".join(lines) + "\n")
    found = explain_reading(read_files(files))
    assert found is not None
    return found


def _broker() -> list[str]:
    whats = [("10:00:00,000", _GONE.format("")), ("10:00:00,001", _EMPTY), ("10:05:00,000", _NEW)]
    return [_BROKER.format(f"2020-04-25 {at}", what) for at, what in whats]


def test_a_log_that_names_no_group_is_explained_beside_two_that_do(tmp_path: Path) -> None:
    found = _explained(tmp_path, broker=_broker(), late=[_LATE], other=[_OTHER])
    assert [group.group for group in found.groups].count(None) == 1
    assert any(line.startswith("  lines without a group's name: poll-timeout (shown)") for line in as_text(found))


def test_a_group_lasts_as_long_as_its_own_logs(tmp_path: Path) -> None:
    alone, beside = _explained(tmp_path, broker=_broker()), _explained(tmp_path, broker=_broker(), other=[_OTHER])
    (own,) = alone.groups
    (same,) = (group for group in beside.groups if group.group == "g")
    assert (same.last_ms, same.stopped_ms) == (own.last_ms, own.stopped_ms)
    assert own.stopped_ms is not None
    assert own.stopped_ms[0] == 299_999
