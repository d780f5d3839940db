"""DataFrames as pandas people expect them: fixed columns, one form of time, `between`, Parquet, pandas' own verbs."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

import groupsim
from groupsim import analysis
from groupsim.analysis.errors import AnalysisError
from groupsim.analysis.runs import Run
from groupsim.analysis.tables.frames import TABLES, columns_of
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo, RunSource
from tests.analysis.in_ms import ms, rows, total_ms
from tests.analysis.log import Log, serving_pair
from tests.analysis.stories import cooperative, crash
from tests.analysis.test_runs import opened
from tests.analysis.test_tables import ORIGIN, recorded

KILL9 = Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tables.md"
INTERVALS = ("unavailable", "blame", "availability", "timeline", "ownership")
MOMENTS = ("commits", "lag", "behind", "facts")
SIMULATED, RECORDED = "timedelta64[ms]", "datetime64[ms, UTC]"


@pytest.fixture(scope="module")
def simulated() -> Run:
    return groupsim.run("zombie_member", seed=3)


@pytest.fixture(scope="module")
def incident() -> Run:
    return groupsim.import_logs(KILL9)


def documented(call: str) -> dict[str, str]:
    """The columns that docs/reference/tables.md has below a heading."""
    part = PAGE.read_text(encoding="utf-8").partition(f"## {call}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| (\w+) \| ([^|]+?) \|", part, re.M)
    return {name: dtype for name, dtype in found if name != "column"}


def types(frame: pd.DataFrame) -> dict[str, str]:
    """By column the name of its type."""
    return {str(name): str(dtype) for name, dtype in frame.dtypes.items()}


def whole(run: Run, table: str) -> pd.DataFrame:
    """All of a table, with start-up."""
    found: pd.DataFrame = getattr(run, table)(between=(0, None))
    return found


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_the_documented_columns_and_types_also_when_it_is_empty(
    table: str, simulated: Run, incident: Run
) -> None:
    wanted = documented(f"run.{table}()")
    assert wanted == columns_of(TABLES[table])
    empty = opened(Log(partitions=0).end(5))
    for run, moment in (
        (simulated, SIMULATED),
        (empty, SIMULATED),
        (incident, RECORDED),
        (recorded(crash()), RECORDED),
    ):
        found = types(getattr(run, table)())
        assert list(found) == list(wanted)
        assert found == {name: moment if dtype == "moment" else dtype for name, dtype in wanted.items()}


def test_the_page_has_every_table_and_no_other() -> None:
    assert re.findall(r"^## run\.(\w+)\(\)", PAGE.read_text(encoding="utf-8"), re.M) == [*TABLES, "delays"]


def test_the_tables_of_answers_have_the_documented_columns(incident: groupsim.Run) -> None:
    what_if = incident.what_if(assignor="sticky", seeds=range(2))
    assigned = groupsim.assign("range", topics={"t": 1}, members={"m": ["t"]})
    for call, frame in (
        ("run.delays()", incident.delays(rates={"orders": 20})),
        ("explanation.to_frame()", incident.explanation.to_frame()),
        ("what_if.to_frame()", what_if.to_frame()),
        ("assignment.to_frame()", assigned.to_frame()),
    ):
        assert types(frame) == documented(call)
        assert same(frame, kept_by_parquet(frame)), call


def test_no_column_is_hidden_behind_an_attribute_and_none_says_twice_the_same(simulated: Run, incident: Run) -> None:
    for table in TABLES:
        assert not [name for name in columns_of(TABLES[table]) if hasattr(pd.DataFrame, name)], table
        for run in (simulated, incident):
            frame = whole(run, table)
            times = [str(name) for name, dtype in frame.dtypes.items() if dtype.kind in "mM" and len(frame) > 50]
            assert not [(a, b) for a in times for b in times if a < b and frame[a].equals(frame[b])], table


def test_moments_of_a_recorded_run_are_instants_and_lengths_are_lengths() -> None:
    stops, simulated = whole(recorded(crash()), "unavailable"), whole(opened(crash()), "unavailable")
    assert (stops["start"] == pd.Timestamp(ORIGIN) + simulated["start"]).all()
    assert (stops["end"] - stops["start"] == stops["duration"]).all()
    assert ms(stops["duration"]) == ms(simulated["duration"])


def kept_by_parquet(frame: pd.DataFrame) -> pd.DataFrame:
    file = io.BytesIO()
    frame.to_parquet(file)
    return pd.read_parquet(io.BytesIO(file.getvalue()))


def same(frame: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Types, and values; of lists as lists."""
    lists = [name for name, dtype in frame.dtypes.items() if str(dtype) == "object"]
    read = other.copy()
    for name in lists:
        read[name] = pd.Series([list(each) for each in other[name]], dtype=object)
    return frame.equals(read) and list(frame.dtypes) == list(other.dtypes)


