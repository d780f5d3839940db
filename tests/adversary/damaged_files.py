"""Files that commands read, damaged: problems, scripts, recorded runs, end offsets, a kept advice."""

from __future__ import annotations

import contextlib
import gzip
import json
import shutil
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from tests.adversary.advices import OF_SCENARIO
from tests.adversary.called import Called, Finding, call
from tests.adversary.interrupted import LOGS
from tests.adversary.tampering import VALUES, flip, originals
from tests.incidents.exports.fuzz import mutated

GOLDEN = Path(__file__).parents[1] / "golden"


@cache
def some(file: Path, most: int = 40) -> list[bytes]:
    """The first short lines of a file of golden cases."""
    with gzip.open(file) as lines:
        return [line for line in islice(lines, 400) if len(line) < 6_000][:most]


def emptied(here: Path) -> Path:
    """This folder, with nothing in it."""
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir()
    return here


@cache
def stores(folder: Path) -> tuple[str, ...]:
    """A store of a simulation, one of logs, one that is damaged, and no store."""
    true, logs, broken = originals(folder)["store"], folder / "logs-of-commands.db", folder / "broken-of-commands.db"
    call("incident", "import", *map(str, LOGS), "--store", str(logs))
    broken.write_bytes(flip(logs.read_bytes(), Random(7)))
    return str(true), str(logs), str(broken), str(folder / "none.db")


def files(rng: Random, folder: Path) -> None:
    """A damaged file for a command that reads one: problems, scripts, recorded runs, end offsets, a kept advice."""
    rng.choice([_problems, _scripts, _recording, _ends, _kept])(rng, folder)


def _problems(rng: Random, folder: Path) -> None:
    file = folder / "problems.jsonl"
    lines = rng.choices(some(GOLDEN / "assignors" / rng.choice(("fixed.jsonl.gz", "edge.jsonl.gz"))), k=3)
    file.write_bytes(_wrong(lines, rng))
    names = rng.choices(("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "optimal-sticky"), k=2)
    asked = ["assign", "--input", str(file), *(word for name in names for word in ("--assignor", name))]
    _lines_are_json(asked, call(*asked, *rng.choice(([], ["--explain"]))))


def _scripts(rng: Random, folder: Path) -> None:
    file = folder / "scripts.jsonl"
    source = GOLDEN / rng.choice(("broker", "consumer-protocol")) / "cases.jsonl.gz"
    lines = rng.choices(some(source), k=2)
    file.write_bytes(_wrong(lines, rng))
    asked = ["conformance", rng.choice(("play", "check")), str(file)]
    done = call(*asked)
    if asked[1] == "play":
        _lines_are_json(asked, done)


def _recording(rng: Random, folder: Path) -> None:
    file = folder / "recording.json"
    file.write_bytes(_wrong([(LOGS[0].parent / "recording.json").read_bytes()], rng))
    asked = ["conformance", rng.choice(("reenact", "check")), str(file), "--seeds", "0:1"]
    call(*asked)


def _ends(rng: Random, folder: Path) -> None:
    file = folder / "ends.csv"
    instants = ("2024-03-01T10:00:00Z", "0", "1709287200000", "x", "9999-12-31T23:59:59Z", "")
    lines = [f"{rng.choice(instants)},orders,{n},{rng.choice((0, 5, 10**18, -1))}" for n in range(rng.randint(1, 9))]
    lines += rng.choices(("orders:0:17", "orders:x", "orders:0:-5", ""), k=rng.randint(0, 3))
    data = "\n".join(lines).encode()
    file.write_bytes(mutated(data, rng) if rng.random() < 0.5 else data)
    store = rng.choice(stores(folder)[:2])
    call("lag", "latest", "--ends", str(file), "--store", store, *rng.choice(([], ["--catch-up"])), "--format", "json")


def _kept(rng: Random, folder: Path) -> None:
    """An advice whose kept runs somebody changed answers the same."""
    kept, answer = _advice(folder)
    changed = emptied(folder / "changed-advice")
    shutil.copytree(kept, changed, dirs_exist_ok=True)
    for file in rng.sample(sorted((changed / "results").iterdir()), 2):
        data = file.read_bytes()
        file.write_bytes(mutated(data, rng) if rng.random() < 0.5 else flip(data, rng))
    done = call(*OF_SCENARIO, "--to", str(changed), "--resume", "--jobs", "1", "--format", "json")
    if done.out != answer:
        raise Finding(f"an advice whose kept runs were changed answers otherwise: {done.status} {done.err[-200:]!r}")


@cache
def _advice(folder: Path) -> tuple[Path, str]:
    done = call(*OF_SCENARIO, "--to", str(folder / "advice"), "--jobs", "1", "--format", "json")
    return folder / "advice", done.out


def _wrong(lines: list[bytes], rng: Random) -> bytes:
    """Lines of JSON with wrong bytes, or right JSON with wrong values."""
    return _damaged(b"".join(lines), rng) if rng.random() < 0.5 else b"".join(_other(line, rng) for line in lines)


def _damaged(data: bytes, rng: Random) -> bytes:
    return mutated(data, rng) if rng.random() < 0.8 else flip(data, rng)


def _other(line: bytes, rng: Random) -> bytes:
    """The same JSON with one value, somewhere in it, that is another one or is gone."""
    whole: Any = json.loads(line)
    at: Any = {"": whole}
    place: Any = ""
    while isinstance(at[place], dict | list) and at[place] and rng.random() < 0.9:
        at = at[place]
        place = rng.choice([*at]) if isinstance(at, dict) else rng.randrange(len(at))
    if rng.random() < 0.2:
        del at[place]
    else:
        at[place] = rng.choice((*VALUES, [at[place]], {"x": at[place]}, at))
    with contextlib.suppress(ValueError):  # it would contain itself
        line = json.dumps(whole).encode()
    return line + b"\n"


def _lines_are_json(asked: list[str], done: Called) -> None:
    for line in done.out.splitlines():
        try:
            json.loads(line)
        except ValueError as error:
            raise Finding(f"{' '.join(asked)[:300]}: prints a line that is no JSON: {error}") from None
