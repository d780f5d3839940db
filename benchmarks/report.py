"""How large a report of many bars is, how long it takes to make, and how long Chromium takes to open it.

Run by `python -m benchmarks.report [BARS]`. The run is made up: 96 partitions of one group, 20 members, a rebalance now
and then. Opening: from navigation to the page's own sign that it is drawn, in a fresh browser; median of five.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from groupsim.analysis.report import report
from groupsim.analysis.runs import Run
from groupsim.events.base import WORLD_STREAM, group_stream, process_stream
from groupsim.events.classic import AssignmentStored, JoinPhaseCompleted, MemberAdded, MemberUpdated, RebalanceStarted
from groupsim.events.client import (
    CallbackEnd,
    CallbackStart,
    JoinOk,
    JoinSent,
    PositionReady,
    ProcessStarted,
    SyncOk,
    SyncSent,
    ViewChanged,
)
from groupsim.events.group import GroupCreated
from groupsim.events.types import TopicPartition
from groupsim.events.world import GroupDeclared, RunEnded, TopicCreated
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo, RunSource, RunStatus, RunWriter

BARS, PARTITIONS, MEMBERS = 20_000, 96, 20
ROUNDS = 5
LARGEST_MB, LONGEST_S = 6.0, 3.0


def made_up(bars: int, partitions: int = PARTITIONS, members: int = MEMBERS) -> Run:
    """A run of about so many bars: an eager group that rebalances every twenty seconds."""
    store = MemoryStore()
    writer = store.begin(RunInfo(id="bench", name=f"{bars:,} bars", source=RunSource.SIMULATED, seed=1))
    names = [f"m{number}" for number in range(members)]
    group = group_stream("billing")
    writer.append(0, WORLD_STREAM, [TopicCreated(topic="orders", partitions=partitions)])
    writer.append(0, WORLD_STREAM, [GroupDeclared(group="billing", protocol="classic", topics=("orders",))])
    writer.append(0, group, [GroupCreated()])
    for name in names:
        started = ProcessStarted(process=f"{name}.0", client_id=name, topics=("orders",))
        writer.append(0, process_stream("billing", f"{name}.0"), [started])
    rounds = max(1, round(bars / (4.2 * partitions)))
    for number in range(rounds):
        _round(writer, names, number, partitions)
    writer.append(20_000 * rounds, WORLD_STREAM, [RunEnded(status="finished")])
    return Run(store, writer.finish(RunStatus.FINISHED, 20_000 * rounds))


def _round(writer: RunWriter, names: list[str], number: int, partitions: int) -> None:
    """One eager rebalance: everybody revokes, joins, syncs, and gets other partitions than before."""
    group, at = group_stream("billing"), 20_000 * number
    plan = {
        f"{name}-id": tuple(
            TopicPartition("orders", p) for p in range(partitions) if (p + number) % len(names) == place
        )
        for place, name in enumerate(names)
    }
    writer.append(
        at, group, [RebalanceStarted(generation=number, cause="member-joined", reason="", initial=not number)]
    )
    for place, name in enumerate(names):
        process, mine = f"{name}.0", process_stream("billing", f"{name}.0")
        heard = at + 100 + 1_800 * ((place * 7 + number) % len(names)) // len(names)
        if number:
            writer.append(heard, mine, [CallbackStart(process=process, kind="revoked", partitions=())])
            writer.append(heard + 40, mine, [ViewChanged(process=process, partitions=())])
            writer.append(heard + 40, mine, [CallbackEnd(process=process, kind="revoked")])
        writer.append(heard + 50, mine, [JoinSent(process=process, member=f"{name}-id")])
    for name in names:
        came = MemberUpdated(
            member=f"{name}-id", session_timeout_ms=45_000, rebalance_timeout_ms=300_000, protocols=(), request=0
        )
        writer.append(at + 2_000, group, [came if number else MemberAdded(member=f"{name}-id", client_id=name)])
    joined = JoinPhaseCompleted(generation=number + 1, leader="m0-id", members=tuple(sorted(plan)), size=len(names))
    writer.append(at + 2_000, group, [joined])
    for name in names:
        process, mine = f"{name}.0", process_stream("billing", f"{name}.0")
        writer.append(at + 2_005, mine, [JoinOk(process=process, member=f"{name}-id", generation=number + 1)])
        writer.append(at + 2_006, mine, [SyncSent(process=process, member=f"{name}-id", generation=number + 1)])
    stored = AssignmentStored(
        generation=number + 1, leader="m0-id", protocol="range", assignment=dict(sorted(plan.items()))
    )
    writer.append(at + 2_100, group, [stored])
    for place, name in enumerate(names):
        process, mine, synced_ms = (
            f"{name}.0",
            process_stream("billing", f"{name}.0"),
            at + 2_110 + 220 * place // len(names),
        )
        given = plan[f"{name}-id"]
        answer = SyncOk(process=process, member=f"{name}-id", generation=number + 1, assignment=given)
        writer.append(synced_ms, mine, [answer, ViewChanged(process=process, partitions=given)])
        ready = PositionReady(process=process, offsets=tuple((tp.topic, tp.partition, 0) for tp in given))
        writer.append(synced_ms + 60, mine, [ready])


def opened_s(file: Path, chromium: str) -> float:
    """Seconds from navigation to the page's sign that it is drawn, and a frame after it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        started = time.perf_counter()
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        took = time.perf_counter() - started
        browser.close()
    return took


def measure(bars: int) -> tuple[int, float, float, float]:
    """`(bars, megabytes, seconds to make it, seconds to open it)`."""
    from tests.analysis.report.browser import chromium

    browser = chromium()
    if browser is None:
        sys.exit("no Chromium here: apt-get install chromium, or set CHROMIUM")
    run = made_up(bars)
    started = time.perf_counter()
    text = report([run])
    took = time.perf_counter() - started
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(text, "utf-8")
        opening = [opened_s(file, browser) for _ in range(ROUNDS)]
    return len(run.intervals), len(text.encode()) / 1e6, took, statistics.median(opening)


def main() -> None:
    """Print one row of a table."""
    bars, size, took, opening = measure(int(sys.argv[1]) if len(sys.argv) > 1 else BARS)
    verdict = "met" if size <= LARGEST_MB and opening < LONGEST_S else "MISSED"
    print("| bars | file, MB | made in, s | open in Chromium, s (median of 5) | aim |")
    print("| --- | --- | --- | --- | --- |")
    print(f"| {bars:,} | {size:.2f} | {took:.1f} | {opening:.2f} | <= {LARGEST_MB} MB, < {LONGEST_S} s {verdict} |")


if __name__ == "__main__":
    main()
