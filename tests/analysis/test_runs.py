"""Tables of a stored run: columns, dtypes, sums that agree, and the summary of the contract."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from groupsim import analysis
from groupsim.analysis.runs import Run
from groupsim.analysis.tables import metrics
from groupsim.analysis.tables.columns import UNAVAILABLE, as_rows
from groupsim.analysis.tables.summary import reprocessed_records
from groupsim.events import client as p
from groupsim.events.group import CommitAccepted, CommitRefused
from groupsim.storage.errors import StoreError
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo, RunSource, RunStatus
from tests.analysis.in_ms import ms, rows, total_ms
from tests.analysis.log import GROUP, Log, offsets, serving_pair, tps
from tests.analysis.stories import cooperative, crash, eager


def opened(log: Log) -> Run:
    """The log as a run of a store in memory."""
    store = MemoryStore()
    writer = store.begin(RunInfo(id="r", name="by hand", source=RunSource.SIMULATED))
    for fact in log.facts:
        writer.append(fact.at_ms, fact.stream, [fact.event], fact.source)
    writer.finish(RunStatus.FINISHED, log.facts[-1].at_ms)
    return analysis.load(store, "latest")


def test_facts_have_their_fields_as_json_and_who_they_speak_of() -> None:
    facts = opened(crash()).facts()
    row = facts[facts["type"] == "MemberRemoved"].iloc[0]
    assert row["body"] == '{"type":"MemberRemoved","member":"b-id","cause":"session-expired"}'
    assert (row["group"], row["member"]) == (GROUP, "b-id")
    assert pd.isna(row["process"])
    assert facts["seq"].tolist() == list(range(len(facts)))


def test_unavailable_rows_are_the_summarys_numbers() -> None:
    for log in (crash(), eager(), cooperative()):
        run = opened(log)
        table, summary = run.unavailable(between=(0, None)), run.summary()["unavailable"]
        assert total_ms(table["duration"]) == summary["partition_ms"] > 0
        parts = table.groupby("label")["duration"].sum()
        assert dict(zip(parts.index, ms(parts), strict=True)) == {
            k: each for k, each in summary["by_label"].items() if each
        }
        total = total_ms(run.availability()["duration"])
        assert summary["share"] == pytest.approx(summary["partition_ms"] / total)


def test_unavailable_names_the_cause() -> None:
    run = opened(crash())
    causes = metrics.sums(as_rows(metrics.unavailable(run.intervals), UNAVAILABLE), "cause")
    worst = causes[0]
    assert (worst["cause"], worst["partition_ms"], worst["longest_ms"]) == ("crash b", 300, 300)
    assert {row["cause"] for row in causes} == {"start", "crash b", "crash b > session-expired"}
    assert {row["cause"] for row in rows(run.unavailable())} == {"crash b", "crash b > session-expired"}


def test_a_timeline_tells_who_had_what_without_gaps() -> None:
    run = opened(eager())
    table = rows(run.timeline(GROUP))
    assert [(r["member"], r["label"], r["start"], r["end"]) for r in table if r["partition"] == 1] == [
        ("a", "OK", 0, 110),
        ("a", "PAUSED_CALLBACK", 110, 115),
        (None, "WITHHELD", 115, 130),
        ("b", "GRANT_IN_FLIGHT", 130, 135),
        ("b", "OK", 135, 200),
    ]
    assert run.timeline("nobody").empty


def test_two_stops_for_the_same_reason_stay_two_rows() -> None:
    log = serving_pair().client(200, p.Frozen(process="b")).client(300, p.Thawed(process="b"))
    log.client(400, p.Frozen(process="b")).client(450, p.Thawed(process="b")).end(500)
    table = opened(log).unavailable()
    stalled = table[table["label"] == "OWNER_STALLED"]
    assert ms(stalled["duration"]) == [100, 50]
    assert set(stalled["cause"]) == {"freeze b"}


def test_each_interval_finds_its_rebalance() -> None:
    run = opened(crash())
    stops = as_rows(metrics.unavailable(run.intervals), UNAVAILABLE)
    found = {(row["label"], row["from_ms"]): row for row in metrics.with_rebalance(stops, run.rebalance_rows)}
    dead, withheld = found["OWNER_DEAD", 200]["generation"], found["WITHHELD", 500]["generation"]
    assert (dead, withheld) == (2, 2), "a dead owner's time ends with the next rebalance"
    unowned = [row["generation"] for (label, _), row in found.items() if label == "UNOWNED"]
    assert unowned == [1] * len(unowned), "what ended with the first rebalance's start"


def test_the_architectures_own_example_works() -> None:
    stops = opened(cooperative()).rebalances()
    assert stops.groupby("cause")["duration"].describe().loc["member-joined", "count"] == 2


def test_the_summary_counts_commits_and_unsafe_time() -> None:
    log = serving_pair().group(150, CommitAccepted(member="a-id", generation=1, offsets=()))
    log.group(160, CommitRefused(member="b-id", generation=0, error="ILLEGAL_GENERATION"))
    log.stored(200, 1, a=tps(0, 1), b=tps(1)).shows(200, "a", 0, 1).fetches(200, "a", 1).end(230)
    summary = opened(log).summary()
    assert summary["commits"] == {"accepted": 1, "refused": 1, "unsafe_ms": 30}
    assert summary["groups"] == {GROUP: {"protocol": "classic", "rebalances": 1, "generation": 1, "members": 2}}


def ready(process: str, at: int) -> p.PositionReady:
    return p.PositionReady(process=process, offsets=offsets(0, at=at))


def reached(process: str, at: int) -> p.PositionReached:
    return p.PositionReached(process=process, offsets=offsets(0, at=at))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ((ready("a", 50), reached("a", 100), ready("b", 60)), 40),
        ((ready("a", 50), reached("a", 100), ready("b", 100)), 0),
        ((ready("a", 50), reached("a", 100), ready("b", 60), reached("b", 80), ready("c", 80)), 40),
        ((ready("a", 50), ready("b", 60), reached("a", 100), reached("a", 120)), 40),
        ((ready("a", 50), reached("a", 90), ready("a", 70)), 20),
    ],
)
def test_records_read_again_are_counted_once(facts: tuple[p.ClientEvent, ...], expected: int) -> None:
    assert reprocessed_records(Log().client(1, *facts).facts) == expected


def test_replay_of_a_run_stops_at_the_given_instant() -> None:
    run = opened(crash())
    assert run.replay(505)["groups"][GROUP]["state"] == "PreparingRebalance"
    assert sorted(run.replay()["groups"][GROUP]["members"]) == ["a-id"]


def test_a_path_without_a_store_is_an_error_and_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        analysis.load(str(tmp_path / "none.db"))
    assert not list(tmp_path.iterdir())


def test_what_the_command_line_and_executors_import_needs_no_pandas() -> None:
    names = ("", ".availability.intervals", ".tables.summary", ".replay", ".timelines.builder")
    light = ", ".join(f"groupsim.analysis{name}" for name in names)
    heavy = "sorted({'pandas', 'numpy', 'sqlalchemy', 'pyspark', 'simpy'} & set(sys.modules))"
    of_commands = "groupsim.analysis.runs, groupsim.analysis.tables.metrics"  # `unavailable`, `blame`, `timeline`, …
    code = f"import sys, {light}; print({heavy}); import {of_commands}; print('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\nFalse\n"
