"""Logs made of the wordings themselves, cut, repeated, mixed and dated anyhow: an answer or a sentence, in time."""

from __future__ import annotations

import csv
import importlib
import json
import re
from functools import cache
from pathlib import Path
from random import Random

from groupsim.incidents.exports.document import _JOURNAL
from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Wording
from tests.adversary.called import USUAL_S, Finding, call, within
from tests.incidents.test_linear_patterns import example, grows_too_fast, hostile, patterns, wordings

PARSER = importlib.import_module("re._parser")
NAMES = (
    "orders-0",
    "orders-1",
    "=cmd|x",
    "+1",
    "a\x1b[2Jb",
    "\u202eevil",
    "x" * 300,
    "t-99999999999",
    "",
    "%s{}",
    "\\u0000",
)
FORMULA = "[Consumer clientId==cmd|x, groupId==cmd|y] "
DATES = ("2024-03-01", "2024-10-27", "1970-01-01", "9999-12-31", "0001-01-01", "2024-02-30")
HEADS = (
    "[{} {}:{:02}:{:02},{:03}] INFO ",
    "{} {}:{:02}:{:02}.{:03} INFO ",
    '{{"time": "{} {}:{:02}:{:02}.{:03}", "msg": "',
)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "+14:00", "Pacific/Chatham", "Australia/Lord_Howe")


@cache
def every_wording() -> tuple[Wording, ...]:
    """All wordings of all producers, in an order that does not change."""
    return tuple(wording for _, wording in sorted(wordings().items()))


@cache
def _every_pattern() -> tuple[str, ...]:
    """All patterns of the readers, but for one that is only tried at the start of lines that end."""
    return tuple(sorted(patterns() - {_JOURNAL.pattern.decode()}))


def line(rng: Random, second: int) -> str:
    """A line that a wording may fit, with a head that a layout may have, damaged now and then."""
    wording = rng.choice(every_wording())
    text = f"{wording.fixed} " if wording.fixed not in (made := example(PARSER.parse(wording.pattern.pattern))) else ""
    text += made
    if rng.random() < 0.4:
        text = text.replace("w", rng.choice(NAMES), 1)
    if rng.random() < 0.3:
        text = text.replace("1", str(rng.choice([0, 7, 2**31, 10**18, -1])), 1)
    if rng.random() < 0.2:
        text = text[: rng.randrange(1 + len(text))] + rng.choice(
            ["", "\x00", "\ufffd", '"', "}", "[", "\t", "TopicPartition("]
        )
    if rng.random() < 0.05:
        text = text * rng.randint(2, 50)
    day = DATES[0] if rng.random() < 0.93 else rng.choice(DATES)
    head = rng.choice(HEADS).format(
        day, f"{(10 + second // 3600) % 24:02}", second // 60 % 60, second % 60, rng.randrange(1000)
    )
    client = rng.choice(["", "[Consumer clientId=c1, groupId=billing] ", "[GroupCoordinator 1]: ", FORMULA])
    return head + client + text + ('"}' if head.startswith("{") else "")


def whole_logs(rng: Random, folder: Path) -> None:
    """One or two logs are imported and looked at."""
    files = []
    size = 0
    for name in ("a.log", "b.log")[: rng.randint(1, 2)]:
        second, lines = 0, []
        for _ in range(rng.randint(1, 60)):
            second += rng.choice([0, 0, 1, 3, 60])
            lines.append(line(rng, second))
        if rng.random() < 0.2:
            rng.shuffle(lines)
        data = "\n".join(lines).encode("utf-8", "replace")
        if rng.random() < 0.1:
            data = data[: len(data) // 2] + rng.randbytes(20) + data[len(data) // 2 :]
        (folder / name).write_bytes(data)
        files.append(str(folder / name))
        size += len(data)
    store = folder / "logs.db"
    for left in folder.glob("logs.db*"):
        left.unlink()
    options = ["--tz", rng.choice(ZONES)] if rng.random() < 0.4 else []
    options += ["--topic", f"orders={rng.choice([1, 12, 10**7])}"] if rng.random() < 0.3 else []
    options += ["--session-timeout", "6000"] if rng.random() < 0.2 else []
    allowed = USUAL_S + size / 50_000
    done = call("incident", "import", *files, *options, "--store", str(store), "--format", "json", seconds=allowed)
    if done.status == 2:
        return
    answer = json.loads(done.out)
    total, share = answer["unavailable"]["partition_ms"], answer["simulated_ms"]
    if total is not None and not 0 <= total <= max(1, share) * 10_000_000:
        raise Finding(f"an import finds {total} partition-milliseconds in {share} ms")
    asked = rng.choice([("timeline",), ("unavailable",), ("show", "--limit", "500"), ("rebalances",), ("blame",)])
    shown = (asked[0], "latest", *asked[1:], "--store", str(store))
    call(*shown, seconds=allowed)  # a table, in which no name may act on the terminal
    printed = call(*shown, "--format", "csv", seconds=allowed)
    for row in csv.reader(printed.out.splitlines()):
        if any(cell.startswith(("=", "+", "@")) for cell in row):
            raise Finding(f"{asked[0]} prints a cell of CSV that is a formula: {row}")
    if rng.random() < 0.2:
        call("report", "latest", "-o", str(folder / "r.html"), "--store", str(store), seconds=allowed)


def growing_lines(rng: Random, folder: Path) -> None:
    """A line that repeats a piece of a wording's pattern takes four times as long if it is four times as long; so does
    one that repeats a piece of any pattern of the readers, for that pattern alone."""
    if rng.random() < 0.3:
        pattern = re.compile(rng.choice(_every_pattern()))
        with within(60, f"pattern {pattern.pattern[:100]!r}"):
            slow = grows_too_fast(pattern.search, hostile(pattern.pattern), 8_000)
        if slow is not None:
            raise Finding(f"pattern {pattern.pattern[:200]!r} takes more than linear time: {slow[:100]!r}")
        return
    wording = rng.choice(every_wording())
    look = wording.read
    with within(60, f"wording {wording.pattern.pattern[:100]!r}"):
        lines = list(hostile(wording.pattern.pattern, wording.fixed))
        chosen = rng.sample(lines, min(2, len(lines)))
        slow = grows_too_fast(lambda text: look(Record(1, text)), iter(chosen), 8_000)
    if slow is not None:
        raise Finding(f"wording {wording.pattern.pattern[:200]!r} takes more than linear time: {slow[:100]!r}")
