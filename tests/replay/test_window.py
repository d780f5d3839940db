"""The window of a what-if: start-up is in no comparison, and what goes on at the end counts to its end."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.cost import Cost, default_window, recorded_cost, replayed_cost
from groupsim.replay.reconstruct.rebalances import Generation, generations_of
from groupsim.replay.replayable import replayable_run
from groupsim.replay.window import Window, rebalanced_ms
from groupsim.simulation.clients.process import Script
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore
from tests.incidents.written_logs import coarsened

EXAMPLES = Path(__file__).parents[2] / "examples"
HEARTBEAT_MS = 1_000
LEAVES_MS, ENDS_MS = 30_000, 45_000


def generation(number: int, started_ms: int, over_ms: int, cause: str = "member-joined") -> Generation:
    return Generation(number, cause, 1, over_ms - 5, started_ms, over_ms, initial=number == 1)


FOUNDING = [
    generation(1, 0, 100),
    generation(2, 600, 1_300),
    generation(3, 1_310, 2_200, "leader-rejoined"),
    generation(4, 2_500, 3_000),
    generation(5, 3_010, 4_000, "member-rejoined"),
]


def test_a_rebalance_at_the_end_counts_with_its_follow_up_and_a_later_one_does_not() -> None:
    assert rebalanced_ms(FOUNDING, 2_600, HEARTBEAT_MS) == 4_000
    assert rebalanced_ms(FOUNDING, 200, HEARTBEAT_MS) == 200
    assert rebalanced_ms(FOUNDING, 1_305, HEARTBEAT_MS) == 2_200  # it follows at once
    assert rebalanced_ms(FOUNDING, 9_000, HEARTBEAT_MS) == 9_000


def costs(assignor: str, leaves: bool = True, ends_ms: int = ENDS_MS) -> tuple[Cost, Cost, Cost]:
    """Of three members that join 400 ms after each other, and one that leaves later: in the default window, as a record
    and as a replay of itself; and in a window that begins long after start-up."""

    def story(world: World) -> Script:
        group = world.group("g", protocol="consumer" if assignor == "uniform" else "classic", assignor=assignor)
        topic = world.topic("t", 6)
        members = group.join("a", "b", "c", topics=[topic], after=None)
        for member in members:
            yield member.start()
            yield world.sleep(400)
        yield world.sleep(LEAVES_MS - world.now)
        if leaves:
            members[1].close()

    store = MemoryStore()
    scenario = Scenario(name="story", story=story, seed=1, lasts_ms=ENDS_MS + 10_000)
    settings = {"group.initial.rebalance.delay.ms": "0"}
    settings |= {} if assignor == "uniform" else {"heartbeat.interval.ms": str(HEARTBEAT_MS)}
    interval_ms = 5_000 if assignor == "uniform" else HEARTBEAT_MS
    facts = list(store.read(run(scenario, store, settings=settings).info.id))
    generations = generations_of(facts, "g")
    window = default_window(facts, "g", ends_ms, interval_ms)
    late = Window(LEAVES_MS - 10_000, ENDS_MS, given=True, to_the_end=False)
    return (
        recorded_cost(facts, "g", window, generations),
        replayed_cost(facts, "g", window, 0, ENDS_MS + 10_000),
        replayed_cost(facts, "g", late, 0, ENDS_MS + 10_000),
    )


@pytest.mark.parametrize("assignor", ["range", "sticky", "cooperative-sticky", "uniform"])
def test_all_that_comes_after_start_up_is_compared(assignor: str) -> None:
    record, replay, late = costs(assignor)
    joins, *_ = costs(assignor, leaves=False)
    total_ms = joins.unavailable_partition_ms + late.unavailable_partition_ms
    assert record.unavailable_partition_ms == replay.unavailable_partition_ms == total_ms
    assert min(joins.unavailable_partition_ms, late.unavailable_partition_ms) > 0
    assert record.founding_ms == replay.founding_ms == joins.founding_ms > 0


@pytest.mark.parametrize("assignor", ["range", "cooperative-sticky"])
def test_a_choice_pays_for_what_it_delays_beyond_the_end(assignor: str) -> None:
    whole, cut = costs(assignor)[1], costs(assignor, ends_ms=LEAVES_MS + 20)[1]
    assert cut.unavailable_partition_ms == whole.unavailable_partition_ms


def test_coarse_times_leave_no_more_unavailable_than_the_window_has(tmp_path: Path) -> None:
    for log in (EXAMPLES / "incidents" / "rolling-restart-range").glob("*.log.gz"):
        (tmp_path / log.stem).write_bytes(gzip.decompress(log.read_bytes()))
        coarsened(tmp_path / log.stem)
    store = MemoryStore()
    info = import_run(read_files(sorted(tmp_path.iterdir())), store, name=None, topics={}).run
    given = {"session.timeout.ms": 6_000}
    _, most = replayable_run(store, info, given=given, between=(8_500, 9_000)).cost.range_ms
    assert most == 12 * 500
