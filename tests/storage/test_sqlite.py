"""What is particular to the SQLite file: its tables, damage in it, and files that are something else."""

from __future__ import annotations

import os
import pwd
import shutil
import sqlite3
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from groupsim.events.errors import GroupsimError
from groupsim.storage import open_store, schema
from groupsim.storage.audit import audit, refuse_damaged
from groupsim.storage.errors import NewerStore, StoreError, UnknownFact
from groupsim.storage.memory import MemoryStore
from groupsim.storage.sql import SqlStore
from groupsim.storage.store import RunStatus, RunWriter
from tests.storage.facts import info, plain, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one finished run `a` of 1,200 facts."""
    file = tmp_path / "store.db"
    store = open_store(file)
    write(store, "a", 1200).finish(RunStatus.FINISHED, 12_000)
    store.close()
    return file


def change(path: Path, *statements: str) -> None:
    """Damage a store behind its back: the guards are taken away first, as whoever can write to the file can do."""
    connection = sqlite3.connect(path)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        assert connection.execute(statement).rowcount != 0
    connection.commit()
    connection.close()


def ask(path: Path, question: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    answer = connection.execute(question).fetchall()
    connection.close()
    return answer


def test_the_tables_are_strict_and_facts_have_no_rowid(path: Path) -> None:
    tables = ask(path, "SELECT name, wr, strict FROM pragma_table_list WHERE name IN ('runs', 'facts') ORDER BY name")
    assert tables == [("facts", 1, 1), ("runs", 0, 1)]
    assert ask(path, "PRAGMA journal_mode") == [("wal",)]
    assert ask(path, "PRAGMA user_version") == [(schema.SCHEMA_VERSION,)]
    columns = [name for _, name, *_ in ask(path, "PRAGMA table_info(facts)")]
    assert columns == ["run", "seq", "at_ms", "stream", "version", "type", "schema", "body", "source"]


@pytest.mark.parametrize(
    "damage",
    [
        ["UPDATE facts SET body = replace(body, 'm700\"', 'm701\"') WHERE seq = 700"],
        ["UPDATE facts SET at_ms = at_ms + 1 WHERE seq = 0"],
        ["UPDATE facts SET stream = 'group:h' WHERE seq = 3"],
        ["UPDATE facts SET source = 'x.log:1' WHERE seq = 3"],
        ["DELETE FROM facts WHERE seq = 1199"],
        ["DELETE FROM facts WHERE seq = 7", "UPDATE facts SET seq = seq - 1 WHERE seq > 7"],
        [
            "UPDATE facts SET seq = -1 WHERE seq = 5",
            "UPDATE facts SET seq = 5 WHERE seq = 6",
            "UPDATE facts SET seq = 6 WHERE seq = -1",
        ],
    ],
    ids=["flipped byte", "other time", "other stream", "other source", "missing end", "missing middle", "swapped"],
)
def test_damage_shows_in_the_digest(path: Path, damage: list[str]) -> None:
    with SqlStore(f"sqlite:///{path}") as store:
        assert store.digest("a") == store.find("a").digest
        change(path, *damage)
        assert store.digest("a") != store.find("a").digest


def test_a_fact_that_can_not_be_read_is_named_by_run_and_seq(path: Path) -> None:
    change(path, "UPDATE facts SET type = 'Levitated' WHERE seq = 40")
    with SqlStore(f"sqlite:///{path}") as store, pytest.raises(UnknownFact, match="'Levitated' at run a, seq 40"):
        list(store.read("a"))


@pytest.mark.parametrize(("damage", "odd"), [("id = NULL", "None"), ("name = x'00'", r"b'\\x00'")])
def test_an_id_or_a_name_that_is_no_text_is_damage_whatever_run_is_asked_for(path: Path, damage: str, odd: str) -> None:
    """As one flipped bit in the row's head makes of it, which no constraint of the table stops."""
    loose = ["CREATE TABLE loose AS SELECT * FROM runs", f"UPDATE loose SET {damage}", "DROP TABLE runs"]
    change(path, *loose, "ALTER TABLE loose RENAME TO runs")
    with SqlStore(f"sqlite:///{path}") as store:
        for reference in ("latest", "a", "billing"):
            with pytest.raises(StoreError, match=f"damaged: {odd} can't be the id or the name of a run"):
                store.find(reference)


