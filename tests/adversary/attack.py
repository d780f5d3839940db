"""Attempts, area after area, till the time is over; in several processes if asked."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from tests.adversary.areas import attempt

_TURN_S = 1.0
"""CPU time of an area before the next one has its turn."""
_WAITING_S = 5.0
"""And time by the clock: an area may compute in processes that nobody here waits for."""


class Tried(NamedTuple):
    """One attempt: its area and number, and what it found, in a sentence."""

    area: str
    number: int
    found: str | None


class Part(NamedTuple):
    """Of several processes the `number`-th one from 0, which makes every `of`-th attempt of an area."""

    number: int
    of: int


ALONE = Part(0, 1)


def attack(seconds: float, seed: int, areas: list[str], part: Part = ALONE) -> Iterator[Tried]:
    """In turn each area has a second of CPU time; each has at least one attempt, however little time there is."""
    until = time.monotonic() + seconds
    counts = Counter[str]()
    first = part.number * len(areas) // part.of  # two processes do not start Spark at once
    with tempfile.TemporaryDirectory(prefix="adversary-") as folder:
        while time.monotonic() < until:
            for area in [*areas[first:], *areas[:first]]:
                turn_ends, latest = _cpu_s() + _TURN_S, min(until, time.monotonic() + _WAITING_S)
                while not counts[area] or (_cpu_s() < turn_ends and time.monotonic() < latest):
                    number = seed + counts[area] * part.of + part.number
                    counts[area] += 1
                    yield Tried(area, number, attempt(area, number, Path(folder)))


def attack_on(jobs: int, seconds: float, seed: int, areas: list[str]) -> Iterator[Tried]:
    """The same in `jobs` processes. Raises RuntimeError if one of them did not come to its end."""
    if jobs == 1:
        yield from attack(seconds, seed, areas)
        return
    context = get_context("spawn")
    processes: dict[Any, BaseProcess] = {}
    for index in range(jobs):
        receiving, sending = context.Pipe(duplex=False)
        processes[receiving] = context.Process(target=_report, args=(sending, seconds, seed, areas, Part(index, jobs)))
        processes[receiving].start()
        sending.close()  # so that the end of the process is the end of what comes
    open_: list[Any] = [*processes]
    try:
        while open_:
            for said in list[Any](wait(open_)):
                try:
                    yield said.recv()
                except EOFError:
                    open_.remove(said)
    except BaseException:  # nobody reads on: none goes on alone
        for process in processes.values():
            process.terminate()
        raise
    for process in processes.values():
        process.join()
    if any(process.exitcode for process in processes.values()):
        raise RuntimeError(f"processes ended with {[process.exitcode for process in processes.values()]}")


def _report(sending: Any, seconds: float, seed: int, areas: list[str], part: Part) -> None:
    with suppress(KeyboardInterrupt):  # the one that started it says what was tried
        for each in attack(seconds, seed, areas, part):
            sending.send(each)


def _cpu_s() -> float:
    """CPU time of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])
