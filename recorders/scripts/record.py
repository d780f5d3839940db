"""Record what a real broker answers: every script is played until two plays agree, and only what agrees is kept."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from random import Random
from statistics import median

from groupsim.conformance.scripts.configs import CONFIGS
from groupsim.conformance.scripts.script import NO_ANSWER, Script, Step, request_of
from recorders.broker.connections import Pool
from recorders.broker.kafka import Kafka
from recorders.scripts.play_on_broker import LATE_MS, BrokerPlay

SHAKE_MS = 30
"""Every play but the first sends each step so much earlier or later at most: answers that depend on it are found."""
AGREEING = 2
SPREAD_MS = 110
"""How far the times of two plays may lie apart: their shifts, and a little for the machine."""
MOST_PLAYS = 10
AT_ONCE = (80, 30, 8)
"""How many scripts are played at once, pass by pass: a script whose plays disagree is played anew in a calmer one."""
STAGGER_S = 0.05
PATIENCE_S = 30
WARM_UPS = 20
Steps = list[Step]
Log = Callable[[str], None]
"""Takes a line about the progress."""


def choices(steps: Steps) -> list[dict[str, object]]:
    """The elected leaders: one for each generation whose leader differs from the generation before."""
    leaders: dict[int, tuple[str, list[str]]] = {}
    for step in steps:
        answer = step["response"]
        if answer is None or step["op"] != "join" or answer["error"] != "NONE":
            continue
        known = leaders.get(answer["generation"], ("", []))[1]
        leaders[answer["generation"]] = (answer["leader"], [m["member_id"] for m in answer["members"]] or known)
    elected, before = [], None
    for generation, (leader, members) in sorted(leaders.items()):
        if leader != before and before is not None:
            elected.append({"generation": generation, "leader": leader, "of": members})
        before = leader
    return elected


def agreed(script: Script, plays: Sequence[Steps]) -> Script | None:
    """The record that enough plays agree on, or None."""
    alike: dict[str, list[Steps]] = {}
    for steps in plays:
        key = json.dumps([[s["response"], s["after"]] for s in steps], sort_keys=True)
        alike.setdefault(key, []).append(steps)
    most = max((_together(equal) for equal in alike.values()), key=len, default=[])
    if len(most) < AGREEING:
        return None
    steps = [_merged(step, [steps[i] for steps in most]) for i, step in enumerate(script["steps"])]
    return script | {"plays": len(most), "choices": choices(steps), "steps": steps}


def _together(plays: Sequence[Steps]) -> list[Steps]:
    """The latest of these plays and those whose times are near its own: a broker that paused proves nothing."""
    return [steps for steps in plays if all(_near(a["t"], b["t"]) for a, b in zip(steps, plays[-1], strict=True))]


def _near(one: int | None, other: int | None) -> bool:
    return one is None or other is None or abs(one - other) <= SPREAD_MS


def _merged(step: Step, played: Steps) -> Step:
    times = [s["t"] for s in played if s["t"] is not None]
    if not times:
        return request_of(step) | NO_ANSWER
    at = {"t": round(median(times)), "t_range": [min(times), max(times)]}
    return {**request_of(step), "response": played[0]["response"], "after": played[0]["after"], **at}


class Recorder:
    """Plays scripts of one configuration against one broker. `unstable`: names of those that never agreed."""

    def __init__(self, kafka: Kafka, seed: int, log: Log) -> None:
        self._kafka = kafka
        self._chance = Random(seed)
        self._log = log
        self._plays: Counter[str] = Counter()
        self._groups = count()
        self.unstable: list[str] = []

    async def run(self, scripts: Sequence[Script]) -> list[Script]:
        """The records, in the order of the scripts."""
        pool = Pool(self._kafka.port)
        await asyncio.gather(*(self._play(pool, script) for script in scripts[:WARM_UPS]))
        self._plays.clear()
        records: dict[str, Script] = {}
        for number, at_once in enumerate(AT_ONCE):
            left = [script for script in scripts if script["name"] not in records]
            began = time.monotonic()
            await self._pass(pool, left, at_once, records)
            took = time.monotonic() - began
            self._log(f"  pass {number + 1}: {len(records)} of {len(scripts)} agreed, {took:.0f} s")
        await pool.close()
        self.unstable = [script["name"] for script in scripts if script["name"] not in records]
        return [records[script["name"]] for script in scripts if script["name"] in records]

    async def _pass(self, pool: Pool, scripts: Sequence[Script], at_once: int, records: dict[str, Script]) -> None:
        room = asyncio.Semaphore(at_once)
        enough = MOST_PLAYS if at_once != AT_ONCE[0] else AGREEING + 1

        async def one(script: Script) -> None:
            async with room:
                plays: list[Steps] = []
                for _ in range(enough):
                    steps = await self._play(pool, script)
                    plays += [steps] if steps is not None else []
                    record = agreed(script, plays)
                    if record is not None:
                        records[script["name"]] = record
                        return

        tasks = []
        for script in scripts:
            while room.locked():
                await asyncio.sleep(STAGGER_S)
            tasks.append(asyncio.create_task(one(script)))
            await asyncio.sleep(STAGGER_S)
        await asyncio.gather(*tasks)

    async def _play(self, pool: Pool, script: Script) -> Steps | None:
        """One play; None if this machine was too busy to keep the times."""
        name = script["name"]
        first = self._plays[name] == 0
        self._plays[name] += 1
        shifts = [
            0 if first or i == 0 else self._chance.randint(-SHAKE_MS, SHAKE_MS) for i in range(len(script["steps"]))
        ]
        play = BrokerPlay(script, script.get("group", f"{name}/{next(self._groups)}"), pool, shifts)
        try:
            steps = await asyncio.wait_for(play.run(), script["end_ms"] / 1000 + PATIENCE_S)
        except TimeoutError:
            return None
        return steps if play.late_ms <= LATE_MS else None


def record(scripts: Iterable[Script], seed: int, log: Log) -> tuple[list[Script], list[str]]:
    """All scripts, each against a broker of the configuration it names. Returns also the unstable names."""
    every = list(scripts)
    records: dict[str, Script] = {}
    unstable: list[str] = []
    for name, config in CONFIGS.items():
        mine = [script for script in every if script["config"] == name]
        if not mine:
            continue
        log(f"{len(mine)} scripts of configuration {name}")
        with Kafka(config.properties) as kafka:
            kafka.create_topic("t", 4)
            recorder = Recorder(kafka, seed, log)
            records |= {recorded["name"]: recorded for recorded in asyncio.run(recorder.run(mine))}
            unstable += recorder.unstable
    return [records[script["name"]] for script in every if script["name"] in records], sorted(unstable)