@pytest.mark.parametrize("table", TABLES)
def test_parquet_keeps_a_table(table: str, simulated: Run, incident: Run) -> None:
    for run in (simulated, incident, opened(Log(partitions=0).end(5))):
        frame = whole(run, table)
        read = kept_by_parquet(frame)
        assert read.equals(frame)
        assert list(read.dtypes) == list(frame.dtypes)


def test_groups_are_what_is_there_also_after_parquet(simulated: Run) -> None:
    for blame in (simulated.blame(), kept_by_parquet(simulated.blame())):
        sums = blame.groupby(["member", "phase"])["duration"].sum()
        by_hand: dict[tuple[str, str], int] = {}
        for row in rows(blame):
            if row["member"] is not None:
                key = row["member"], row["phase"]
                by_hand[key] = by_hand.get(key, 0) + row["duration"]
        assert dict(zip(sums.index, ms(sums), strict=True)) == by_hand
        pivot = blame.pivot_table(index="member", columns="phase", values="duration", aggfunc="sum")
        assert pivot.notna().sum().sum() == len(by_hand)


def test_blame_finds_its_rebalance_by_a_merge(simulated: Run) -> None:
    blame, rebalances = simulated.blame(), simulated.rebalances()
    known = blame[blame["generation"].notna()]
    merged = known.merge(rebalances, on=["group", "generation"], suffixes=("", "_rebalance"), validate="many_to_one")
    assert len(merged) == len(known) > 0
    cause = {row["generation"]: row["cause"] for row in rows(rebalances)}
    assert merged["cause_rebalance"].tolist() == [cause[each] for each in known["generation"]]


def test_processes_find_their_blame_by_a_merge(incident: Run) -> None:
    waited = incident.blame().groupby(["group", "member"], as_index=False)["duration"].sum()
    merged = waited.merge(incident.members(), left_on=["group", "member"], right_on=["group", "process"])
    assert len(merged) == len(waited) > 0
    assert {str(merged[name].dtype) for name in ("group", "process")} == {"string"}


def test_runs_of_one_kind_are_joined_by_concat(simulated: Run) -> None:
    both = pd.concat({"a": simulated.unavailable(), "b": simulated.unavailable()}, names=["run"])
    assert list(both.dtypes) == list(simulated.unavailable().dtypes)
    assert both.groupby("run")["duration"].sum().nunique() == 1


def test_pandas_draws_them(simulated: Run, incident: Run) -> None:
    plt.close("all")  # pandas draws a column into the figure that another test left open
    for run in (simulated, incident):
        sums = run.unavailable().groupby("label")["duration"].sum().dt.total_seconds()
        bars: Any = sums.plot.bar()  # what matplotlib makes of timedeltas depends on the converters that are registered
        assert [bar.get_height() for bar in bars.patches] == sums.tolist()
        plt.close("all")
        lag = run.behind().pivot_table(index="time", columns="partition", values="lag", aggfunc="sum")
        if len(lag):
            axes: Any = lag.plot(legend=False)
            assert len(axes.lines) == lag.shape[1]
            assert [line.get_ydata()[-1] for line in axes.lines] == lag.iloc[-1].tolist()
            plt.close("all")
        starts = run.rebalances().set_index("start")["moved"].astype("float64")
        axes = starts.plot()
        assert axes.lines[0].get_ydata().tolist() == starts.tolist()
        plt.close("all")


