"""A store of each released shape still opens, is lifted to today's, and keeps every byte; a newer one is refused."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import LiteralString

import pytest

from groupsim.analysis.snapshots import replay_stored
from groupsim.storage import open_store, schema
from groupsim.storage.audit import audit
from groupsim.storage.errors import NewerStore, StoreError
from groupsim.storage.store import RunStatus
from tests.postgres import Server
from tests.storage.facts import plain, write

STORES = Path(__file__).with_name("stores")
RUN, DIGEST = "d5ca70f7c434", "16ba5b1f71a1594b32632a2a60c9361b13d14d57d0d25bea925f6bd2e54e9b18"
"""`groupsim run zombie_member --record facts`; beside it a run `killed` of 20 facts whose writer was gone."""


@pytest.mark.parametrize("number", range(1, schema.SCHEMA_VERSION))
def test_a_store_of_each_older_shape_opens_and_is_lifted(tmp_path: Path, number: int) -> None:
    file = tmp_path / "store.db"
    shutil.copy(STORES / f"schema-{number}.db", file)
    store = open_store(file)
    info = store.find(RUN)
    assert (info.facts, info.digest, store.digest(RUN)) == (281, DIGEST, DIGEST)
    assert audit(store, info) is None
    assert len(list(store.read(RUN))) == 281
    assert replay_stored(store, info)["groups"]["billing"]["state"] == "Stable"
    writer = store.resume("killed")
    writer.append(500, "group:g", [plain(20)])
    writer.finish(RunStatus.FINISHED, 500)
    assert audit(store, store.find("killed")) is None
    store.close()


@pytest.mark.parametrize("number", range(1, schema.SCHEMA_VERSION))
def test_a_lifted_store_has_the_same_tables_and_guards_as_a_new_one(tmp_path: Path, number: int) -> None:
    shutil.copy(STORES / f"schema-{number}.db", tmp_path / "old.db")
    shapes = []
    for name in ("old.db", "new.db"):
        open_store(tmp_path / name).close()
        connection = sqlite3.connect(tmp_path / name)
        words = 'SELECT m.name, c.name, c.type, c."notnull", c.pk FROM sqlite_master m, pragma_table_info(m.name) c'
        columns = connection.execute(f"{words} WHERE m.type = 'table' ORDER BY 1, 2").fetchall()
        guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY 1").fetchall()
        kinds = connection.execute("SELECT name, wr, strict FROM pragma_table_list WHERE schema = 'main' ORDER BY 1")
        shapes.append((columns, guards, kinds.fetchall()))
        connection.close()
    assert shapes[0] == shapes[1]


def test_there_is_a_store_of_every_older_schema() -> None:
    assert {file.name for file in STORES.glob("*.db")} == {
        f"schema-{number}.db" for number in range(1, schema.SCHEMA_VERSION)
    }


def test_two_that_come_to_a_new_schema_of_a_server_at_once_share_it(postgres: Server) -> None:
    url = postgres.schema("shared")
    one, two = open_store(url), open_store(url)
    write(one, "a", 3)
    write(two, "b", 3)
    assert [run.id for run in one.runs()] == ["a", "b"]
    one.close()
    two.close()


def test_a_newer_store_on_a_server_is_refused(postgres: Server) -> None:
    url = postgres.schema("newer")
    open_store(url).close()
    with postgres.connect() as connection:
        connection.execute("UPDATE newer.groupsim SET number = 99")
    with pytest.raises(NewerStore, match=r"postgresql://127\.0\.0\.1.* was written by a newer groupsim .*schema 99"):
        open_store(url)


def test_tables_of_another_program_are_left_alone(postgres: Server) -> None:
    url = postgres.schema("strange")
    with postgres.connect() as connection:
        connection.execute("CREATE TABLE strange.runs (x INTEGER)")
    with pytest.raises(StoreError, match="has a table runs of another program"):
        open_store(url)


def test_a_server_refuses_to_change_or_delete_facts(postgres: Server) -> None:
    store = open_store(postgres.schema("guarded"))
    write(store, "a", 3).finish(RunStatus.FINISHED, 1)
    words: dict[LiteralString, str] = {
        "UPDATE guarded.facts SET at_ms = 0": "facts are never changed or deleted",
        "DELETE FROM guarded.facts": "facts are never changed or deleted",
        "TRUNCATE guarded.facts": "facts are never changed or deleted",
        "UPDATE guarded.runs SET seed = 1": "nor changed once it is over",
        "DELETE FROM guarded.runs": "a run is never deleted",
    }
    with postgres.connect() as connection:
        for statement, sentence in words.items():
            with pytest.raises(Exception, match=sentence):
                connection.execute(statement)
    assert audit(store, store.find("a")) is None
    store.close()
