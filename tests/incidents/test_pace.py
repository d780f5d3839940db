"""What follows the reading of logs takes time in proportion to their lines: four times as many, four times as long."""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from types import FrameType

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.diagnosis.explain import explain_reading
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.rows import Reading
from groupsim.storage.memory import MemoryStore

EXAMPLES = Path(__file__).parents[2] / "examples"
_AT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_ID = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-)([0-9a-f]{12})")
_GENERATION = re.compile(r"(generation(?:Id)?[ =])(\d+)")


def repeated(logs: Path, folder: Path, times: int) -> Reading:
    """An example's logs, so many times after one another: later, with other members, in later generations."""
    folder.mkdir()
    for log in sorted(logs.glob("*.log.gz")):
        text = gzip.decompress(log.read_bytes()).decode()
        with (folder / log.name.removesuffix(".gz")).open("w") as file:
            for nth in range(times):
                file.write(_later(text, nth))
    return read_files(sorted(folder.iterdir()))


def _later(text: str, nth: int) -> str:
    later = timedelta(minutes=10 * nth)
    text = _AT.sub(lambda at: f"{datetime.fromisoformat(at[0]) + later:%Y-%m-%d %H:%M:%S}", text)
    text = _ID.sub(lambda member: f"{member[1]}{(int(member[2], 16) + nth) % 16**12:012x}", text)
    return _GENERATION.sub(lambda number: f"{number[1]}{int(number[2]) + 10 * nth}", text)


def steps(work: Callable[[], object]) -> int:
    """How many functions are called: as good as a time, and the same on every machine."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def imported(reading: Reading) -> None:
    store = MemoryStore()
    intervals(list(store.read(import_run(reading, store, name=None, topics={}).run.id)))


@pytest.mark.parametrize("folder", ["incidents/kill9-range", "consumer-groups/kill9-uniform"])
@pytest.mark.parametrize(("work", "most"), [(explain_reading, 4.4), (imported, 4.3)])
def test_four_times_the_lines_are_four_times_the_work(
    folder: str, work: Callable[[Reading], object], most: float, tmp_path: Path
) -> None:
    few, many = (repeated(EXAMPLES / folder, tmp_path / str(times), times) for times in (4, 16))
    work(few)  # what is made once (tables, patterns) is no work of its lines
    assert steps(lambda: work(many)) < most * steps(lambda: work(few))