def cut_by_hand(table: list[dict[str, Any]], begin: int, end: int) -> list[dict[str, Any]]:
    """Each row cut to [begin, end), millisecond by millisecond."""
    found = []
    for row in table:
        kept = [at for at in range(row["start"], row["end"]) if begin <= at < end]
        if kept:
            length = {"duration": len(kept)} if "duration" in row else {}
            found.append({**row, "start": kept[0], "end": kept[-1] + 1, **length})
    return found


@pytest.fixture(scope="module")
def stories() -> list[Run]:
    frozen = serving_pair().start(200, "c").end(400)
    return [opened(crash()), opened(cooperative()), opened(frozen)]


@given(begin=st.integers(-50, 1_300), length=st.integers(1, 1_300), which=st.integers(0, 2))
def test_between_cuts_as_by_hand(stories: list[Run], begin: int, length: int, which: int) -> None:
    run, end = stories[which], begin + length
    for table in INTERVALS:
        part = rows(getattr(run, table)(between=(begin, end)))
        assert part == cut_by_hand(rows(whole(run, table)), begin, end), table
    for table in MOMENTS:
        every = {"every": 100} if table == "lag" else {}
        part = rows(getattr(run, table)(between=(begin, end), **every))
        all_ = rows(getattr(run, table)(**every))
        assert part == [row for row in all_ if begin <= row["time"] < end], table
    for table in ("rebalances", "critical_paths", "members", "callbacks"):
        part = rows(getattr(run, table)(between=(begin, end)))
        assert part == [row for row in rows(getattr(run, table)()) if lives(row, begin, end)], table


def lives(row: dict[str, Any], begin: int, end: int) -> bool:
    """Whether some millisecond of a row, which has one at least, lies in [begin, end)."""
    first = begin if row["start"] is None else row["start"]
    last = max(first, end if row["end"] is None else row["end"] - 1)
    return first < end and last >= begin


@given(cuts=st.lists(st.integers(1, 599), max_size=4, unique=True), which=st.integers(0, 2))
def test_parts_add_up_to_the_whole(stories: list[Run], cuts: list[int], which: int) -> None:
    run = stories[which]
    edges: list[int | None] = [None, *sorted(cuts), None]
    parts = list(pairwise(edges))
    sums = [run.total(between=part) for part in parts]
    assert (
        sum((each.partition_time or timedelta() for each in sums), timedelta())
        == run.total(between=(None, None)).partition_time
    )
    for table in ("unavailable", "blame"):
        found = sum(total_ms(getattr(run, table)(between=part)["duration"]) for part in parts)
        assert found == total_ms(whole(run, table)["duration"])


def test_a_total_is_that_of_the_headline_and_of_the_table(simulated: Run, incident: Run) -> None:
    for run in (simulated, incident, opened(crash()), recorded(crash())):
        total = run.total()
        assert str(total) == total.answer == run.headline
        for table in (run.unavailable(), run.blame()):
            assert table["duration"].sum() == total.partition_time
        if total.start_up is not None and run.info.origin is None:
            assert whole(run, "unavailable")["duration"].sum() == total.start_up + (total.partition_time or timedelta())


def moments(table: pd.DataFrame) -> Iterator[Any]:
    """Where something changes."""
    yield from sorted({*table["start"], *table["end"]})


