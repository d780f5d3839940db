"""Logs whose times are of another zone than the broker's: they are corrected, once and for all that is said."""

from __future__ import annotations

import gzip
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Call

FOLDER = Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range"
_AT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def moved(folder: Path, hours: float) -> list[str]:
    """The example's logs, those of clients with times so many hours later."""
    paths = []
    for log in sorted(FOLDER.glob("*.log.gz")):
        later = timedelta(hours=0 if log.name.startswith("broker") else hours)

        def written(at: re.Match[str], later: timedelta = later) -> str:
            return f"{datetime.fromisoformat(at[0]) + later:%Y-%m-%d %H:%M:%S}"

        path = folder / log.name.removesuffix(".gz")
        path.write_text(_AT.sub(written, gzip.decompress(log.read_bytes()).decode()))
        paths.append(str(path))
    return paths


@pytest.mark.parametrize("hours", [2, -5.5])
def test_a_wrong_zone_is_one_line_and_changes_no_figure(call: Call, tmp_path: Path, hours: float) -> None:
    right, wrong = (call("incident", "import", *moved(tmp_path, zone)) for zone in (0, hours))
    figures = [out.rpartition("\nrun ")[0].partition("\n") for out in (right.out, wrong.out)]
    assert figures[0] == figures[1]
    assert "missing:" not in wrong.err
    (line,) = [line for line in wrong.err.splitlines() if "another time zone" in line]
    assert line.startswith("note: ")
    assert len(wrong.err.splitlines()) == len(right.err.splitlines()) + 1
    assert call("explain", *moved(tmp_path, hours)).out.startswith(figures[0][0])
