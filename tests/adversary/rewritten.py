"""A recorded incident written again: other names, another hour, zone and pace. It stays the same incident."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple
from zoneinfo import ZoneInfo

from groupsim.storage import open_store
from tests.adversary.called import Called, Finding, call

ZONES = (
    *("Europe/Berlin", "America/New_York", "Pacific/Chatham", "Australia/Lord_Howe", "America/St_Johns"),
    *("Africa/Cairo", "America/Santiago", "Asia/Beirut", "UTC", "Asia/Kolkata"),
)
_STAMP = re.compile(r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})\]", re.MULTILINE)
INCIDENTS = tuple(
    tuple(sorted((Path(__file__).parents[2] / "examples" / "incidents" / name).glob("*.log.gz")))
    for name in ("kill9-range", "max-poll-range", "rolling-restart-range", "static-restart-range")
)
_MOST_GAP_MS, _HALF_HOUR, _SHORTER_GAP_MS = 3_000_000, "Australia/Lord_Howe", 1_200_000
"""Lines follow each other so soon that the clock can be seen to step back wherever it does, also by half an hour."""
PIECES = (
    *("a", "orders", "-0", ".", "_", "1", " ", "'", '"', "<b>", "[red]", "[/]", "=cmd|x", "+1", "@", "-", "%s", "{0}"),
    *("\x1b[2J", "\x1bc", "\x1b]0;x\x07", "\x07", "\x9b31m", "\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "\x7f"),
    *("$(id)", "`id`", "../..", "\\u0000", "漢字", "é", "\U0001f389", "\xa0", "x" * 200),
)
ASKED = (
    *(("timeline",), ("unavailable",), ("unavailable", "--by", "cause"), ("unavailable", "--by", "group,label")),
    *(("rebalances",), ("blame",), ("show", "--limit", "300"), ("replay",), ("lag",), ("verify",)),
)


class Line(NamedTuple):
    """One line of a log: milliseconds since the incident began, and what stands behind the time."""

    at_ms: int
    text: str


Logs = tuple[tuple[Line, ...], ...]


@cache
def _incident(paths: tuple[Path, ...]) -> Logs:
    """The logs of an incident."""
    logs = []
    for path in paths:
        lines = []
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            found = _STAMP.match(line)
            assert found is not None, line
            moment = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
            lines.append((round(moment.timestamp()) * 1000 + int(found[2]), line[found.end() :]))
        logs.append(lines)
    began = min(lines[0][0] for lines in logs)
    return tuple(tuple(Line(at_ms - began, text) for at_ms, text in lines) for lines in logs)


def _drawn(rng: Random) -> Logs:
    """An incident: in several logs, or all lines in one."""
    logs = _incident(rng.choice(INCIDENTS))
    return logs if rng.random() < 0.4 else (tuple(sorted((line for log in logs for line in log), key=_at)),)


def _at(line: Line) -> int:
    return line.at_ms


def _names(logs: Logs) -> tuple[str, ...]:
    """What names things in them: group, topic, clients."""
    text = "\n".join(line.text for log in logs for line in log)
    groups = sorted({*re.findall(r"groupId=([^\],]+)", text)})
    return (*groups, "orders", *sorted({*re.findall(r"clientId=([^\],]+)", text)}))


def _written(
    logs: Logs, folder: Path, began: datetime, pace: float, zone: ZoneInfo, names: dict[str, str]
) -> list[str]:
    """Write the logs; their paths."""
    pattern = re.compile("|".join(rf"(?<![\w.]){re.escape(name)}(?![\w.])" for name in names)) if names else None
    paths = []
    for number, log in enumerate(logs):
        said = []
        for line in log:
            local = (began + timedelta(milliseconds=round(line.at_ms * pace))).astimezone(zone)
            text = pattern.sub(lambda found: names[found[0]], line.text) if pattern else line.text
            said.append(f"[{local:%Y-%m-%d %H:%M:%S},{local.microsecond // 1000:03}]{text}\n")
        path = folder / f"written{number}.log"
        path.write_text("".join(said), encoding="utf-8")
        paths.append(str(path))
    return paths


def _imported(folder: Path, paths: list[str], *options: str) -> tuple[Called, Path]:
    store = folder / "other.db"
    for left in folder.glob("other.db*"):
        left.unlink()
    return call("incident", "import", *paths, *options, "--store", str(store), "--format", "json"), store


def _facts(store: Path) -> tuple[str | None, list[tuple[int, str]]]:
    """The origin of the run, and when what kind of fact happened."""
    with contextlib.closing(open_store(store, create=False)) as opened:
        info = opened.find("latest")
        return info.origin, [(row[1], row[4]) for row in opened.rows(info.id)]


def hours(rng: Random, folder: Path) -> None:
    """Near a change of the clocks, in local times: the same facts at the same instants as in UTC, or a doubt."""
    zone = ZoneInfo(rng.choice(ZONES))
    logs = _drawn(rng)
    gap = max(b.at_ms - a.at_ms for log in logs for a, b in pairwise(log))
    span = max(log[-1].at_ms for log in logs)
    fastest = (_SHORTER_GAP_MS if zone.key == _HALF_HOUR else _MOST_GAP_MS) / gap
    pace = rng.choice([1.0, rng.uniform(1, fastest), fastest, fastest])
    change = rng.choice(_changes(zone.key, rng.randint(2010, 2025)))
    lasts = timedelta(milliseconds=span * pace)
    began = change - timedelta(hours=1.2) - lasts + (lasts + timedelta(hours=2.4)) * rng.random()
    began = began.replace(microsecond=rng.randrange(1000) * 1000)
    names = (
        {name: f"n{rng.randrange(10**6)}-{number}" for number, name in enumerate(_names(logs))}
        if rng.random() < 0.3
        else {}
    )
    what = f"{len(logs)} logs in {zone.key} from {began:%Y-%m-%dT%H:%M:%S}Z at pace {pace:.2f}, names {names}"
    in_utc, store = _imported(folder, _written(logs, folder, began, pace, ZoneInfo("UTC"), {}), "--tz", "UTC")
    true = _facts(store), json.loads(in_utc.out)["unavailable"]["partition_ms"]
    written, store = _imported(folder, _written(logs, folder, began, pace, zone, names), "--tz", zone.key)
    if "one hour twice" in written.out + written.err:
        if not any(_begins_in_doubt(log, began, pace, zone) for log in logs):
            raise Finding(f"a doubt about the hour, though each log shows it: {what}")
        return
    if (found := (_facts(store), json.loads(written.out)["unavailable"]["partition_ms"])) != true:
        raise Finding(f"local times give other facts: {found[0][0]} {found[1]}, not {true[0][0]} {true[1]}: {what}")


def _begins_in_doubt(log: tuple[Line, ...], began: datetime, pace: float, zone: ZoneInfo) -> bool:
    """Its first line is of an hour that comes twice."""
    local = (began + timedelta(milliseconds=round(log[0].at_ms * pace))).astimezone(zone)
    return local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()


@cache
def _changes(zone: str, year: int) -> list[datetime]:
    """When the clocks of a zone change in a year (or its middle, if they never do), to the quarter of an hour."""
    first, there = datetime(year, 1, 1, tzinfo=UTC), ZoneInfo(zone)
    quarters = [first + timedelta(minutes=15 * n) for n in range(366 * 96)]
    offsets = [quarter.astimezone(there).utcoffset() for quarter in quarters]
    found = [quarters[n] for n in range(1, len(quarters)) if offsets[n] != offsets[n - 1]]
    return found or [datetime(year, 7, 1, tzinfo=UTC)]


def names(rng: Random, folder: Path) -> None:
    """With names that would act on a terminal, in a table, a spreadsheet or a page: no command lets them."""
    logs = _drawn(rng)
    made = {name: "".join(rng.choices(PIECES, k=rng.randint(1, 4))) for name in _names(logs) if rng.random() < 0.7}
    began = datetime(2024, 3, 1, 10, tzinfo=UTC)
    done, store = _imported(folder, _written(logs, folder, began, 1.0, ZoneInfo("UTC"), made))
    if done.status == 2:
        return
    for asked in rng.sample(ASKED, 3):
        words = (asked[0], "latest", *asked[1:], "--store", str(store))
        for form in rng.sample(("table", "json", "csv"), 2):
            if asked[0] not in ("replay", "verify") or form != "csv":
                call(*words, "--format", form)
    if rng.random() < 0.2:
        call("report", "latest", "-o", str(folder / "r.html"), "--store", str(store))
        page = (folder / "r.html").read_text(encoding="utf-8")
        if any(piece in page.partition("<body")[2] for piece in ("<b>orders", "<b>a", "<b>1", "\x1b", "\u202e")):
            raise Finding(f"a name acts in a report: {made}")
