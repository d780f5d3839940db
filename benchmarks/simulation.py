"""Simulated events per second, beside a bare SimPy loop of as many timeouts: `python -m benchmarks.simulation`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

import simpy

from groupsim.events.base import Event
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.simulation import run as running
from groupsim.simulation.clients.process import Script
from groupsim.storage.store import RunInfo, RunSource, RunStatus

ROUNDS = 7
CONSUMERS = 100


class _Nowhere:
    """A store and a writer that keep nothing: what is measured is the simulation alone."""

    def __init__(self, info: RunInfo | None = None) -> None:
        self.info = info or RunInfo(id="", name="", source=RunSource.SIMULATED)
        self.facts = 0

    def begin(self, info: RunInfo) -> _Nowhere:
        return _Nowhere(info)

    def append(self, at_ms: int, stream: str, events: Sequence[Event], source: str | None = None) -> None:
        self.facts += len(events)

    def finish(self, status: str, simulated_ms: int, summary: dict[str, object] | None = None) -> RunInfo:
        return RunInfo(id="", name="", source=RunSource.SIMULATED, status=RunStatus(status), facts=self.facts)


class _Counted(simpy.Environment):
    """Counts the SimPy events it handles."""

    handled = 0

    def step(self) -> None:
        _Counted.handled += 1
        super().step()


@scenario(seed=1, lasts=minutes(10))
def crowd(world: World) -> Script:
    """A hundred consumers heartbeat, commit and rebalance now and then."""
    orders = world.topic("orders", partitions=2 * CONSUMERS)
    group = world.group("billing", assignor="range")
    members = group.join(CONSUMERS, topics=[orders], spread=seconds(3))
    yield group.stable(members=CONSUMERS)
    for member in members[:5]:
        yield member.restart(downtime=seconds(5))
        yield group.stable(members=CONSUMERS)


def simulate() -> int:
    """Play the crowd; the number of facts."""
    return running.run(crowd, _Nowhere()).info.facts  # type: ignore[arg-type]


def bare(events: int, callbacks: int = CONSUMERS) -> None:
    """As many timeouts as there were SimPy events, in as many endless callbacks as there were consumers."""
    env = simpy.Environment()

    def again(_: simpy.Event | None = None) -> None:
        env.timeout(3).callbacks.append(again)

    for _ in range(callbacks):
        again()
    env.run(until=3 * events // callbacks)


def timed(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    """Print medians and their ratio, measured in turn in one process."""
    facts = simulate()
    plain, simpy.Environment = simpy.Environment, _Counted  # type: ignore[misc]
    simulate()
    simpy.Environment = plain  # type: ignore[misc]
    events = _Counted.handled
    pairs = [(timed(simulate), timed(lambda: bare(events))) for _ in range(ROUNDS)]
    ours, simpys = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"simulation  {CONSUMERS} consumers, 10 simulated minutes: {facts:,} facts, {events:,} SimPy events")
    print(f"  ours        {events / ours:>12,.0f} events/s   {facts / ours:>12,.0f} facts/s   {ours:.2f} s CPU")
    print(f"  bare SimPy  {events / simpys:>12,.0f} events/s   {simpys:.2f} s CPU")
    print(f"  ours / bare SimPy: {ratio:.2f} times the time for as many events (median of {ROUNDS} pairs)")


if __name__ == "__main__":
    main()
