"""Logs whose own times are whole seconds, or coarse otherwise: no total is exact, and the true one is in its bounds."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from groupsim.analysis.availability.labels import Interval, Label
from groupsim.analysis.tables.bounds import coarse
from groupsim.incidents.facts.coarse_times import in_order
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs import protocol_order
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.storage.memory import MemoryStore
from tests.adversary import written_runs
from tests.cli.conftest import Call, call
from tests.incidents.imported import outside, supported, unavailable
from tests.incidents.layout_examples import TEXTS, WHOLE_SECONDS
from tests.incidents.layouts import Layout, PlainRecord, plain
from tests.incidents.written_logs import coarsened
from tests.thinned import examples, some

__all__ = ["call"]
INCIDENTS = sorted((Path(__file__).parents[2] / "examples" / "incidents").glob("*/broker.log.gz"))
COORDINATOR = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7] "
CLIENT = "[Consumer clientId=c, groupId=g] "
JOINED = "Generation{generationId=1, memberId='c-1', protocol='range'}"
STORY = [
    (0, "c", f"{CLIENT}(Re-)joining group"),
    (2, "b", f"{COORDINATOR}Preparing to rebalance group g in state Empty with old generation 0 (reason: x)"),
    (500, "b", f"{COORDINATOR}Stabilized group g generation 1 with 1 members"),
    (502, "c", f"{CLIENT}Successfully joined group with generation {JOINED}"),
    (504, "b", f"{COORDINATOR}Assignment received from leader c-1 for group g for generation 1."
     " The group has 1 members, 0 of which are static."),
    (506, "c", f"{CLIENT}Adding newly assigned partitions: t-0"),
]  # fmt: skip
"""When, which log, what."""


def written(path: Path, dress: Layout) -> Path:
    """The records of the plain log in a dress."""
    path.write_text("".join(f"{line}\n" for said in plain() for line in dress(said)), encoding="utf-8")
    return path


def unpacked(logs: Sequence[Path], folder: Path) -> list[Path]:
    for log in logs:
        (folder / log.stem).write_bytes(gzip.decompress(log.read_bytes()))
    return [folder / log.stem for log in logs]


KEPT = {"seconds": (0, 0), "seconds, zeros": (0, 3), "tenths": (1, 0), "hundredths": (2, 0)}
WHICH = ["all", "the broker's", "the clients'"]
COARSE = [(path.parent.name, which, kept) for path in INCIDENTS for which in WHICH for kept in KEPT]


@pytest.mark.parametrize(
    ("incident", "which", "kept"), some(COARSE, 5)
)  # 5 and 12 have no common divisor: every kind once
def test_the_bounds_hold_what_finer_times_say(incident: str, which: str, kept: str, tmp_path: Path) -> None:
    broker = INCIDENTS[0].parents[1] / incident / "broker.log.gz"
    logs = unpacked(sorted(broker.parent.glob("*.log.gz")), tmp_path)
    exact = unavailable(logs)
    for log in logs:
        if which == "all" or (log.name == "broker.log") == (which == "the broker's"):
            coarsened(log, *KEPT[kept])
    found = unavailable(logs)
    assert found["at_least_partition_ms"] <= exact["at_least_partition_ms"]
    assert exact["at_most_partition_ms"] <= found["at_most_partition_ms"]
    assert found["partition_ms"] is None or found["inexact"]
    assert outside(found, exact) == []


@pytest.mark.parametrize("area", [written_runs.numbers, written_runs.consumer_logs], ids=["classic", "consumer"])
def test_the_truth_of_drawn_groups_is_within_the_bounds(
    area: Callable[[Random, Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed 859 of classic groups: a member lost its partitions in the second in which it was removed."""
    monkeypatch.setattr(written_runs, "_COARSE", 1)
    for seed in (859, *range(examples(12, 25))):
        area(Random(seed), tmp_path)


@pytest.mark.parametrize("dress", WHOLE_SECONDS.values(), ids=WHOLE_SECONDS)
def test_times_without_a_part_of_a_second_are_coarse(tmp_path: Path, dress: Layout) -> None:
    changed, said = in_order(read_files([written(tmp_path / "a.log", dress)]))
    assert changed.resolution_ms == 1_000
    assert len(said) == 1
    assert said[0].startswith(f"{tmp_path / 'a.log'}: times in whole seconds")


@pytest.mark.parametrize("dress", TEXTS.values(), ids=TEXTS)
def test_finer_times_are_left_as_they_are(tmp_path: Path, dress: Layout) -> None:
    reading = read_files([written(tmp_path / "a.log", dress)])
    assert in_order(reading) == (reading, [])


def test_the_lines_of_a_clock_that_is_corrected_by_hand_are_coarse_too(tmp_path: Path) -> None:
    log = written(tmp_path / "a.log", WHOLE_SECONDS["Go's log"])
    changed, _ = in_order(read_files([log], skews={"a.log": 250}))
    assert changed.resolution_ms == 1_000


