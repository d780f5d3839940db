"""What share of the processors was busy during a run: the whole machine, and this process with its children."""

from __future__ import annotations

import os
import threading
import time
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
IDLE, IOWAIT = 3, 4
GUEST = 8
"""Time of guests is part of the time of users."""


def machine_ticks() -> int:
    """Busy time of all processors since the machine started."""
    counted = list(map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]))
    return sum(n for i, n in enumerate(counted[:GUEST]) if i not in (IDLE, IOWAIT))


def own_ticks() -> int:
    """Time of this process, its ended children and those that run: broker, producer, members."""
    own = os.getpid()
    total = 0
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(folder.name) == own:
            total += sum(map(int, fields[11:15]))
        elif int(fields[1]) == own:
            total += sum(map(int, fields[11:13]))
    return total


class CpuShare:
    """Samples once a second, as a context manager; `found` afterwards: shares of all processors together."""

    def __init__(self) -> None:
        self.found: dict[str, float] = {}
        self._samples: list[tuple[float, int, int]] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()
        self._sample()
        self.found = shares(self._samples, os.cpu_count() or 1)

    def _run(self) -> None:
        self._sample()
        while not self._done.wait(1):
            self._sample()

    def _sample(self) -> None:
        self._samples.append((time.monotonic(), machine_ticks(), own_ticks()))


def shares(samples: list[tuple[float, int, int]], processors: int) -> dict[str, float]:
    """Mean and greatest share of a second, from samples of `(seconds, machine's ticks, own ticks)`."""
    rounded = {}
    for column, of in ((1, ""), (2, "_of_this_harness")):
        between = [(b[column] - a[column]) / (b[0] - a[0]) for a, b in pairwise(samples) if b[0] - a[0] > 0.5]
        mean = (samples[-1][column] - samples[0][column]) / (samples[-1][0] - samples[0][0])
        per_share = TICKS_PER_S * processors
        rounded[f"mean{of}"] = round(mean / per_share, 3)
        rounded[f"max_1s{of}"] = round(max(between, default=mean) / per_share, 3)
    return rounded
