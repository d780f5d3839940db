"""Tables in pandas' own types: timedeltas, instants, categories, and the tables of members, commits, lag and owners."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import pytest

from groupsim import analysis
from groupsim.analysis.runs import Run
from groupsim.analysis.tables import commits, frames, members, metrics, ownership
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events.group import CommitAccepted, CommitRefused
from groupsim.events.world import TopicCreated
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo, RunSource, RunStatus
from tests.analysis.log import GROUP, TOPIC, Log, offsets, serving_pair, tps
from tests.analysis.stories import cooperative, crash, eager
from tests.analysis.test_runs import opened

ORIGIN = "2026-11-20T11:27:14.260+00:00"


def recorded(log: Log) -> Run:
    """The log as a recorded run that began at ORIGIN."""
    store = MemoryStore()
    writer = store.begin(RunInfo(id="r", name="by hand", source=RunSource.RECORDED, origin=ORIGIN))
    for fact in log.facts:
        writer.append(fact.at_ms, fact.stream, [fact.event], fact.source)
    writer.finish(RunStatus.FINISHED, log.facts[-1].at_ms)
    return analysis.load(store)


def every_table(run: Run) -> dict[str, pd.DataFrame]:
    names = "facts availability unavailable timeline rebalances blame critical_paths ownership members callbacks"
    return {name: getattr(run, name)() for name in (*names.split(), "commits", "lag")}


def test_beside_every_time_in_ms_stands_the_same_as_a_timedelta() -> None:
    for run in (opened(crash()), opened(Log(partitions=0).end(5)), recorded(crash())):
        for name, frame in every_table(run).items():
            times = [column for column in frames.columns(frame) if column.endswith("_ms") and column not in _SUMS]
            assert times, name
            for column in times:
                twin = frame[frames.time_name(column)]
                assert str(twin.dtype) == "timedelta64[ms]", (name, column)
                ms = [None if pd.isna(value) else value / pd.Timedelta(milliseconds=1) for value in twin]
                assert ms == [None if pd.isna(value) else value for value in frame[column].tolist()]


_SUMS = ("callback_ms", "frozen_ms")


def test_a_recorded_run_has_utc_instants_and_a_simulated_one_has_none() -> None:
    stops = recorded(crash()).unavailable()
    assert str(stops["from_utc"].dtype) == "datetime64[ms, UTC]"
    began = datetime(2026, 11, 20, 11, 27, 14, 460_000, tzinfo=UTC)
    assert stops.loc[stops["label"] == "OWNER_DEAD", "from_utc"].tolist() == [began]
    assert not [name for name in opened(crash()).unavailable() if str(name).endswith("_utc")]


def test_cutting_to_a_stretch_moves_instants_and_timedeltas_with_it() -> None:
    stops = recorded(crash()).unavailable()
    cut = metrics.between(stops, 250, 300)
    assert cut["from_"].tolist() == [pd.Timedelta(milliseconds=250)]
    assert cut["duration"].tolist() == [pd.Timedelta(milliseconds=50)]
    assert (cut["to_utc"] - cut["from_utc"]).tolist() == [pd.Timedelta(milliseconds=50)]
    assert cut["from_utc"].tolist() == [pd.Timestamp(ORIGIN) + pd.Timedelta(milliseconds=250)]


def test_ids_are_categories_and_groups_are_what_is_there() -> None:
    blamed = opened(crash()).blame()
    assert {str(blamed[name].dtype) for name in ("group", "topic", "member")} == {"category"}
    sums = blamed[blamed["member"] == "b"].groupby(["member", "phase"])["duration"].sum()
    assert list(sums.index) == [("b", phase) for phase in sorted({phase for _, phase in sums.index})]
    assert "a" in set(blamed["member"].cat.categories)
    pivot = blamed.pivot_table(index="member", columns="phase", values="duration_ms", aggfunc="sum")
    assert pivot.loc["b", "detecting"] == 300


def test_rows_for_json_leave_out_what_the_milliseconds_say_already() -> None:
    (row,) = frames.records(recorded(crash()).unavailable().query("label == 'OWNER_DEAD'"))
    assert list(row) == metrics.UNAVAILABLE
    assert (row["from_ms"], row["to_ms"]) == (200, 500)


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("ownership", ownership.OWNERSHIP),
        ("members", members.MEMBERS),
        ("callbacks", members.CALLBACKS),
        ("commits", commits.COMMITS),
        ("lag", commits.LAG),
    ],
)
def test_further_tables_have_their_documented_columns_also_when_empty(name: str, columns: dict[str, str]) -> None:
    for run in (opened(eager()), opened(Log(partitions=0).end(5))):
        frame = getattr(run, name)()
        assert {n: str(frame[n].dtype) for n in frames.columns(frame)} == columns


def test_owners_by_the_assignment_and_by_their_own_belief_differ_while_a_dead_one_is_still_a_member() -> None:
    owned = opened(crash()).ownership()
    of_b = owned[owned["member"] == "b"]
    assert of_b[["perspective", "from_ms", "to_ms"]].to_numpy().tolist() == [
        ["granted", 30, 500],
        ["believed", 50, 200],
    ]
    last = owned[(owned["partition"] == 1) & (owned["to_ms"] == 600)]
    assert sorted(zip(last["perspective"], last["member"], strict=True)) == [("believed", "a"), ("granted", "a")]


def test_one_partition_is_granted_to_one_member_at_a_time() -> None:
    granted = opened(cooperative()).ownership().query("perspective == 'granted'")
    for _, rows in granted.groupby(["topic", "partition"]):
        assert (rows["from_ms"].iloc[1:].to_numpy() >= rows["to_ms"].iloc[:-1].to_numpy()).all()


def test_members_have_their_lives_and_ends() -> None:
    log = serving_pair().client(150, p.Frozen(process="a")).client(170, p.Thawed(process="a"))
    log.client(200, p.Crashed(process="b")).client(210, p.CallbackStart(process="a", kind="revoked", partitions=tps(0)))
    log.client(240, p.CallbackEnd(process="a", kind="revoked")).end(300)
    a, b = frames.records(opened(log).members())
    assert (a["end"], a["ended_ms"], a["uptime_ms"], a["joins"], a["callback_ms"], a["frozen_ms"]) == (
        None,
        None,
        300,
        1,
        30,
        20,
    )
    assert (b["end"], b["ended_ms"], b["uptime_ms"], b["member"], b["ids"]) == ("crash", 200, 200, "b-id", 1)


def test_members_that_only_the_broker_tells_of_are_rows_too() -> None:
    log = Log(source="server.log:1").added(10, "a", host=False)
    log.group(50, c.MemberRemoved(member="a-id", cause="session-expired")).end(90)
    (row,) = frames.records(opened(log).members())
    assert (row["process"], row["member"], row["started_ms"], row["ended_ms"]) == (None, "a-id", 10, 50)
    assert row["end"] == "session-expired"


def test_members_that_left_after_their_group_was_converted_have_an_end() -> None:
    log = Log(source="server.log:1").added(10, "a", host=False)
    log.group(20, k.GroupUpgraded(generation=1, metadata_hash=0, assignment={}))
    log.group(30, k.ConsumerMemberUpdated(member="b-id"))
    log.client(30, p.ProcessStarted(process="c", client_id="c")).client(
        30, p.SyncOk(process="c", member="c-id", generation=1)
    )
    log.group(40, k.ConsumerMemberRemoved(member="a-id", cause=k.LossCause.LEFT))
    log.group(50, k.StaticMemberReplaced(instance_id="i", old="b-id", member="a-id"))
    log.group(60, k.ConsumerMemberRemoved(member="c-id", cause=k.LossCause.UNKNOWN)).end(90)
    rows = {row["member"]: (row["ended_ms"], row["end"]) for row in frames.records(opened(log).members())}
    assert rows == {"a-id": (40, "left"), "b-id": (50, "static-replaced"), "c-id": (60, "unknown")}


def test_a_callback_that_never_returns_has_no_end() -> None:
    log = serving_pair().client(200, p.CallbackStart(process="a", kind="revoked", partitions=tps(0)))
    log.client(250, p.CallbackEnd(process="a", kind="revoked", error="boom"))
    log.client(300, p.CallbackStart(process="a", kind="assigned", partitions=tps(0, 1))).end(400)
    one, two = frames.records(opened(log).callbacks())
    assert (one["kind"], one["partitions"], one["duration_ms"], one["error"]) == ("revoked", 1, 50, "boom")
    assert (one["generation"], one["member"]) == (1, "a-id")
    assert (two["kind"], two["to_ms"], two["duration_ms"]) == ("assigned", None, None)


def test_commits_are_a_row_a_partition_and_a_refusal_reported_by_both_is_one_row() -> None:
    log = serving_pair().group(200, CommitAccepted(member="a-id", generation=1, offsets=offsets(0, at=7)))
    log.group(210, CommitRefused(member="b-id", generation=0, error="ILLEGAL_GENERATION", offsets=offsets(1, at=9)))
    log.client(211, p.CommitFailed(process="b", error="ILLEGAL_GENERATION", local=False, offsets=offsets(1, at=9)))
    log.client(220, p.CommitFailed(process="b", error="REBALANCE_IN_PROGRESS", local=True)).end(300)
    rows = opened(log).commits()
    assert rows["accepted"].tolist() == [True, False, False]
    assert rows["reported_by"].tolist() == ["coordinator", "coordinator", "client"]
    assert rows["process"].tolist() == ["a", "b", "b"]
    assert rows["offset"].tolist()[:2] == [7, 9]
    assert pd.isna(rows["topic"].iloc[2])


def test_lag_is_what_was_produced_less_what_was_committed() -> None:
    log = Log(partitions=0).world(0, TopicCreated(topic=TOPIC, partitions=1, rate=10.0)).start(0, "a")
    log.client(1_000, p.PositionReady(process="a", offsets=offsets(0, at=2)))
    log.group(2_500, CommitAccepted(member="a-id", generation=1, offsets=offsets(0, at=20))).end(4_000)
    rows = opened(log).lag()
    assert rows[["at_ms", "committed", "produced", "lag"]].fillna(-1).to_numpy().tolist() == [
        [1_000, -1, 10, 8],
        [2_000, -1, 20, 18],
        [3_000, 20, 30, 10],
        [4_000, 20, 40, 20],
    ]
    assert set(rows["group"]) == {GROUP}
    with pytest.raises(ValueError, match="positive"):
        opened(log).lag(0)


def test_lag_of_a_recorded_run_is_not_known() -> None:
    log = Log(source="a.log:1").start(0, "a").fetches(0, "a", 0).end(1_500)
    assert recorded(log).lag()["lag"].isna().all()
