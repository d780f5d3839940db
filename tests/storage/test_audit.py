"""`audit`: whatever was done to a run behind the store's back is seen, and where it begins is said."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from groupsim.storage import EventStore
from groupsim.storage.audit import audit, refuse_damaged
from groupsim.storage.errors import StoreError
from groupsim.storage.sql import SqlStore
from groupsim.storage.store import Damage, RunInfo, RunStatus
from tests.storage.facts import write
from tests.storage.test_sqlite import change

FACTS = 2500


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a finished run `a`, and `b`, whose writer is gone."""
    file = tmp_path / "store.db"
    with SqlStore(f"sqlite:///{file}") as store:
        write(store, "a", FACTS).finish(RunStatus.FINISHED, 12_000)
        write(store, "b", FACTS)
    return file


def look(path: Path, run: str = "a") -> Damage | None:
    with SqlStore(f"sqlite:///{path}") as store:
        return audit(store, store.find(run))


def test_a_run_as_it_was_written_is_whole_in_every_store(store: EventStore) -> None:
    write(store, "a", FACTS).finish(RunStatus.FINISHED, 1)
    write(store, "b", FACTS)
    again = store.resume("b")
    assert audit(store, store.find("a")) is None
    assert audit(store, store.find("b")) is None
    again.finish(RunStatus.FAILED, 1)
    assert audit(store, store.find("b")) is None
    assert [count for count, _ in store.batch_checksums("a")] == [1000, 2000, 2500]


@pytest.mark.parametrize(
    ("damage", "first", "last", "sentence"),
    [
        (["UPDATE facts SET body = replace(body, 'm700', 'm701') WHERE seq = 700"], 0, 999, "not as it was written"),
        (["UPDATE facts SET at_ms = at_ms + 1 WHERE seq = 1500"], 1000, 1999, "one of the facts 1000 to 1999"),
        (["UPDATE facts SET body = '{' WHERE seq = 7"], 7, 7, "seq 7 can't be read"),
        (["UPDATE facts SET body = CAST(x'7bff' AS TEXT) WHERE seq = 1007"], 1007, 1007, "seq 1007: .*no UTF-8"),
        (["UPDATE facts SET type = 'Levitated' WHERE seq = 2400"], 2400, 2400, "unknown fact type 'Levitated'"),
        (["UPDATE facts SET stream = 'group:h' WHERE seq = 3"], 3, 3, "version 3 of group:h, where version 0 belongs"),
        (["UPDATE facts SET source = 'x.log:1' WHERE seq = 2499"], 2000, 2499, "2000 to 2499 is not as"),
        (["DELETE FROM facts WHERE seq = 2499"], 2499, 2499, "fact 2499 is missing"),
        (["DELETE FROM facts WHERE seq = 7"], 7, 7, "fact 7 is missing"),
        (["DELETE FROM facts WHERE seq = 7", "UPDATE facts SET seq = seq - 1 WHERE seq > 7"], 7, 7, "version 8 of"),
        (
            [
                "UPDATE facts SET seq = -1 WHERE seq = 5",
                "UPDATE facts SET seq = 5 WHERE seq = 6",
                "UPDATE facts SET seq = 6 WHERE seq = -1",
            ],
            5,
            5,
            "fact 5 is version 6 of group:g, where version 5 belongs",
        ),
        (
            ["INSERT INTO facts SELECT run, 2500, 0, 'new', 0, type, schema, body, source FROM facts WHERE seq = 1"],
            2500,
            2500,
            "was never written",
        ),
        (
            ["UPDATE runs SET digest = replace(digest, substr(digest, 9, 1), 'x')"],
            None,
            None,
            "stored digest is damaged",
        ),
        (["UPDATE marks SET digest = 'x' WHERE facts = 2000"], None, None, "checksum of the facts to 1999 is damaged"),
        (["UPDATE runs SET seed = 8"], None, None, r"its name, seed, settings, summary\) was changed"),
        (["UPDATE runs SET summary = '{\"x\":1}'"], None, None, "was changed"),
        (["UPDATE runs SET digest = NULL"], None, None, "a is finished and has no digest"),
    ],
)
def test_damage_is_seen_and_where_it_begins(
    path: Path, damage: list[str], first: int | None, last: int | None, sentence: str
) -> None:
    narrowed = [f"{words} {'AND' if 'WHERE' in words else 'WHERE'} {_one_run(words)}" for words in damage]
    change(path, *narrowed)
    found = look(path)
    assert found is not None
    assert (found.first_seq, found.last_seq) == (first, last)
    with pytest.raises(StoreError, match=sentence):
        raise StoreError(found.sentence)