def test_times_whose_part_of_a_second_is_zero_may_be_printed_without_it(tmp_path: Path) -> None:
    """As `Instant.toString` of Java does: one of the plain log's 107 rows."""
    seen = 0

    def dress(said: PlainRecord) -> list[str]:
        nonlocal seen
        seen += 1
        part = "" if seen == 50 else f".{said.at.microsecond // 1000:03d}"
        return [f"{said.at:%Y-%m-%dT%H:%M:%S}{part}Z {said.level} {said.whole}"]

    reading = read_files([written(tmp_path / "a.log", dress)])
    assert sum(row.resolution_ms > 0 for row in reading.rows) == 1
    assert in_order(reading) == (reading, [])


@pytest.mark.parametrize("fine", ["", "b", "c"])
def test_lines_of_one_second_are_in_the_order_of_the_protocol(tmp_path: Path, fine: str) -> None:
    for who in "bc":
        part = [f",{at:03d}" if who == fine else "" for at, _, _ in STORY]
        lines = [f"[2024-03-01 10:00:07{part[n]}] INFO {said}\n" for n, (_, by, said) in enumerate(STORY) if by == who]
        (tmp_path / f"{who}.log").write_text("".join(lines), encoding="utf-8")
    changed, _ = in_order(read_files(sorted(tmp_path.iterdir())))
    rows = sorted(changed.rows, key=lambda row: row.at or "")
    kinds = [row.kind for row in rows if row.kind != "rebalance_start"]
    assert kinds == ["joining", "stabilized", "joined", "assignment_received", "assigned"]
    assert {(row.at or "")[:19] for row in rows} == {"2024-03-01T10:00:07"}
    exact = [(row.at or "")[20:23] for row in rows if row.file.endswith(f"{fine}.log") and fine]
    assert exact == [f"{at:03d}" for at, by, _ in STORY if by == fine]


def test_an_instant_within_a_second_stays_in_its_file_s_order(tmp_path: Path) -> None:
    """Also what is too much for one: what is given up and got again at one time would be no time at all."""
    of_client = [said for _, by, said in STORY if by == "c"]
    lines = [f"2024-03-01 10:00:07 INFO {of_client[n % len(of_client)]}\n" for n in range(3_000)]
    (tmp_path / "c.log").write_text("".join(lines))
    changed, _ = in_order(read_files([tmp_path / "c.log"]))
    times = [row.at or "" for row in changed.rows]
    assert times == sorted(times)
    assert len(set(times)) == len(times)
    assert changed.placed_ms == 2_999


def test_many_lines_of_one_kind_do_not_push_others_through_their_second(tmp_path: Path) -> None:
    """A line a partition before the revocation: 50.3 partition-seconds had bounds of 0.0 to 45.2."""
    offset = (
        f"{CLIENT}Resetting offset for partition t-0 to position FetchPosition{{offset=1, offsetEpoch=Optional.empty}}."
    )
    lines = [*[offset] * 900, STORY[0][2]]
    (tmp_path / "c.log").write_text("".join(f"2024-03-01 10:00:07 INFO {said}\n" for said in lines))
    changed, _ = in_order(read_files([tmp_path / "c.log"]))
    assert changed.placed_ms <= 1


def test_a_start_that_comes_after_its_end_in_the_log_takes_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """8,000 such lines took 38 s: a part of a log that was forced to go on was looked at again at each step."""
    looked = 0
    after = protocol_order.Step.after

    def counted(step: protocol_order.Step) -> Iterator[protocol_order.Step]:
        nonlocal looked
        looked += 1
        return after(step)

    monkeypatch.setattr(protocol_order.Step, "after", counted)
    known = {}
    for n in range(2_000):
        known[0, 2 * n] = protocol_order.Step("g", n, RowKind.STABILIZED, None)
        known[0, 2 * n + 1] = protocol_order.Step("g", n, RowKind.REBALANCE_START, None)
    assert list(protocol_order.merged([sorted(known)], known)) == sorted(known)
    assert looked <= 3 * len(known)


def as_one(logs: Sequence[Path], to: Path, coarse: str, digits: int, zeros: int) -> Path:
    """The lines of all logs in the order of their times; those of some have coarse ones."""
    records: list[tuple[str, str]] = []
    for log in logs:
        for line in log.read_text("utf-8").splitlines(keepends=True):
            if line.startswith("[20"):
                records.append((line[1:24], line))
                continue
            at, before = records[-1]
            records[-1] = (at, before + line)
        if log.name.startswith(coarse):
            coarsened(log, digits, zeros)
            changed = iter(re.split(r"(?m)^(?=\[20)", log.read_text("utf-8"))[1:])
            ours = len(records) - sum(1 for _ in re.finditer(r"(?m)^\[20", log.read_text("utf-8")))
            records[ours:] = [(at, next(changed)) for at, _ in records[ours:]]
    to.write_text("".join(text for _, text in sorted(records, key=lambda each: each[0])), encoding="utf-8")
    return to


