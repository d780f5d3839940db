"""Logs as platforms export them, JSON and CSV: from wordings, cut, with wrong types, in two orders of two files."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random

from tests.adversary.called import USUAL_S, Finding, call
from tests.adversary.logs import line
from tests.incidents.exports.fuzz import EXAMPLES, mutated
from tests.incidents.exports.layouts import LAYOUTS, Line, arranged, lines_of
from tests.incidents.exports.more_layouts import MORE

_DAY_MS = 1_709_287_200_000


@cache
def _example() -> list[Line]:
    return [each for each in lines_of(EXAMPLES / "kill9-range") if "roup" in each.text]


def documents(rng: Random, folder: Path) -> None:
    """One or two documents of lines that exist, or that the wordings make; some are damaged."""
    made = [_document(rng, folder / name) for name in ("d0", "d1")[: rng.randint(1, 2)]]
    files = [str(path) for path in made]
    allowed = USUAL_S + sum(path.stat().st_size for path in made) / 20_000
    answers = []
    for number, order in enumerate((files, files[::-1])[: len(files)]):
        store = folder / f"documents{number}.db"
        for left in folder.glob(f"{store.name}*"):
            left.unlink()
        done = call("incident", "import", *order, "--store", str(store), "--format", "json", seconds=allowed)
        answer = json.loads(done.out) if done.status != 2 else None
        if answer is not None:
            total, lasts = answer["unavailable"]["partition_ms"], answer["simulated_ms"]
            if total is not None and not 0 <= total <= max(1, lasts) * 10_000_000:
                raise Finding(f"an import finds {total} partition-milliseconds in {lasts} ms")
            verified = call("verify", "latest", "--format", "json", "--store", str(store), seconds=allowed)
            if verified.status != 0:
                raise Finding(f"an import does not verify: {verified.err[-200:]!r}")
            answers.append((answer["facts"], json.loads(verified.out)["digest"]))
        else:
            answers.append((None, None))
    if len({*answers}) > 1:
        raise Finding(f"the order of two documents changes the run: {answers}")


def _document(rng: Random, where: Path) -> Path:
    """A document in a drawn layout; its name says which."""
    every = {**LAYOUTS, **{name: (write, (order,)) for name, (write, order) in MORE.items()}}
    name = rng.choice([*every])
    write, orders = every[name]
    count = rng.randint(1, 40)
    if rng.random() < 0.5:
        first = rng.randrange(len(_example()))
        lines = _example()[first : first + count]
    else:
        lines = [Line(_DAY_MS + 500 * n, line(rng, n), rng.choice(["pod-a", "pod-b"]), n) for n in range(count)]
    data = write(arranged(lines, rng.choice(orders))).encode("utf-8", "replace")
    if rng.random() < 0.6:
        data = mutated(data, rng)
    path = where.with_name(f"{where.name}-{name}")
    path.write_bytes(data)
    return path
