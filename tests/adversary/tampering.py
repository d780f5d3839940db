"""Stores and exports that somebody changed: a bit, a field, the order. The number is the true one, or there is none."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pyarrow.parquet as pq

from groupsim.events.errors import GroupsimError
from groupsim.pipeline.export import RUN_KEY
from groupsim.storage import open_store
from groupsim.storage.audit import audit
from tests.adversary.called import Finding, call, within

ASKED = (("unavailable", "latest"), ("timeline", "latest"), ("rebalances", "latest"), ("blame", "latest"))
TYPES = ("ViewChanged", "PositionReady", "CallbackEnd", "AssignmentStored", "Closed", "CallbackStart")
SCENARIO = ("run", "close_during_rebalance")


_LOOSE = 0.4
ODD = ("NULL", "x'00ff'", "x'80'", "''", "'x'", "-1", "0", "1.5", str(2**63 - 1), "CAST(x'ff61' AS TEXT)")
"""Values of any kind, as SQL."""


@cache
def originals(folder: Path) -> dict[str, Any]:
    """A store with one run, its exports, and the true answers; made once in a folder."""
    store = folder / "true.db"
    if not store.exists():
        call(*SCENARIO, "--store", str(store))
        call("export", "latest", "--to", str(folder / "true.jsonl"), "--store", str(store))
        call("export", "latest", "--to", str(folder / "lake"), "--store", str(store))
    answers = {asked: call(*asked, "--format", "json", "--store", str(store)).out for asked in ASKED}
    with_rows = open_store(store, create=False)
    (info,) = with_rows.runs()
    rows = list(with_rows.rows(info.id))
    damage = audit(with_rows, info)
    with_rows.close()
    if damage is not None or [row[0] for row in rows] != list(range(info.facts)):
        raise Finding(f"a run that nobody touched is damaged: {damage}")
    return {"store": store, "answers": answers, "info": info, "rows": rows}


def flip(data: bytes, rng: Random) -> bytes:
    """One bit, or a few bytes, or the end are another."""
    at = rng.randrange(len(data))
    kind = rng.randrange(4)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + rng.randbytes(rng.randint(1, 8)) + data[at + rng.randint(1, 8) :]
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def store_bits(rng: Random, folder: Path) -> None:
    """A store with a flipped bit answers truly or not at all."""
    true = originals(folder)
    broken = folder / "broken.db"
    broken.write_bytes(flip(true["store"].read_bytes(), rng))
    asked = rng.choice(ASKED)
    answered = call(*asked, "--format", "json", "--store", str(broken))
    if answered.status == 0 and answered.out != true["answers"][asked]:
        raise Finding(f"{asked[0]} of a store with a flipped bit answers otherwise, with status 0")


def store_fields(rng: Random, folder: Path) -> None:
    """A store in which a value was changed by SQL answers truly or not at all."""
    true = originals(folder)
    changed = folder / "changed.db"
    shutil.copy(true["store"], changed)
    connection = sqlite3.connect(changed)
    for trigger in ("facts_stay", "facts_remain", "runs_stay"):
        connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    seq = rng.randrange(true["info"].facts)
    statement = rng.choice(
        [
            f"UPDATE facts SET at_ms = at_ms + 300 WHERE type = '{rng.choice(TYPES)}'",
            f"UPDATE facts SET at_ms = at_ms + 700 WHERE type = '{rng.choice(TYPES)}'",
            f"UPDATE facts SET at_ms = at_ms + {rng.choice([1, -1, 10**9, -(10**15)])} WHERE seq = {seq}",
            f"DELETE FROM facts WHERE seq = {seq}",
            f"UPDATE facts SET body = replace(body, '1', '2') WHERE seq = {seq} AND body LIKE '%1%'",
            f"UPDATE facts SET body = '{rng.choice(['', '{', '[]', 'null', '[' * 5000])}' WHERE seq = {seq}",
            f"UPDATE facts SET type = '{rng.choice(['Nothing', 'Crashed', ''])}' WHERE seq = {seq}",
            f"UPDATE runs SET {rng.choice(['seed = 99', 'origin = 1', 'summary = 0', 'facts = 3', 'params = 5'])}",
            "UPDATE runs SET digest = NULL",
            f"UPDATE runs SET name = '{rng.choice(['=1', 'x'])}'",
        ]
    )
    if rng.random() < _LOOSE:
        statement = _loosened(connection, rng)
    edited = connection.execute(statement).rowcount
    connection.commit()
    connection.close()
    asked = rng.choice(ASKED)
    answered = call(*asked, "--format", "json", "--store", str(changed))
    if edited and answered.status == 0 and answered.out != true["answers"][asked]:
        raise Finding(f"{asked[0]} answers otherwise, with status 0, after {statement[:120]}")


def _loosened(connection: sqlite3.Connection, rng: Random) -> str:
    """Take the constraints of a table away, as a bit can; a statement that puts a value where none of its kind was."""
    table = rng.choice(("runs", "runs", "facts", "marks"))
    column = rng.choice([name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")])
    connection.execute(f"CREATE TABLE loose AS SELECT * FROM {table}")
    connection.execute(f"DROP TABLE {table}")
    connection.execute(f"ALTER TABLE loose RENAME TO {table}")
    where = rng.choice(("", f" WHERE rowid = {rng.randint(1, 9)}"))
    return f'UPDATE {table} SET "{column}" = {rng.choice(ODD)}{where}'


def exports(rng: Random, folder: Path) -> None:
    """A changed export is refused, or what is imported is what was exported."""
    true = originals(folder)
    kind = rng.choice([_bits_of_lines, _bits_of_parquet, _fields, _order, _head])
    file = kind(rng, folder)
    target = folder / "other.db"
    for left in folder.glob("other.db*"):
        left.unlink()
    done = call("import", str(file), "--store", str(target))
    if not target.exists():
        return
    opened = open_store(target, create=False)
    try:
        with within(20, "reading an import"):
            runs = opened.runs()
            same = runs == [true["info"]] and list(opened.rows(true["info"].id)) == true["rows"]
    except GroupsimError as error:
        raise Finding(f"an import of a changed export can't be read: {error}") from error
    finally:
        opened.close()
    if runs and not same:
        raise Finding(f"{kind.__name__}: a changed export was imported with status {done.status}")


def _bits_of_lines(rng: Random, folder: Path) -> Path:
    file = folder / "x.jsonl"
    file.write_bytes(flip((folder / "true.jsonl").read_bytes(), rng))
    return file


def _bits_of_parquet(rng: Random, folder: Path) -> Path:
    file = folder / "x.parquet"
    (true,) = (folder / "lake").rglob("*.parquet")
    file.write_bytes(flip(true.read_bytes(), rng))
    return file


VALUES: tuple[object, ...] = (0, -1, 2**62, 10**30, 1.5, "", "x", "\x00", "2026", None, True, [], {}, [[]], {"a": 1})


def _fields(rng: Random, folder: Path) -> Path:
    lines = (folder / "true.jsonl").read_bytes().splitlines()
    number = rng.choice([0, 0, rng.randrange(len(lines))])
    line = msgspec.json.decode(lines[number])
    inner = rng.choice([part for part in (line, line["body"], line.get("info")) if part])
    before = dict(inner)
    key = rng.choice([*inner, "new"])
    inner[key] = rng.choice(VALUES)
    if inner == before and inner[key] == before[key]:
        inner["more"] = 1
    lines[number] = msgspec.json.encode(line)
    file = folder / "x.jsonl"
    file.write_bytes(b"\n".join(lines) + b"\n")
    return file


def _order(rng: Random, folder: Path) -> Path:
    lines = (folder / "true.jsonl").read_bytes().splitlines()
    one, other = rng.sample(range(len(lines)), 2)
    change: Callable[[], object] = rng.choice([lambda: lines.pop(one), lambda: lines.insert(one, lines[other])])
    change()
    file = folder / "x.jsonl"
    file.write_bytes(b"\n".join(lines) + b"\n")
    return file


def _head(rng: Random, folder: Path) -> Path:
    (true,) = (folder / "lake").rglob("*.parquet")
    table = pq.ParquetFile(true).read()
    about = msgspec.json.decode(table.schema.metadata[RUN_KEY])
    key = rng.choice([key for key in about if key not in ("seal", "format")])
    about[key] = next(value for value in rng.sample(VALUES, len(VALUES)) if value != about[key])
    file = folder / "x.parquet"
    pq.write_table(table.replace_schema_metadata({RUN_KEY: msgspec.json.encode(about)}), file)
    return file