@pytest.mark.parametrize("kept", [(0, 0), (0, 3), (1, 0), (1, 2)], ids=str)
@pytest.mark.parametrize("coarse", ["m", "m2", "broker"])
def test_one_file_may_have_a_writer_with_coarse_times(coarse: str, kept: tuple[int, int], tmp_path: Path) -> None:
    """18.8 exact for 5.4: one line with three digits was enough to take all of the file for exact."""
    logs = unpacked(sorted(INCIDENTS[1].parent.glob("*.log.gz")), tmp_path)
    exact = supported(logs)
    found = supported([as_one(logs, tmp_path / "all.log", coarse, *kept)])
    assert found.inexact or found.unknown is not None
    assert found.at_least_ms <= exact.at_least_ms
    assert (exact.at_most_ms or 0) <= (found.at_most_ms or 1 << 50)


def test_padded_zeros_are_seen_before_a_clock_is_corrected_by_hand(tmp_path: Path) -> None:
    """0.0 exact for a true 5.4."""
    logs = unpacked(sorted(INCIDENTS[1].parent.glob("*.log.gz")), tmp_path)
    for log in logs:
        coarsened(log, 0, 3)
    changed, _ = in_order(read_files(logs, skews={log.name: 250 for log in logs}))
    assert changed.resolution_ms == 1_000


@pytest.mark.parametrize("which", ["m", "m3", "broker"])
@pytest.mark.parametrize("broker", INCIDENTS, ids=lambda path: path.parent.name)
def test_minutes_in_some_of_the_logs_of_a_short_incident_have_bounds(broker: Path, which: str, tmp_path: Path) -> None:
    """At least 85.1 for a true 5.4: four different minutes were asked for."""
    logs = unpacked(sorted(broker.parent.glob("*.log.gz")), tmp_path)
    exact = supported(logs)
    for log in logs:
        if log.name.startswith(which):
            log.write_text(re.sub(r"(?m)^(\[[^],]*):\d\d,\d{3}\]", r"\1:00,000]", log.read_text("utf-8")))
    found = supported(logs)
    assert found.at_least_ms <= exact.at_least_ms
    assert (exact.at_most_ms or 0) <= (found.at_most_ms or 1 << 50)


def piece(label: Label, member: str | None, from_ms: int, to_ms: int) -> Interval:
    return Interval("g", "t", 0, label, None, member, None, from_ms, to_ms)


def test_logs_in_whole_minutes_say_so(tmp_path: Path) -> None:
    """As a spreadsheet writes them."""
    lines = [f"2024-03-01 10:0{n}:00.000 INFO {said}\n" for n, (_, _, said) in enumerate(STORY)]
    (tmp_path / "c.log").write_text("".join(lines))
    changed, (sentence,) = in_order(read_files([tmp_path / "c.log"]))
    assert changed.resolution_ms == 60_000
    assert "times in whole minutes: each time that a partition is unavailable is right to about a minute" in sentence


def test_each_time_without_an_owner_may_be_a_second_longer_or_shorter() -> None:
    found = [
        piece(Label.OK, "a", 0, 5_000),
        piece(Label.WITHHELD, None, 5_000, 5_300),
        piece(Label.GRANT_IN_FLIGHT, "b", 5_300, 5_400),
        piece(Label.OK, "b", 5_400, 9_000),
        piece(Label.OWNER_DEAD, "b", 9_000, 15_000),
    ]
    assert coarse(found, 1_000) == (400 + 1_000, 2_000)


@pytest.mark.parametrize(
    ("between", "more"),
    [([], 1_000), ([piece(Label.DOUBLE, "b", 5_000, 5_400)], 1_000), ([piece(Label.DOUBLE, "b", 5_000, 8_000)], 0)],
    ids=["at once", "both for less than a second", "both for three seconds"],
)
def test_a_handover_within_a_second_may_have_left_the_partition_without_owner(
    between: list[Interval], more: int
) -> None:
    found = [piece(Label.OK, "a", 0, 5_000), *between, piece(Label.OK, "b", 8_000, 9_000)]
    assert coarse(found, 1_000) == (0, more)


def test_commands_say_whole_seconds_with_each_total(call: Call, tmp_path: Path) -> None:
    """`max-poll-range`: 5.3 partition-seconds, which were exactly 0.0 without a word."""
    logs = unpacked(sorted(INCIDENTS[1].parent.glob("*.log.gz")), tmp_path)
    for log in logs:
        coarsened(log)
    shown = call("incident", "import", *map(str, logs), "--topic", "orders=12")
    assert ". Sum: between " in shown.out or ". Sum: about " in shown.out
    assert "  uncertain: logs have times in whole seconds" in shown.out
    assert "(broker.log, m1.0.log, m2.0.log, m3.0.log): times in whole seconds" in shown.err
    for command in ("unavailable", "timeline", "rebalances", "blame"):
        assert "logs have times in whole seconds" in call(command, "latest").err, command
    rows = call("incident", "whatif", "latest", "--assignor", "cooperative-sticky", "--seeds", "0:2").out
    assert "partition-seconds" in rows
    assert ": logs have times in whole seconds)" in rows
    store = MemoryStore()
    assert import_run(read_files(logs), store, name=None, topics={}).run.summary["resolution_ms"] == 1_000
