"""CPU time from the start of a group to its first rebalance, by partitions and by members, and how it grows.

    python -m benchmarks.size

The exponent is the slope of log(time) over log(size): 1 is linear, 2 is quadratic. Aims: 100,000 partitions in less
than 20 s, 2,000 members in at most 10 s.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from groupsim.analysis.tables.summary import summarise_simulated
from groupsim.simulation.run import Scenario, run
from groupsim.storage.memory import MemoryStore

KINDS = {
    "classic, range": {"assignor": "range"},
    "classic, cooperative-sticky": {"assignor": "cooperative-sticky"},
    "consumer, uniform": {"protocol": "consumer", "assignor": "uniform"},
}
LASTS_MS = 30_000


def story(partitions: int, members: int, group: dict[str, Any]) -> Callable[..., Any]:
    """Members join; once they are settled one more joins, which is the first rebalance of a group at work."""

    def script(world: Any) -> Iterator[Any]:
        topic = world.topic("orders", partitions, rate=0.01)
        billing = world.group("billing", **group)
        billing.join(members, topics=[topic])
        yield billing.stable(members=members)
        billing.join(1, topics=[topic])
        yield billing.stable(members=members + 1)

    return script


def seconds(partitions: int, members: int, group: dict[str, Any]) -> float:
    """CPU seconds of the run and of its summary. Raises RuntimeError if the group did not settle."""
    store = MemoryStore()
    began = time.process_time()
    result = run(Scenario("size", story(partitions, members, group), 1, LASTS_MS), store, record="facts")
    summarise_simulated(lambda types: store.read(result.info.id, types=types))
    took = time.process_time() - began
    if not result.ok:
        raise RuntimeError(f"{partitions} partitions, {members} members: {result.failure or result.violations}")
    return took


def exponent(sizes: Sequence[int], took: Sequence[float]) -> float:
    """The slope of the line through the logarithms (least squares)."""
    x, y = [math.log(size) for size in sizes], [math.log(took_s) for took_s in took]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / sum((a - mx) ** 2 for a in x)


def main() -> None:
    """Print a table: one row for each kind of group and what grows."""
    for name, group in KINDS.items():
        for what, sizes in (("partitions", (25_000, 50_000, 100_000)), ("members", (500, 1_000, 2_000))):
            took = [seconds(*((size, 4) if what == "partitions" else (size, size)), group) for size in sizes]
            cells = "  ".join(f"{size:,}: {took_s:.1f} s" for size, took_s in zip(sizes, took, strict=True))
            print(f"{name:28} {what:10} {cells}  exponent {exponent(sizes, took):.2f}", flush=True)


if __name__ == "__main__":
    main()