def test_a_run_whose_head_was_changed_is_refused_however_many_facts_it_says_it_has(path: Path) -> None:
    change(path, f"UPDATE runs SET facts = {2**62} WHERE id = 'a'")
    with SqlStore(f"sqlite:///{path}") as store, pytest.raises(StoreError, match="fact 2500 is missing"):
        refuse_damaged(store, store.find("a"))


def test_a_number_of_a_fact_that_is_none_is_damage(path: Path) -> None:
    """As one flipped bit makes of it, which no constraint of the table stops."""
    loose = ["CREATE TABLE loose AS SELECT * FROM facts", "UPDATE loose SET seq = NULL WHERE run = 1 AND seq = 7"]
    change(path, *loose, "DROP TABLE facts", "ALTER TABLE loose RENAME TO facts")
    assert look(path) == Damage("run a: fact 0 is missing", 0, 0)


def _one_run(words: str) -> str:
    return "id = 'a'" if "UPDATE runs" in words else "run = 1"


def test_damage_to_a_run_that_never_ended_shows_in_its_marks(path: Path) -> None:
    change(path, "UPDATE facts SET at_ms = at_ms + 1 WHERE seq = 1500 AND run = 2")
    found = look(path, "b")
    assert found == Damage("run b: one of the facts 1000 to 1999 is not as it was written", 1000, 1999)
    assert look(path, "a") is None


Held = list[tuple[RunInfo, list[object]]]


def _held(path: Path) -> Held:
    with SqlStore(f"sqlite:///{path}") as store:
        return [(info, list(store.rows(info.id))) for info in store.runs()]


def test_no_flipped_byte_of_the_file_goes_unseen_that_changes_what_is_read(tmp_path: Path) -> None:
    file, chance = tmp_path / "store.db", random.Random(7)
    with SqlStore(f"sqlite:///{file}") as store:
        write(store, "a", 300).finish(RunStatus.FINISHED, 12_000, {"x": 1})
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = DELETE")  # everything into the one file
    connection.close()
    whole, before = file.read_bytes(), _held(file)
    seen = harmless = 0
    for _ in range(150):
        place = chance.randrange(len(whole))
        flipped = bytearray(whole)
        flipped[place] ^= 1 << chance.randrange(8)
        file.write_bytes(flipped)
        try:
            found = look(file)
        except StoreError:  # it does not even open
            found = Damage("does not open")
        if found is None:
            assert _held(file) == before, place
            harmless += 1
        else:
            seen += 1
    assert seen > 50
    assert seen + harmless == 150


def test_a_fact_can_not_be_changed_or_deleted_even_behind_the_store(path: Path) -> None:
    connection = sqlite3.connect(path)
    for words in ("UPDATE facts SET at_ms = 0", "DELETE FROM facts", "DELETE FROM runs"):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            connection.execute(words)
    with pytest.raises(sqlite3.IntegrityError, match="nor changed once it is over"):
        connection.execute("UPDATE runs SET seed = 3 WHERE id = 'a'")
    connection.close()


def test_no_method_changes_or_deletes_facts() -> None:
    promised = {name for name in vars(EventStore) if not name.startswith("_")}
    changing = {"begin", "resume", "import_run", "keep_snapshots", "drop_snapshots", "close"}
    reading = {"runs", "find", "read", "rows", "digest", "batch_checksums", "run_checksum", "snapshot", "damage"}
    assert promised == changing | reading
