"""What the tables of owners, members, callbacks, commits and lag say."""

from __future__ import annotations

import pandas as pd
import pytest

from groupsim import analysis
from groupsim.analysis.errors import AnalysisError
from groupsim.analysis.runs import Run
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events.group import CommitAccepted, CommitRefused
from groupsim.events.world import TopicCreated
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo, RunSource, RunStatus
from tests.analysis.in_ms import ms, rows
from tests.analysis.log import GROUP, TOPIC, Log, offsets, serving_pair, tps
from tests.analysis.stories import cooperative, crash
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


def test_owners_by_the_assignment_and_by_their_own_belief_differ_while_a_dead_one_is_still_a_member() -> None:
    owned = opened(crash()).ownership()
    of_b = owned[owned["member"] == "b"]
    assert list(zip(of_b["perspective"], ms(of_b["start"]), ms(of_b["end"]), strict=True)) == [
        ("granted", 30, 500),
        ("believed", 50, 200),
    ]
    last = owned[(owned["partition"] == 1) & (owned["end"] == pd.Timedelta("600 ms"))]
    assert sorted(zip(last["perspective"], last["member"], strict=True)) == [("believed", "a"), ("granted", "a")]


def test_one_partition_is_granted_to_one_member_at_a_time() -> None:
    granted = opened(cooperative()).ownership().query("perspective == 'granted'")
    for _, part in granted.groupby(["topic", "partition"]):
        assert (part["start"].iloc[1:].to_numpy() >= part["end"].iloc[:-1].to_numpy()).all()


def test_members_have_their_lives_and_ends() -> None:
    log = serving_pair().client(150, p.Frozen(process="a")).client(170, p.Thawed(process="a"))
    log.client(200, p.Crashed(process="b")).client(210, p.CallbackStart(process="a", kind="revoked", partitions=tps(0)))
    log.client(240, p.CallbackEnd(process="a", kind="revoked")).end(300)
    a, b = rows(opened(log).members())
    assert (a["ended_by"], a["end"], a["uptime"], a["joins"], a["callback"], a["frozen"]) == (
        None,
        None,
        300,
        1,
        30,
        20,
    )
    assert (b["ended_by"], b["end"], b["uptime"], b["member"], b["ids"]) == ("crash", 200, 200, "b-id", 1)


def test_members_that_only_the_broker_tells_of_are_rows_too() -> None:
    log = Log(source="server.log:1").added(10, "a", host=False)
    log.group(50, c.MemberRemoved(member="a-id", cause="session-expired")).end(90)
    (row,) = rows(opened(log).members())
    assert (row["process"], row["member"], row["start"], row["end"]) == (None, "a-id", 10, 50)
    assert row["ended_by"] == "session-expired"


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
    found = {row["member"]: (row["end"], row["ended_by"]) for row in rows(opened(log).members())}
    assert found == {"a-id": (40, "left"), "b-id": (50, "static-replaced"), "c-id": (60, "unknown")}


def test_a_callback_that_never_returns_has_no_end() -> None:
    log = serving_pair().client(200, p.CallbackStart(process="a", kind="revoked", partitions=tps(0)))
    log.client(250, p.CallbackEnd(process="a", kind="revoked", error="boom"))
    log.client(300, p.CallbackStart(process="a", kind="assigned", partitions=tps(0, 1))).end(400)
    one, two = rows(opened(log).callbacks())
    assert (one["kind"], one["partitions"], one["duration"], one["error"]) == ("revoked", 1, 50, "boom")
    assert (one["generation"], one["member"]) == (1, "a-id")
    assert (two["kind"], two["end"], two["duration"]) == ("assigned", None, None)


def test_commits_are_a_row_a_partition_and_a_refusal_reported_by_both_is_one_row() -> None:
    log = serving_pair().group(200, CommitAccepted(member="a-id", generation=1, offsets=offsets(0, at=7)))
    log.group(210, CommitRefused(member="b-id", generation=0, error="ILLEGAL_GENERATION", offsets=offsets(1, at=9)))
    log.client(211, p.CommitFailed(process="b", error="ILLEGAL_GENERATION", local=False, offsets=offsets(1, at=9)))
    log.client(220, p.CommitFailed(process="b", error="REBALANCE_IN_PROGRESS", local=True)).end(300)
    table = opened(log).commits()
    assert table["accepted"].tolist() == [True, False, False]
    assert table["reported_by"].tolist() == ["coordinator", "coordinator", "client"]
    assert table["process"].tolist() == ["a", "b", "b"]
    assert table["offset"].tolist()[:2] == [7, 9]
    assert pd.isna(table["topic"].iloc[2])


def test_lag_is_what_was_produced_less_what_was_committed() -> None:
    log = Log(partitions=0).world(0, TopicCreated(topic=TOPIC, partitions=1, rate=10.0)).start(0, "a")
    log.client(1_000, p.PositionReady(process="a", offsets=offsets(0, at=2)))
    log.group(2_500, CommitAccepted(member="a-id", generation=1, offsets=offsets(0, at=20))).end(4_000)
    table = rows(opened(log).lag())
    assert [(row["time"], row["committed"], row["produced"], row["lag"]) for row in table] == [
        (1_000, None, 10, 8),
        (2_000, None, 20, 18),
        (3_000, 20, 30, 10),
        (4_000, 20, 40, 20),
    ]
    assert {row["group"] for row in table} == {GROUP}
    assert ms(opened(log).lag(every="2 s")["time"]) == [2_000, 4_000]
    with pytest.raises(AnalysisError, match="positive"):
        opened(log).lag(every=0)


def test_lag_of_a_recorded_run_is_not_known() -> None:
    log = Log(source="a.log:1").start(0, "a").fetches(0, "a", 0).end(1_500)
    assert recorded(log).lag()["lag"].isna().all()
