"""A clock that is off is corrected in groups of the consumer protocol, and of static members (16.8 for a true 9.3)."""

from __future__ import annotations

import gzip
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from groupsim.incidents.facts.consumer_skew import consumer_bounds
from groupsim.incidents.facts.skew import estimate_skews
from groupsim.incidents.logs.reading import read_files
from tests.incidents.imported import supported

FOLDER = Path(__file__).parents[2] / "examples" / "consumer-groups"
_TIME = re.compile(r"^\[([\d-]+ [\d:]+),(\d{3})", re.MULTILINE)
_RDKAFKA = re.compile(r"^%7\|(\d+)\.(\d{3})", re.MULTILINE)


def shifted(log: Path, to: Path, seconds: float) -> Path:
    """A copy of a log whose clock is so far ahead."""

    def later(found: re.Match[str]) -> str:
        at = datetime.strptime(f"{found[1]}.{found[2]}", "%Y-%m-%d %H:%M:%S.%f") + timedelta(seconds=seconds)
        return f"[{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}"

    def later_ms(found: re.Match[str]) -> str:
        ms = int(found[1]) * 1000 + int(found[2]) + round(1000 * seconds)
        return f"%7|{ms // 1000}.{ms % 1000:03d}"

    text = gzip.decompress(log.read_bytes()).decode()
    to.write_text(_RDKAFKA.sub(later_ms, _TIME.sub(later, text)), encoding="utf-8")
    return to


@pytest.mark.parametrize("folder", sorted(FOLDER.glob("kill9-*")), ids=lambda path: path.name)
@pytest.mark.parametrize(("late", "seconds"), [("m1", 2.0), ("m1", -2.0), ("m3", 30.0), ("broker", -30.0)])
def test_the_total_is_that_of_clocks_that_fit(folder: Path, late: str, seconds: float, tmp_path: Path) -> None:
    logs = sorted(folder.glob("*.log.gz"))
    exact = supported(logs)
    assert estimate_skews(read_files(logs)) == estimate_skews(read_files(logs))
    assert not [skew for skew in estimate_skews(read_files(logs))[0] if skew.ms]
    copies = [shifted(log, tmp_path / log.stem, seconds if log.name.startswith(late) else 0) for log in logs]
    moved = [skew for skew in estimate_skews(read_files(copies))[0] if skew.ms]
    assert len(moved) == (len(logs) - 1 if late == "broker" else 1)
    off_ms = 1000 * seconds if late == "broker" else -1000 * seconds
    assert all(abs(skew.ms - off_ms) < 250 for skew in moved), moved
    found = supported(copies)
    assert found.at_least_ms == pytest.approx(exact.at_least_ms, rel=0.06)
    assert found.at_most_ms == pytest.approx(exact.at_most_ms, rel=0.06)


def test_what_a_side_says_twice_bounds_nothing(tmp_path: Path) -> None:
    """A broker's log that begins over has each epoch twice: its times differ."""
    logs = sorted((FOLDER / "kill9-uniform").glob("*.log.gz"))
    once = list(consumer_bounds(read_files(logs)))
    again = shifted(logs[0], tmp_path / "broker-again.log", 600)
    assert once
    assert list(consumer_bounds(read_files([*logs, again]))) == []


def test_a_static_member_s_clock_that_is_behind_is_corrected_too(tmp_path: Path) -> None:
    """The bounds were 78.6 to 87.3 partition-seconds, for 38.8."""
    logs = sorted((FOLDER.parent / "incidents" / "static-restart-range").glob("*.log.gz"))
    exact = supported(logs)
    found = supported([shifted(log, tmp_path / log.stem, 2 * log.name.startswith("broker")) for log in logs])
    assert found.unknown is None
    assert found.at_least_ms == pytest.approx(exact.at_least_ms, rel=0.03)
    assert found.at_most_ms == pytest.approx(exact.at_most_ms, rel=0.03)
