"""The work of an explanation grows with its log, not with its square."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

from groupsim.diagnosis.explain import explain_reading
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Reading
from tests.incidents.written_logs import stamped

_BROKER = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7] {} (kafka.coordinator.group.GroupCoordinator)"


def _dead_members(folder: Path, rebalances: int) -> Reading:
    """Each rebalance waits for a member that died."""
    lines = []
    for number in range(1, rebalances + 1):
        said = {
            0: "Preparing to rebalance group billing in state PreparingRebalance with old generation"
            f" {number - 1} (reason: Adding new member m-{number} with group instance id None)",
            20_000: f"Member m-{number - 1} in group billing has failed, removing it from the group",
            20_001: f"Stabilized group billing generation {number} with 1 members",
        }
        lines += [stamped(number * 60_000 + at, _BROKER.format(text)) for at, text in said.items()]
    log = folder / f"broker-{rebalances}.log"
    log.write_text("".join(line + "\n" for line in lines))
    return read_files([log])


def _calls(reading: Reading) -> int:
    calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and "/diagnosis/" in frame.f_code.co_filename

    sys.setprofile(count)
    try:
        explanation = explain_reading(reading)
    finally:
        sys.setprofile(None)
    assert explanation is not None
    assert "ghost-members" in {finding.code for group in explanation.groups for finding in group.findings}
    return calls


def test_twice_the_rebalances_are_twice_the_work(tmp_path: Path) -> None:
    _calls(_dead_members(tmp_path, 5))  # imports the causes
    calls = [_calls(_dead_members(tmp_path, rebalances)) for rebalances in (80, 160)]
    assert calls[1] < 2.1 * calls[0], calls
