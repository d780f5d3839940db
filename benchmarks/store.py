"""Stored facts per second: SqlStore, encoding included, against raw inserts of the same rows by the driver's best way.

Run by `python -m benchmarks.store [FACTS]`. Both sides fill the same table shape in a fresh file or schema with the
same settings, in transactions of a thousand rows; the raw side gets its rows ready-made. They take turns; medians of
seven. The PostgreSQL server is a real one, started for it, and waits for the disk at each commit as it does by default.
Where this process does all the work (SQLite), the ratio of the processor's time stands beside that of the clock's:
other programs on the machine spoil it less.
"""

from __future__ import annotations

import gc
import itertools
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy import make_url

from groupsim.events.base import NETWORK_STREAM, Event, group_stream, process_stream
from groupsim.events.classic import HeartbeatReceived
from groupsim.events.client import CommitSent, PollEnd, ViewChanged
from groupsim.events.group import CommitAccepted
from groupsim.events.network import MessageDelivered
from groupsim.events.types import TopicPartition
from groupsim.storage.codec import COLUMNS
from groupsim.storage.sql import SqlStore
from groupsim.storage.store import RunInfo, RunSource, RunStatus
from groupsim.storage.writer import BATCH
from tests.postgres import Server, server

FACTS = 100_000
ROUNDS = 7
AIM = 0.7
Append = tuple[int, str, tuple[Event, ...]]


def appends(count: int, members: int = 12) -> list[Append]:
    """About the mix of a steady run with `--record all`: per beat of a member some facts on each of three streams."""
    made: list[Append] = []
    facts = beat = 0
    while facts < count:
        who, at_ms = beat % members, 250 * beat
        member, process = f"c{who}-1b671a64-40d5-491e-99b0-da01ff1f3341", f"m{who}.0"
        offsets = tuple(("orders", 4 * who + p, 17 * beat) for p in range(4))
        view = tuple(TopicPartition("orders", 4 * who + p) for p in range(4))
        ask = MessageDelivered(source=process, target="broker", api="Heartbeat", number=beat, sent_ms=at_ms - 1)
        answer = MessageDelivered(
            source="broker", target=process, api="Heartbeat", number=beat, sent_ms=at_ms, response=True
        )
        group = group_stream("billing")
        made += [
            (at_ms, NETWORK_STREAM, (ask,)),
            (at_ms, group, (HeartbeatReceived(member=member, generation=3, error="NONE"),)),
            (at_ms + 1, NETWORK_STREAM, (answer,)),
        ]
        own: tuple[Event, ...] = (
            PollEnd(process=process, records=17, process_ms=100),
            CommitSent(process=process, member=member, generation=3, offsets=offsets),
        )
        if beat % 20 == 0:
            own += (ViewChanged(process=process, partitions=view),)
        made.append((at_ms + 1, process_stream("billing", process), own))
        made.append((at_ms + 2, group, (CommitAccepted(member=member, generation=3, offsets=offsets),)))
        facts += 4 + len(own)
        beat += 1
    return made


Batches = list[list[tuple[object, ...]]]


class Took(NamedTuple):
    """Seconds by the clock and of this process's processor time."""

    wall: float
    cpu: float


@contextmanager
def clock() -> Iterator[list[Took]]:
    """A list that holds what the block took, once it is over."""
    took: list[Took] = []
    wall, cpu = time.perf_counter(), time.process_time()
    yield took
    took.append(Took(time.perf_counter() - wall, time.process_time() - cpu))


def through_store(url: str, work: list[Append]) -> Took:
    """From the first append to the end of the run."""
    with SqlStore(url) as store:
        writer = store.begin(RunInfo(id="bench", name="bench", source=RunSource.SIMULATED))
        with clock() as took:
            for at_ms, stream, events in work:
                writer.append(at_ms, stream, events)
            writer.finish(RunStatus.FINISHED, work[-1][0])
    return took[0]