def test_a_checksum_of_no_number_of_facts_is_damage(path: Path) -> None:
    change(path, "CREATE TABLE loose AS SELECT * FROM marks", "INSERT INTO loose SELECT run, NULL, digest FROM marks")
    change(path, "DROP TABLE marks", "ALTER TABLE loose RENAME TO marks")
    with SqlStore(f"sqlite:///{path}") as store, pytest.raises(StoreError, match="of None facts"):
        refuse_damaged(store, store.find("a"))


def test_a_newer_store_is_refused_in_a_sentence(path: Path) -> None:
    change(path, "PRAGMA user_version = 99")
    with pytest.raises(NewerStore, match=r"store\.db was written by a newer groupsim \(store schema 99; .* up to 2\)"):
        open_store(path)


def test_an_older_store_is_lifted_and_keeps_its_facts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqlStore(f"sqlite:///{path}") as store:
        digest = store.digest("a")
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 4)
    with pytest.raises(StoreError, match="has store schema 2; there is no step from 2 to 3"):
        open_store(path)
    monkeypatch.setitem(schema.MIGRATIONS, 2, ("ALTER TABLE runs ADD COLUMN note TEXT",))
    monkeypatch.setitem(schema.MIGRATIONS, 3, ("ALTER TABLE runs ADD COLUMN more TEXT", "nonsense"))
    with pytest.raises(StoreError, match="syntax error"):
        open_store(path)
    assert ask(path, "PRAGMA user_version") == [(2,)]
    assert "note" not in [name for _, name, *_ in ask(path, "PRAGMA table_info(runs)")]
    monkeypatch.setitem(schema.MIGRATIONS, 3, ("ALTER TABLE runs ADD COLUMN more TEXT DEFAULT 'lifted'",))
    with SqlStore(f"sqlite:///{path}") as store:
        assert store.digest("a") == digest == store.find("a").digest
    assert ask(path, "PRAGMA user_version") == [(4,)]
    assert ask(path, "SELECT more FROM runs") == [("lifted",)]


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database\n" * 100)
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    before = other.read_bytes()
    sentences = {
        text: r"notes\.txt can't be used: file is not a database",
        other: r"other\.db is an SQLite database of another program",
        tmp_path: "can't be used: unable to open database file",
        tmp_path / "nowhere" / "store.db": "can't be used: unable to open database file",
    }
    for file, sentence in sentences.items():
        with pytest.raises(StoreError, match=sentence):
            open_store(file)
    assert text.read_text() == "not a database\n" * 100
    assert other.read_bytes() == before


