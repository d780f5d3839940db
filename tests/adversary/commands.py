"""Every command of the program with options drawn from its own list: an answer or a sentence."""

from __future__ import annotations

import contextlib
import csv
import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import typer

from groupsim.cli.main import app
from tests.adversary.called import Called, Finding, call
from tests.adversary.damaged_files import GOLDEN, emptied, some, stores
from tests.adversary.interrupted import LOGS
from tests.adversary.logs import NAMES, ZONES
from tests.adversary.tampering import originals

NOT_HERE = ("sweep", "sweep-report", "doctor", "tour", "incident record", "conformance predict")
"""They start Spark or ask brokers, or take minutes; a sweep has areas of its own."""
NUMBERS = ("0", "1", "2", "7", "-1", "1.5", "1e9", "nan", "inf", "-inf", "", "x", "9" * 25, "0x10", "1_000", "\u0663")
TEXTS = (*NAMES, *NUMBERS, "latest", "-", "--", "a=b", "a=1,2", "=", "a=", "orders=3", "partition_ms", "range,sticky")
PLACES = ("new.jsonl", "new", "a/b/c", "x" * 300, "\udcff", "", ".", "/dev/null", "-x", "runs.jsonl", "app.log.gz")
ENDLESS = ("--budget", "--jobs", "--seeds", "--every")
"""What makes sense of these can be asked for by the thousand, and is computed: a small number is always given."""
FITTING = {
    "scenario": ("close_during_rebalance", "steady_state"),
    "about": ("close_during_rebalance", "latest"),
    "kind": ("timeline", "unavailable", "lag", "rebalance", "compare", "pareto", "flips"),
    "name": ("story", "a/story"),
    "files": ("scripts.jsonl", "recording.json"),
    "logs": ("app.log.gz",),
    "paths": ("runs.jsonl",),
    "--input": ("problems.jsonl",),
    "--to": ("new.jsonl", "new"),
    "--output": ("new.png", "new.html"),
    "--ends": ("ends.csv",),
    "--scenario": ("close_during_rebalance",),
    "--vary": ("session.timeout.ms=6000,10000", "session.timeout.ms=6000..7000"),
    "--unknown": ("heartbeat.interval.ms=1000..3000",),
    "--minimize": ("partition_ms", "lag_peak", "drain_ms"),
    "--subject-to": ("rebalances<=3", "lag_peak<=1000"),
    "--set": ("session.timeout.ms=6000", "heartbeat.interval.ms=1000"),
    "--assume": ("session.timeout.ms=6000", "client=java"),
    "--topic": ("orders=12",),
    "--rate": ("orders=10", "orders=0.5"),
    "--assignor": ("range", "sticky", "cooperative-sticky", "uniform", "optimal-sticky"),
    "--by": ("partition", "label", "member", "cause", "group"),
    "--type": ("ViewChanged",),
    "--group": ("billing", "orders"),
    "--tz": ZONES,
    "--seeds": ("0:1", "3", "0:2"),
    "--budget": ("4", "8"),
    "--jobs": ("1",),
    "--every": ("1000", "60000"),
    "--confidence": ("0.9", "0.5"),
    "--between": ("0", "30000", "1000"),
    "--record": ("all", "facts"),
    "--protocol": ("classic", "consumer"),
    "--date": ("2024-03-01",),
    "--format": ("table", "json", "jsonl", "csv"),
}


@cache
def _commands() -> tuple[tuple[str, Any], ...]:
    """Every command that can be called, by its words."""

    def leaves(words: str, command: Any) -> Iterator[tuple[str, Any]]:
        if not hasattr(command, "commands"):
            yield words, command
        for name, each in getattr(command, "commands", {}).items():
            yield from leaves(f"{words} {name}".strip(), each)

    return tuple((words, each) for words, each in leaves("", typer.main.get_command(app)) if words not in NOT_HERE)


def options(rng: Random, folder: Path) -> None:
    """A command with arguments that fit, and some that make no sense: an answer or a sentence."""
    here, odd = emptied(folder / "commands"), rng.choice((0.02, 0.2, 0.6))
    words, command = rng.choice(_commands())
    arguments, given = list[str](), list[str]()
    for each in command.params:
        name = each.opts[-1]
        if not name.startswith("-"):
            arguments += _values(rng, folder, here, each.name, each, odd)
        elif each.required or name in ("--store", *ENDLESS) or (rng.random() < 0.25 and name != "--help"):
            given += [name, *([] if each.is_flag else _values(rng, folder, here, name, each, odd))]
    _files(folder, here)
    asked = [*words.split(), *arguments, *given]
    with contextlib.chdir(here):
        _parsed(asked, call(*asked))


def _values(rng: Random, folder: Path, here: Path, name: str, option: Any, odd: float) -> list[str]:
    """Words for one option or argument."""
    count = option.nargs if option.nargs > 0 else rng.randint(1, 3)
    return [_value(rng, folder, here, name, option, odd) for _ in range(count)]


def _value(rng: Random, folder: Path, here: Path, name: str, option: Any, odd: float) -> str:
    if name == "--store":
        store = Path(rng.choice(stores(folder)))
        if store.exists():
            shutil.copy(store, here / store.name)  # commands write into it
        return store.name
    kind = str(option.type_descriptor)
    number = "'int'" in kind or "'float'" in kind
    if rng.random() >= odd:
        return rng.choice(FITTING.get(name, ("1", "5000") if number else ("latest",)))
    if name in ENDLESS:
        return rng.choice(("5:1", "0:", ":3", "x:y", "9" * 25, "", "x", "-1", "0"))
    return rng.choice(NUMBERS if number else PLACES if "Path" in kind else TEXTS)


def _files(folder: Path, here: Path) -> None:
    """Files that fit, small ones."""
    originals(folder)
    shutil.copy(folder / "true.jsonl", here / "runs.jsonl")
    shutil.copy(LOGS[0], here / "app.log.gz")
    shutil.copy(LOGS[0].parent / "recording.json", here / "recording.json")
    (here / "problems.jsonl").write_bytes(b"".join(some(GOLDEN / "assignors" / "fixed.jsonl.gz")[:3]))
    (here / "scripts.jsonl").write_bytes(b"".join(some(GOLDEN / "broker" / "cases.jsonl.gz")[:3]))
    (here / "ends.csv").write_text("2024-03-01T10:00:00Z,orders,0,17\n")


def _parsed(asked: list[str], done: Called) -> None:
    """What is said to be JSON or CSV is. Raises Finding."""
    form = asked[asked.index("--format") + 1] if "--format" in asked else ""
    try:
        if done.status != 2 and form == "json" and done.out:
            json.loads(done.out)
        if done.status != 2 and form == "jsonl":
            [json.loads(line) for line in done.out.splitlines()]
    except ValueError as error:
        raise Finding(f"{ascii(' '.join(asked))[:300]}: no JSON: {error}") from None
    if form == "csv":
        for row in csv.reader(done.out.splitlines()):
            if any(cell.startswith(("=", "+", "@")) for cell in row):
                raise Finding(f"{ascii(' '.join(asked))[:300]}: a cell is a formula: {row}")
