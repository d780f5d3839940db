"""What is particular to a server: two writers at once, connections that are cut, several stores in one database."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from groupsim.analysis.snapshots import replay_stored
from groupsim.storage import open_store, schema
from groupsim.storage.audit import audit
from groupsim.storage.codec import Row
from groupsim.storage.errors import StoreError
from groupsim.storage.resumed_writer import ResumedWriter
from groupsim.storage.store import RunStatus
from groupsim.storage.writer import BATCH
from tests.postgres import PASSWORD, USER, Server
from tests.storage.facts import info, plain, write
from tests.storage.test_crash import start

COUNT = 5 * BATCH + 1


def cut(server: Server) -> None:
    """End every connection but the one that asks, as a restart of the server does."""
    with server.connect() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


def test_two_processes_that_write_to_one_new_schema_both_finish(postgres: Server) -> None:
    url = postgres.schema("shared_by_two")
    children = [start(url, run, COUNT) for run in ("one", "two")]
    for child in children:
        _, trouble = child.communicate(timeout=120)
        assert (child.returncode, trouble) == (0, "")
    store = open_store(url)
    assert {(run.id, run.status, run.facts) for run in store.runs()} == {
        ("one", "finished", COUNT),
        ("two", "finished", COUNT),
    }
    assert store.digest("one") == store.find("two").digest
    store.close()


def test_a_killed_writer_leaves_whole_batches_that_can_be_gone_on_with(postgres: Server) -> None:
    url = postgres.schema("killed")
    with start(url, "killed", 10_000_000) as child:
        assert child.stdout
        assert any(line == f"{2 * BATCH}\n" for line in child.stdout)
        child.kill()
        child.stdout.read()
    store = open_store(url)
    facts = store.find("killed").facts
    assert facts >= 2 * BATCH
    assert facts % BATCH == 0
    assert [fact.event for fact in store.read("killed")] == [plain(number) for number in range(facts)]
    assert audit(store, store.find("killed")) is None
    again = store.resume("killed")
    again.append(10 * facts, "group:g", [plain(facts)])
    assert again.finish(RunStatus.FINISHED, 10 * facts).digest == store.digest("killed")
    store.close()


def test_a_connection_cut_under_a_writer_is_a_sentence_and_the_run_can_be_gone_on_with(postgres: Server) -> None:
    store = open_store(postgres.schema("cut"))
    writer = write(store, "a", 3)
    cut(postgres)
    writer.append(30, "group:g", [plain(3)])
    with pytest.raises(StoreError, match=r"the store postgresql://.* can't be used: .*terminat.*") as refused:
        writer.flush()
    assert "\n" not in str(refused.value)
    with pytest.raises(StoreError, match="can't be used"):
        writer.finish(RunStatus.FAILED, 30)
    assert store.find("a").facts == 3
    again = store.resume("a")
    again.append(30, "group:g", [plain(3)])
    again.finish(RunStatus.FINISHED, 30)
    assert audit(store, store.find("a")) is None
    store.close()


def test_a_connection_cut_under_a_reader_is_a_sentence(postgres: Server) -> None:
    store = open_store(postgres.schema("cut_reader"))
    write(store, "a", 2500).finish(RunStatus.FINISHED, 1)
    reader = store.read("a")
    assert next(reader).seq == 0
    cut(postgres)
    with pytest.raises(StoreError, match=r"the store postgresql://.* can't be used: "):
        list(reader)
    assert len(list(store.read("a"))) == 2500
    store.close()


def _close(rows: Iterator[Row]) -> None:
    assert isinstance(rows, Generator)
    rows.close()


def _collected(_: Iterator[Row]) -> None:
    """Nothing refers to it when the caller goes on."""


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # psycopg's, of a cursor that can't be closed
@pytest.mark.parametrize("leaves", [_close, _collected])
def test_a_reader_that_stops_early_says_nothing_of_a_connection_cut_meanwhile(
    postgres: Server, caplog: pytest.LogCaptureFixture, leaves: Callable[[Iterator[Row]], None]
) -> None:
    """SQLAlchemy logs a traceback, which a handler of another library would print (py4j sets one up)."""
    store = open_store(postgres.schema(f"left_early_{leaves.__name__}"))
    write(store, "a", 2500).finish(RunStatus.FINISHED, 1)
    rows = store.rows("a")
    assert next(rows)[0] == 0
    cut(postgres)
    leaves(rows)
    del rows
    gc.collect()
    assert caplog.records == []
    assert len(list(store.rows("a"))) == 2500
    store.close()


def test_a_resumed_run_keeps_no_transaction_open_once_its_stored_facts_are_compared(postgres: Server) -> None:
    url = postgres.schema("resumed")
    store = open_store(url)
    write(store, "a", 3)
    again = ResumedWriter(store, "a")
    for number in range(3):
        again.append(10 * number, "group:g", [plain(number)])
    with postgres.connect() as connection:
        connection.execute("SET lock_timeout = '2s'")
        connection.execute("ALTER TABLE resumed.facts ADD COLUMN more TEXT")  # waits for every open transaction
        connection.execute("ALTER TABLE resumed.facts DROP COLUMN more")
    again.append(30, "group:g", [plain(3)])
    assert again.finish(RunStatus.FINISHED, 30).facts == 4
    store.close()


def test_runs_of_one_schema_are_not_seen_from_another(postgres: Server, tmp_path: Path) -> None:
    one, two, file = (open_store(url) for url in (postgres.schema("s1"), postgres.schema("s2"), tmp_path / "s.db"))
    for store in (one, two, file):
        write(store, "same", 3).finish(RunStatus.FINISHED, 1)
    assert {store.digest("same") for store in (one, two, file)} == {file.find("same").digest}
    write(one, "only", 1)
    assert [run.id for run in two.runs()] == ["same"]
    for store in (one, two, file):
        store.close()


def test_an_older_store_on_a_server_is_lifted_and_keeps_its_facts(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.schema("older")
    store = open_store(url)
    digest = write(store, "a", 3).finish(RunStatus.FINISHED, 1).digest
    store.close()
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 3)
    with pytest.raises(StoreError, match="has store schema 2; there is no step from 2 to 3"):
        open_store(url)
    monkeypatch.setitem(schema.MIGRATIONS, 2, ("ALTER TABLE runs ADD COLUMN more TEXT DEFAULT 'lifted'",))
    store = open_store(url)
    assert store.digest("a") == digest
    store.close()
    with postgres.connect() as connection:
        assert connection.execute("SELECT more, number FROM older.runs, older.groupsim").fetchall() == [("lifted", 3)]


def test_a_role_that_may_only_read_reads_everything_and_is_refused_the_rest(postgres: Server) -> None:
    url = postgres.schema("seen")
    store = open_store(url)
    ended = write(store, "a", 2500).finish(RunStatus.FINISHED, 1)
    store.close()
    with postgres.connect() as connection:
        connection.execute(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
        connection.execute("GRANT USAGE ON SCHEMA seen TO reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA seen TO reader")
    reader = open_store(url.replace(USER, "reader", 1), create=False)
    assert audit(reader, reader.find("latest")) is None
    assert replay_stored(reader, ended) == {"groups": {}}
    other = info("b")
    forbidden: list[Callable[[], object]] = [
        lambda: reader.begin(other),
        lambda: reader.import_run(other, []),
        reader.drop_snapshots,
    ]
    for call in forbidden:
        with pytest.raises(StoreError, match="permission denied for table"):
            call()
    reader.close()
