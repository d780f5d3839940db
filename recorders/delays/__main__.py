"""`python -m recorders.delays FOLDER…`: delays computed from the logs of recorded runs beside those that were measured.

The runs are those that `python -m recorders.families record FOLDER --taken` writes. The time is that from the first
fault, or from when the group first worked, to the last line of the logs, which say nothing of the time after it: both
percentiles are of the records of the same time. How long a member works on a batch is given, as its owner knows it. A
measured delay is from the producer's stamp to the poll that returned the record first.

A row is marked `outside` where the bounds by the logs do not contain the measured 99th percentile, `*` where that by
the members' own listeners is not near it.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import groupsim
from groupsim.analysis.tables.delays import Delays, Load, Served, record_delays
from groupsim.events.types import TopicPartition
from recorders.families.recorder import LOGS, RECORD, TAKEN
from recorders.timelines.taken import Taken, read_taken

SHARES = (0.5, 0.9, 0.99, 1.0)
NEAR, NEAR_MS = 0.15, 25
"""A computed delay is near the measured one within this share of it, or so many milliseconds: a fetch takes that."""


class Compared(NamedTuple):
    """One run: for each of SHARES the measured delay, that by its true owners, and the bounds by its logs."""

    name: str
    records: int
    measured: tuple[float, ...]
    by_owners: tuple[float, ...]
    by_logs: tuple[tuple[float, ...], tuple[float, ...] | None]

    @property
    def near(self) -> bool:
        """Whether the 99th percentile by its owners is near the measured one."""
        return abs(self.by_owners[2] - self.measured[2]) <= max(NEAR * self.measured[2], NEAR_MS)

    @property
    def inside(self) -> bool:
        """Whether the bounds by its logs contain the measured 99th percentile, but for NEAR."""
        (least, most), real = self.by_logs, self.measured[2]
        allowed = max(NEAR * real, NEAR_MS)
        return least[2] - allowed <= real and (most is None or real <= most[2] + allowed)


def compared(folder: Path) -> Compared:
    """All of one recorded run."""
    recorded = json.loads(gzip.decompress((folder / RECORD).read_bytes()))
    run = groupsim.import_logs(sorted((folder / LOGS).iterdir()), topics=recorded["config"]["partitions"])
    began_ms = _ms(run.info.origin) - _ms(recorded["run_start_utc"])
    from_ms, end_ms = recorded["summary"]["window_ms"]
    end_ms = min(end_ms, began_ms + max(each.to_ms for each in run.intervals))
    taken = measured(read_taken(folder / TAKEN), from_ms, end_ms)
    topics = {each.topic for each in run.intervals}
    rate = float(recorded["config"]["records_per_partition_per_s"])
    worked = recorded["config"]["per_member"]
    batches = {member: float(program["proc"]) for member, program in worked.items() if "proc" in program}
    load = Load(dict.fromkeys(topics, rate), batches=batches)
    known = next(iter(run.record_delays(load, (from_ms - began_ms, end_ms - began_ms)).values()))
    owners = record_delays(_by_owners(recorded, from_ms, end_ms), load)
    return Compared(
        folder.name,
        len(taken),
        tuple(_quantile(taken, share) for share in SHARES),
        _quantiles(owners),
        (_quantiles(known.at_least), None if known.at_most is None else _quantiles(known.at_most)),
    )


def _by_owners(recorded: dict[str, Any], from_ms: int, end_ms: int) -> Iterator[Served]:
    """Who served each partition in a time, as the members' listeners saw it."""
    every = [
        TopicPartition(topic, n) for topic, count in recorded["config"]["partitions"].items() for n in range(count)
    ]
    for partition in every:
        name, at_ms = f"{partition.topic}-{partition.partition}", from_ms
        for begin, end in recorded["unavailable"].get(name, ()):
            begin, end = max(begin, from_ms), min(end, end_ms)
            if end <= begin:
                continue
            if at_ms < begin:
                yield Served(partition, name, at_ms, begin)
            yield Served(partition, None, begin, end)
            at_ms = end
        if at_ms < end_ms:
            yield Served(partition, name, at_ms, end_ms)


def _quantiles(delays: Delays) -> tuple[float, ...]:
    return tuple(delays.quantile(share) for share in SHARES)


def measured(taken: Sequence[Taken], from_ms: int, to_ms: int) -> list[int]:
    """The delays of the records that came in a time, sorted: to the first time that each was taken."""
    first: dict[tuple[str, int, int], Taken] = {}
    for each in taken:
        first.setdefault(each[:3], each)
    return sorted(each.taken_ms - each.came_ms for each in first.values() if from_ms <= each.came_ms < to_ms)


def _quantile(delays: Sequence[int], share: float) -> float:
    return float(delays[min(len(delays) - 1, int(share * len(delays)))]) if delays else 0.0


def _ms(instant: str | None) -> int:
    assert instant is not None
    at = datetime.fromisoformat(instant.replace(",", "."))
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000)


def _all(folders: Sequence[Path]) -> Iterator[Compared]:
    for root in folders:
        for file in sorted(root.rglob(TAKEN)):
            yield compared(file.parent)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m recorders.delays")
    parser.add_argument("folders", type=Path, nargs="+")
    rows = list(_all(parser.parse_args().folders))
    print("run, records, then for each share: measured, by its owners, by its logs (ms)")
    for row in rows:
        texts = [f"{row.name:60} {row.records:6,}"]
        for number, share in enumerate(SHARES):
            least, most = row.by_logs
            upper = "?" if most is None else f"{most[number]:,.0f}"
            texts.append(
                f"p{share * 100:g}: {row.measured[number]:6,.0f} {row.by_owners[number]:6,.0f}"
                f" {least[number]:6,.0f}–{upper}"
            )
        print("  ".join(texts), "" if row.inside else "outside", "" if row.near else "*")
    print(f"p99 by its owners is near the measured one in {sum(row.near for row in rows)} of {len(rows)} runs")
    print(f"the bounds by its logs contain it in {sum(row.inside for row in rows)}")


if __name__ == "__main__":
    main()