def test_a_reader_can_ask_not_to_make_a_store(tmp_path: Path) -> None:
    for name in (tmp_path / "typo.db", f"sqlite:///file:{tmp_path}/typo.db?mode=rwc&uri=true"):
        with pytest.raises(StoreError, match=r"there is no store at .*typo\.db"):
            open_store(name, create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_can_not_be_written_is_still_read(path: Path) -> None:
    with SqlStore(f"sqlite:///file:{path}?mode=ro&uri=true") as store:
        assert len(list(store.read("a"))) == 1200
        with pytest.raises(StoreError, match="attempt to write a readonly database"):
            store.begin(info("b"))


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root privileges, since root can write read-only files."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def public(path: Path) -> Iterator[Path]:
    """The store in a folder that everybody may look into, and nobody but root may write to; so is the file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(shutil.copy(path, folder))
        file.chmod(0o444)
        file.parent.chmod(0o555)
        yield file
        file.parent.chmod(0o755)


def test_a_file_that_can_not_be_written_is_read_and_keeps_its_bytes(public: Path) -> None:
    before = public.read_bytes()
    public.parent.chmod(0o777)
    with as_nobody(), SqlStore(f"sqlite:///{public}") as store:
        assert audit(store, store.find("a")) is None
        with pytest.raises(StoreError, match="readonly database; use another --store, or get write permission"):
            store.begin(info("b"))
    assert public.read_bytes() == before


def test_a_folder_that_can_not_be_written_to_is_named_with_the_way_to_read_it(public: Path) -> None:
    with as_nobody():
        with pytest.raises(StoreError, match=r"is it writable\? .*immutable=1&uri=true"):
            open_store(public)
        with SqlStore(f"sqlite:///file:{public}?immutable=1&uri=true", create=False) as store:
            assert audit(store, store.find("a")) is None
            with pytest.raises(StoreError, match="readonly database"):
                store.begin(info("b"))
    assert [file.name for file in public.parent.iterdir()] == [public.name]


def _fill(writer: RunWriter) -> None:
    for number in range(10_000):
        writer.append(number, "s", [plain(number)])


def test_a_full_disk_is_said_and_leaves_the_finished_batches(path: Path) -> None:
    with SqlStore(f"sqlite:///{path}") as store:
        with store._db.engine.connect() as connection:
            (pages,) = connection.exec_driver_sql("PRAGMA page_count").one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 30}")  # the pool hands it out again
        writer = store.begin(info("b"))
        with pytest.raises(StoreError, match="database or disk is full"):
            _fill(writer)
        with pytest.raises(StoreError, match="database or disk is full"):
            writer.finish(RunStatus.FAILED, 1)
        facts = store.find("b").facts
        assert [fact.event for fact in store.read("b")] == [plain(number) for number in range(facts)]
        assert facts % 1000 == 0
        assert store.digest("a") == store.find("a").digest


def test_reading_takes_no_more_memory_for_a_long_run_than_for_a_short_one(tmp_path: Path) -> None:
    with SqlStore(f"sqlite:///{tmp_path / 'store.db'}") as store:
        for run, count in (("short", 3_000), ("long", 30_000)):
            write(store, run, count)

        def peak(run: str) -> int:
            tracemalloc.start()
            count = sum(1 for _ in store.read(run))
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert count == store.find(run).facts
            return most

        peak("short")
        assert peak("long") < 1.5 * peak("short")


def test_a_store_is_named_by_path_or_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = (tmp_path / "a b.db", "a b.db", "sqlite:///a b.db", f"sqlite:///{tmp_path}/a b.db")
    for name in (*names, "sqlite:///file:a%20b.db?mode=rw&uri=true", f"sqlite:///file://{tmp_path}/a%20b.db?uri=true"):
        open_store(name, create=name == names[0]).close()
    assert {file.name for file in tmp_path.iterdir()} == {"a b.db"}
    assert isinstance(open_store(":memory:"), MemoryStore)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://localhost/x", "'mysql' is not supported for a store"),
        ("sqlite:////", "can't be used"),
        ("://x", "neither a path nor a database URL"),
        ("nonsense://x", "'nonsense' is not supported for a store"),
        ("", "sqlite:/// names no file"),
        ("sqlite:///", "sqlite:/// names no file"),
        ("sqlite://me@here/store.db", "sqlite://me@here/store.db names no file"),
        ("sqlite:///store.db?timeout=abc", "has the option 'timeout'; SQLite has cache, immutable, mode"),
        ("sqlite:///store.db?mode=ro", "options need SQLite's own form, sqlite:///file:store.db[?]mode=ro&uri=true"),
        ("sqlite:///file:store.db?mode=ro&uri=false", "options need SQLite's own form"),
        ("sqlite:///file:store.db?mode=odd&uri=true", "no such access mode: odd"),
        ("postgresql://localhost/x?plugin=odd", "Can't load plugin"),
    ],
)
def test_a_url_that_is_no_store_is_refused_in_a_sentence(
    url: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GroupsimError, match=sentence):
        open_store(url)
    assert list(tmp_path.iterdir()) == []


def test_a_device_or_a_pipe_is_no_store_and_gets_no_journal_beside_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.db"
    os.mkfifo(pipe)
    linked = tmp_path / "null.db"
    linked.symlink_to("/dev/null")
    for place in (pipe, linked):
        with pytest.raises(StoreError, match="no regular file"):
            open_store(place)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["null.db", "pipe.db"]
    assert not Path("/dev/null-journal").exists()
