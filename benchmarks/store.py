"""Stored facts per second: SqlStore, encoding included, against raw sqlite3.executemany of the same rows.

Run by `python -m benchmarks.store [FACTS]`. Both sides fill the same table shape in a fresh file with the same
settings, in transactions of a thousand rows; the raw side gets its rows ready-made. They take turns; medians of seven.
"""

from __future__ import annotations

import gc
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from events.base import NETWORK_STREAM, Event, group_stream, process_stream
from events.classic import CommitAccepted, HeartbeatReceived
from events.client import CommitSent, PollEnd, ViewChanged
from events.network import MessageDelivered
from events.types import TopicPartition
from storage.codec import COLUMNS
from storage.sql import SqlStore
from storage.store import RunInfo
from storage.writer import BATCH

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


def through_store(path: Path, work: list[Append]) -> float:
    """Seconds from the first append to the end of the run."""
    with SqlStore(f"sqlite:///{path}") as store:
        writer = store.begin(RunInfo(id="bench", name="bench", source="simulated"))
        started = time.perf_counter()
        for at_ms, stream, events in work:
            writer.append(at_ms, stream, events)
        writer.finish("finished", work[-1][0])
        return time.perf_counter() - started


def raw(path: Path, batches: list[list[tuple[object, ...]]]) -> float:
    """Seconds for sqlite3.executemany of ready-made rows into the same table."""
    SqlStore(f"sqlite:///{path}").close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = OFF")
    insert = f"INSERT INTO facts (run, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"
    started = time.perf_counter()
    for batch in batches:
        connection.execute("BEGIN")
        connection.executemany(insert, batch)
        connection.execute("COMMIT")
    took = time.perf_counter() - started
    connection.close()
    return took


def measure(count: int = FACTS) -> tuple[float, float, float]:
    """`(facts/s through the store, facts/s raw, median of the paired ratios)`."""
    work = appends(count)
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "rows.db"
        through_store(first, work)
        with SqlStore(f"sqlite:///{first}") as store:
            rows: list[tuple[object, ...]] = [(1, *row) for row in store.rows("bench")]
        turns = iter(rows)
        batches = list(iter(lambda: list(islice(turns, BATCH)), []))

        def timed(name: str, action: Callable[[Path], float]) -> float:
            path = Path(folder) / f"{name}.db"
            gc.collect()
            took = action(path)
            for file in Path(folder).glob(f"{name}.db*"):
                file.unlink()
            return took

        gc.freeze()  # the collector need not look at the inputs again and again, on either side
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(timed("ours", lambda path: through_store(path, work)))
            theirs.append(timed("raw", lambda path: raw(path, batches)))
    ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
    return len(rows) / statistics.median(ours), len(rows) / statistics.median(theirs), statistics.median(ratios)


def main() -> None:
    """Print one row of a table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FACTS
    ours, theirs, ratio = measure(count)
    verdict = "met" if ratio >= AIM else "MISSED"
    print("| what | facts/s | raw executemany, rows/s | ratio (median of 7 pairs) | aim |")
    print("| --- | --- | --- | --- | --- |")
    print(f"| SqlStore on SQLite | {ours:,.0f} | {theirs:,.0f} | {ratio:.2f} | >= {AIM} {verdict} |")


if __name__ == "__main__":
    main()