def test_a_total_of_a_time_is_what_the_table_of_this_time_adds_up_to(simulated: Run) -> None:
    between = ("3 s", timedelta(seconds=20))
    table, total = simulated.unavailable(between=between), simulated.total(between=between)
    down = {at: int(((table["start"] <= at) & (table["end"] > at)).sum()) for at in moments(table)}
    edges = list(down)
    outage = sum((b - a for a, b in pairwise(edges) if down[a]), pd.Timedelta(0))
    assert (total.outage, total.max_partitions) == (outage, max(down.values()))
    assert total.start_up == timedelta(0)
    assert total.at_least == total.partition_time == total.at_most == table["duration"].sum()
    assert "start-up" not in total.answer


def test_where_a_total_is_unknown_it_says_why() -> None:
    run = groupsim.import_logs(KILL9 / "broker.log.gz")
    total = run.total()
    assert total.partition_time is None
    assert total.unknown == run.unknown is not None


def test_instants_cut_a_recorded_run_as_milliseconds_do() -> None:
    run = recorded(crash())
    began = pd.Timestamp(ORIGIN)
    table = run.unavailable(between=(began + pd.Timedelta(250, "ms"), str(began + pd.Timedelta(300, "ms"))))
    assert table.equals(run.unavailable(between=(250, "300 ms")))
    assert table["start"].tolist() == [began + pd.Timedelta(250, "ms")]
    assert ms(table["duration"]) == [50]


def test_a_run_that_was_killed_is_whole_to_its_last_fact() -> None:
    store = MemoryStore()
    writer = store.begin(RunInfo(id="killed", name="by hand", source=RunSource.SIMULATED))
    for fact in crash().facts:
        writer.append(fact.at_ms, fact.stream, [fact.event])
    writer.flush()
    killed, finished = analysis.load(store), opened(crash())
    for table in TABLES:
        assert whole(killed, table).equals(whole(finished, table)), table


def test_start_up_is_apart(simulated: Run) -> None:
    worked = min(at for at in simulated.worked.values() if at is not None)
    assert ms(simulated.unavailable()["start"].sort_values())[0] >= worked
    assert ms(whole(simulated, "unavailable")["start"].sort_values())[0] == 0
    assert simulated.total().start_up == whole(simulated, "unavailable")["duration"].sum() - (
        simulated.total().partition_time or timedelta()
    )


@pytest.mark.parametrize(
    "between",
    ["12 s", (1,), (5, 5), (9, 3), ("10", "20"), ("soon", 3), (float("nan"), 3), (True, 3), (0, float("inf"))],
)
def test_what_is_no_part_of_a_run_is_refused_in_a_sentence(simulated: Run, between: Any) -> None:
    for ask in (simulated.unavailable, simulated.facts, simulated.total):
        with pytest.raises(AnalysisError):
            ask(between=between)


def test_pictures_of_a_part_begin_and_end_with_it(simulated: groupsim.Run, incident: groupsim.Run) -> None:
    (axes,) = simulated.plot.timeline(between=("5 s", "9 s")).axes
    assert axes.get_xlim() == (5_000, 9_000)
    first = pd.Timestamp(str(incident.info.origin)) + pd.Timedelta("2 s")
    (axes,) = incident.plot.timeline(between=(first, first + pd.Timedelta("3 s"))).axes
    assert axes.get_xlim() == (0, 3_000)
    assert axes.get_xlabel() == "time of day, UTC"


def test_a_total_of_a_part_of_an_incident_has_the_bounds_of_this_part(incident: Run) -> None:
    total, rests_on = incident.total(between=("2 s", "9 s")), incident.support_between((2_000, 9_000))
    assert rests_on is not None
    assert rests_on.unknown is total.unknown is None
    assert total.partition_time == incident.unavailable(between=("2 s", "9 s"))["duration"].sum()
    assert total.at_least == timedelta(milliseconds=rests_on.at_least_ms)
    assert total.at_most == timedelta(milliseconds=rests_on.at_most_ms or 0)
    assert rests_on.at_least_ms < total_ms(incident.unavailable(between=("2 s", "9 s"))["duration"])