def raw_sqlite(url: str, batches: Batches) -> Took:
    """sqlite3.executemany of ready-made rows into the same table."""
    SqlStore(url).close()
    connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = OFF")
    insert = f"INSERT INTO facts (run, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"
    with clock() as took:
        for batch in batches:
            connection.execute("BEGIN")
            connection.executemany(insert, batch)
            connection.execute("COMMIT")
    connection.close()
    return took[0]


def raw_postgresql(url: str, batches: Batches) -> Took:
    """psycopg's COPY of ready-made rows into the same table, a transaction a batch."""
    with SqlStore(url) as store:
        store.begin(RunInfo(id="raw", name="raw", source=RunSource.SIMULATED))  # key 1, which the rows refer to
    where = make_url(url)
    copy_rows = f"COPY facts (run, {', '.join(COLUMNS)}) FROM STDIN"
    plain = where.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as connection, clock() as took:
        for batch in batches:
            with connection.cursor().copy(copy_rows) as copy:
                for row in batch:
                    copy.write_row(row)
            connection.commit()
    return took[0]


class Measured(NamedTuple):
    """Facts per second by the clock, and the medians of the ratios of each pair."""

    ours: float
    raw: float
    ratio: float
    cpu_ratio: float


def measure(urls: Iterator[str], raw: Callable[[str, Batches], Took], count: int) -> Measured:
    """Both sides in turn; each url names a new, empty store."""
    work = appends(count)
    first = next(urls)
    through_store(first, work)
    with SqlStore(first) as store:
        rows: list[tuple[object, ...]] = [(1, *row) for row in store.rows("bench")]
    turns = iter(rows)
    batches = list(iter(lambda: list(islice(turns, BATCH)), []))
    gc.freeze()  # the collector need not look at the inputs again and again, on either side
    ours, theirs = [], []
    for _ in range(ROUNDS):
        gc.collect()
        ours.append(through_store(next(urls), work))
        gc.collect()
        theirs.append(raw(next(urls), batches))
    gc.unfreeze()
    ratios = [b.wall / a.wall for a, b in zip(ours, theirs, strict=True)]
    cpu_ratios = [b.cpu / a.cpu for a, b in zip(ours, theirs, strict=True)]
    speeds = [len(rows) / statistics.median(took.wall for took in side) for side in (ours, theirs)]
    return Measured(speeds[0], speeds[1], statistics.median(ratios), statistics.median(cpu_ratios))


def files(folder: Path) -> Iterator[str]:
    """New files, the one before gone."""
    for number in itertools.count():
        for file in folder.glob("*.db*"):
            file.unlink()
        yield f"sqlite:///{folder / f'{number}.db'}"


def schemas(running: Server) -> Iterator[str]:
    """New schemas of one database, the one before gone."""
    for number in itertools.count():
        if number:
            with running.connect() as connection:
                connection.execute(SQL("DROP SCHEMA {} CASCADE").format(Identifier(f"bench_{number - 1}")))
        yield running.schema(f"bench_{number}")


def main() -> None:
    """Print a row of a table for each database."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FACTS
    print(f"| what | facts/s | raw, rows/s | ratio (median of {ROUNDS} pairs) | of CPU time | aim |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(files(Path(folder)), raw_sqlite, count)
        _row("SQLite, beside sqlite3.executemany", measured, f"{measured.cpu_ratio:.2f}")
    with server(settings=()) as running:
        _row("PostgreSQL, beside psycopg's COPY", measure(schemas(running), raw_postgresql, count), "—")


def _row(name: str, measured: Measured, cpu: str) -> None:
    verdict = "met" if measured.ratio >= AIM else "MISSED"
    figures = f"{measured.ours:,.0f} | {measured.raw:,.0f} | {measured.ratio:.2f} | {cpu}"
    print(f"| SqlStore on {name} | {figures} | >= {AIM} {verdict} |", flush=True)


if __name__ == "__main__":
    main()
