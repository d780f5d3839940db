"""Record plans as scripts: every plan is played until two plays agree, and only those are kept.

Plays differ where an assignor or an election goes by the hash order of ids that the broker draws; then two plays with
the same choices have to agree. Records of the offsets topic are those of one of the plays, read from the broker's log.
"""

from __future__ import annotations

import asyncio
import json
import struct
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from groupsim.conformance.scripts.configs import Brokers
from groupsim.conformance.scripts.script import Script, Step
from recorders.broker import fetch
from recorders.broker.connections import Pool
from recorders.broker.definitions import Definitions, Message
from recorders.broker.kafka import Kafka
from recorders.scripts.consumer.subscriptions import ASSIGNMENT, NEWEST, SUBSCRIPTION
from recorders.scripts.plans.administrator import Asker
from recorders.scripts.plans.broker_play import BrokerPlay, steps_of
from recorders.scripts.plans.names import Names, sorted_partitions
from recorders.scripts.plans.plan import Plan

MOMENTS = ("timestamp", "committimestamp", "expiretimestamp", "currentstatetimestamp")
LEFT_OUT = frozenset(("clienthost", "groupid", "group", "version", *MOMENTS))
"""Fields that differ from play to play or are always the same, in small letters."""
OVERHEAD, HEADER = 12, 61
COMPRESSED, CONTROL = 7, 0x20
METADATA = ("subscription", "metadata")
Written = tuple[int, str, Message, Message | None]
"""When (ms), the type of the record, its key, its value."""


def of_groups(folder: Path, definitions: Definitions) -> dict[str, list[Written]]:
    """All records of a broker by group, in their order. `folder`: the broker's log directory."""
    by_group: dict[str, list[Written]] = defaultdict(list)
    for file in sorted(folder.glob("__consumer_offsets-*/*.log")):
        for at_ms, raw_key, raw_value in _records(file.read_bytes()):
            kind, key, value = definitions.record(raw_key, raw_value)
            group = next(key[name] for name in ("GroupId", "group", "Group") if name in key)
            by_group[group].append((at_ms, kind, key, value))
    return by_group


def _records(raw: bytes) -> Iterator[tuple[int, bytes, bytes | None]]:
    """The records of a segment: batches of format 2 that are not compressed and no markers of transactions."""
    at = 0
    while at + HEADER <= len(raw):
        size: int = struct.unpack_from(">i", raw, at + 8)[0]
        attributes: int = struct.unpack_from(">h", raw, at + 21)[0]
        base_ms: int = struct.unpack_from(">q", raw, at + 27)[0]
        count: int = struct.unpack_from(">i", raw, at + 57)[0]
        if not attributes & (COMPRESSED | CONTROL):
            yield from _batch(raw, at + HEADER, base_ms, count)
        at += OVERHEAD + size


def _batch(raw: bytes, at: int, base_ms: int, count: int) -> Iterator[tuple[int, bytes, bytes | None]]:
    for _ in range(count):
        size, at = _varint(raw, at)
        end = at + size
        delta_ms, at = _varint(raw, at + 1)
        _, at = _varint(raw, at)
        length, at = _varint(raw, at)
        key, at = raw[at : at + length], at + length
        length, at = _varint(raw, at)
        yield base_ms + delta_ms, key, raw[at : at + length] if length >= 0 else None
        at = end


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number in zigzag form, and where it ends."""
    value = shift = 0
    while True:
        byte = raw[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at


class Cleaner:
    """Records of one play as a script has them: labels for ids, hashes numbered as they appear."""

    def __init__(self, names: Names, definitions: Definitions) -> None:
        self._names = names
        self._definitions = definitions
        self._hashes: dict[int, int] = {0: 0}

    def record(self, kind: str, key: Message, value: Message | None) -> list[Any]:
        """`[type, key, value]`."""
        return [kind, self._clean(key, ""), None if value is None else self._clean(value, "")]

    def _clean(self, value: Any, field: str) -> Any:
        if isinstance(value, dict):
            return {name: self._clean(v, name) for name, v in value.items() if name.lower() not in LEFT_OUT}
        if isinstance(value, list):
            return [self._clean(item, field) for item in value]
        if isinstance(value, bytes):
            return self._bytes(value, SUBSCRIPTION if field.lower() in METADATA else ASSIGNMENT)
        if isinstance(value, str):
            return self._text(value, field.lower())
        if field == "MetadataHash":
            return self._hashes.setdefault(value, len(self._hashes))
        return int(value != 0) if field == "AssignmentTimestamp" else value

    def _bytes(self, value: bytes, name: str) -> Any:
        if not value:
            return value.hex()
        content = self._clean(self._definitions.decoded(name, value, NEWEST)[1], "")
        if name == ASSIGNMENT:
            listed = sorted_partitions({row["Topic"]: row["Partitions"] for row in content["AssignedPartitions"]})
            content["AssignedPartitions"] = [{"Topic": topic, "Partitions": p} for topic, p in listed.items()]
        return content

    def _text(self, value: str, field: str) -> str:
        if field == "topicid":
            return self._names.topic(value)
        if field in ("memberid", "leader"):
            label = self._names.label(value) or ""
            return "?" if label.startswith("?") else label
        return self._names.in_script(value)


SHAKE_MS = 25
LATE_MS = 45
"""A step sent so much too late makes a play worthless: this machine was too busy."""
BEHIND_MS = 1_000
"""So much slower than planned, a play with expressions is worthless: they are looked for again after ten seconds."""
PATIENT = {"broker.session.timeout.ms": "120000"}
"""A broker that is slow because this machine is busy stays the leader of its partitions."""
LONGEST_S = 40
"""A play that takes longer is worthless: a plan without timers has sessions of 45 seconds."""
AT_ONCE = (40, 20, 8)
"""How many plans are played at once, pass by pass: one whose plays disagree is played anew in a calmer one."""
PLAYS = (2, 3, 4)
"""How often in each pass; two have to agree."""
AGREEING = 2
KEPT = ("name", "family", "about", "config", "timed", "topics", "end_ms", "group")
TIMES = ("t", "records")
CHOSEN = {"consumer": "target", "share": "assignment"}
"""By the type of a group: where its description shows what the assignor chose."""
Log = Callable[[str], None]
"""Takes a line about the progress."""


@dataclass(frozen=True, slots=True)
class Played:
    """One play with the steps of its script."""

    play: BrokerPlay
    steps: list[Step]

    @property
    def choices(self) -> str:
        """Every target and every leader that came up: what goes by the hash order of ids that the broker draws.

        Tasks of a streams group have no such ids. Of a share group no target is shown, only what each member has.
        """
        shown = [step["seen"] for step in self.steps if (step.get("seen") or {}).get("type") in CHOSEN]
        targets = [[g["assignment_epoch"], {m["member_id"]: m[CHOSEN[g["type"]]] for m in g["members"]}] for g in shown]
        leaders = [(step["response"] or {}).get("leader") for step in self.steps]
        return json.dumps([targets, leaders], sort_keys=True)

    @property
    def content(self) -> str:
        """Everything that does not depend on the clock."""
        rows = [{key: value for key, value in step.items() if key not in TIMES} for step in self.steps]
        return json.dumps(rows, sort_keys=True)


def agreed(plays: Sequence[Played]) -> list[Played] | None:
    """Plays that agree; None if too few do, or if some differ although they had the same choices."""
    alike: dict[str, list[Played]] = {}
    for played in plays:
        alike.setdefault(played.choices, []).append(played)
    for same in alike.values():
        if any(played.content != same[0].content for played in same):
            return None
    most = max(alike.values(), key=len, default=[])
    return most if len(most) >= AGREEING else None


@dataclass(frozen=True, slots=True)
class Recorded:
    """`lost`: names of plans whose plays never agreed. `topic_ids`: of each configuration, by name."""

    scripts: list[Script]
    lost: list[str]
    topic_ids: dict[str, dict[str, str]]


class Recorder:
    """Plays plans of one configuration on one broker.

    `lost`: names of plans whose plays never agreed; `chose`: of those some plays of which had other choices.
    """

    def __init__(
        self, kafka: Kafka, topics: Mapping[str, int], definitions: Definitions, chance: Random, log: Log
    ) -> None:
        self._kafka = kafka
        self._topics = dict(topics)
        self._definitions = definitions
        self._chance = chance
        self._log = log
        self._numbers = count()
        self.topic_ids: dict[str, str] = {}
        self.lost: list[str] = []
        self.chose: set[str] = set()

    async def run(self, plans: Sequence[Plan]) -> list[tuple[Plan, list[Played]]]:
        """The plans that agreed, with their plays."""
        self._asker = Asker(Pool(self._kafka.port), self._definitions)
        await self._asker.until_ready()
        self.topic_ids = await self._asker.create_apart(self._topics)
        for topic, partitions in self._topics.items():
            for number in range(8):
                await self._asker.until_known(topic, partitions, f"known{number}")
        restarting = [plan for plan in plans if any(step["op"] == "restart" for step in plan["steps"])]
        found: dict[str, list[Played]] = {}
        others = [plan for plan in plans if plan not in restarting]
        for at_once, times in zip(AT_ONCE, PLAYS, strict=True):
            left = [plan for plan in others if plan["name"] not in found]
            await self._pass(left, at_once, times, found)
            self._log(f"  {len(found)} of {len(plans)} agreed")
        if restarting:  # at the end: a broker that has just begun needs long for its first initialisations
            await self._restarting(restarting, found)
            self._log(f"  {len(found)} of {len(plans)} agreed, those with a restart too")
        await self._asker.pool.close()
        self.lost = [plan["name"] for plan in plans if plan["name"] not in found]
        return [(plan, found[plan["name"]]) for plan in plans if plan["name"] in found]

    async def _pass(self, plans: Sequence[Plan], at_once: int, times: int, found: dict[str, list[Played]]) -> None:
        room = asyncio.Semaphore(at_once)

        async def one(plan: Plan) -> None:
            async with room:
                plays = [await self._play(plan, first=number == 0) for number in range(times)]
            self._keep(plan, [played for played in plays if _in_time(played.play)], found)

        await asyncio.gather(*(one(plan) for plan in plans))

    def _keep(self, plan: Plan, plays: Sequence[Played], found: dict[str, list[Played]]) -> None:
        same = agreed(plays)
        if same is not None:
            found[plan["name"]] = same
            self.chose |= {plan["name"]} if len(same) < len(plays) else set()

    async def _play(self, plan: Plan, *, first: bool, restart: Any = None) -> Played:
        number = next(self._numbers)
        shifts = [0 if first else self._chance.choice((-SHAKE_MS, SHAKE_MS)) for _ in plan["steps"]]
        names = Names(f"q{number}", self.topic_ids)
        group = plan.get("group", f"{plan['name']}.{number}")
        play = BrokerPlay(plan, group, self._asker, names, self._topics, shifts, restart)
        await play.run()
        return Played(play, steps_of(play))

    async def _restarting(self, plans: Sequence[Plan], found: dict[str, list[Played]]) -> None:
        """All plays of plans with a restart at once: the broker is restarted when all of them wait for it."""
        waiting, restarted = len(plans) * PLAYS[-1], asyncio.Event()

        async def restart() -> None:
            nonlocal waiting
            waiting -= 1
            if waiting == 0:
                await self._asker.pool.close()
                await asyncio.get_running_loop().run_in_executor(None, self._again)
                await self._asker.until_ready()
                restarted.set()
            await restarted.wait()

        plays = [self._play(plan, first=n == 0, restart=restart) for plan in plans for n in range(PLAYS[-1])]
        played = await asyncio.gather(*plays)
        for number, plan in enumerate(plans):
            self._keep(plan, played[number * PLAYS[-1] : (number + 1) * PLAYS[-1]], found)

    def _again(self) -> None:
        node = self._kafka.nodes[0]
        node.end()
        node.start()
        self._kafka.wait(node)


def _in_time(play: BrokerPlay) -> bool:
    expressions = any(member.get("regex") is not None for member in play.plan["members"].values())
    if play.ended_s - play.began_s > LONGEST_S:
        return False
    return play.late_ms <= LATE_MS and not (expressions and play.behind_ms > BEHIND_MS)


def _script(plan: Plan, plays: Sequence[Played], *, choices: bool) -> Script:
    """The script of plays that agree. Times are their median; `choices`: other plays differed in theirs."""
    steps = []
    for number, step in enumerate(plays[0].steps):
        times = [played.steps[number]["t"] for played in plays if played.steps[number]["t"] is not None]
        spread = {"t_range": [min(times), max(times)]} if times and plan.get("timed") else {}
        steps.append(step | {"t": round(median(times)) if times else None} | spread)
    known = {key: plan[key] for key in KEPT if key in plan}
    return {**known, "plays": len(plays), "choices": choices, "steps": steps}


def _attach(script: Script, play: BrokerPlay, written: Iterable[Written], cleaner: Cleaner) -> None:
    """Give each step the records that were written from when it was sent to the next one."""
    sent_ms = [int(asking.sent_s * 1000) for asking in play.sent]
    for at_ms, kind, key, value in written:
        number = bisect_right(sent_ms, at_ms) - 1
        if number >= 0 and at_ms <= play.ended_s * 1000:
            script["steps"][number].setdefault("records", []).append(cleaner.record(kind, key, value))


def record(plans: Iterable[Plan], brokers: Brokers, seed: int, log: Log) -> Recorded:
    """All plans, each on a broker of the configuration it names."""
    every, chance = list(plans), Random(seed)
    definitions = Definitions(fetch.jars())
    recorded = Recorded([], [], {})
    scripts: dict[str, Script] = {}
    for name, config in brokers.configs.items():
        mine = [plan for plan in every if plan["config"] == name]
        if not mine:
            continue
        log(f"{len(mine)} plans of configuration {name}")
        with tempfile.TemporaryDirectory(prefix="groupsim-scripts-") as folder:
            with Kafka({**config.properties, **PATIENT}, keep=Path(folder) / "kafka") as kafka:
                recorder = Recorder(kafka, brokers.topics, definitions, chance, log)
                played = asyncio.run(recorder.run(mine))
                kafka.nodes[0].end()  # so that all that it wrote is in its log
            written = of_groups(Path(folder) / "kafka" / "node1" / "data", definitions)
        recorded.topic_ids[name] = recorder.topic_ids
        for plan, plays in played:
            play = plays[0].play
            scripts[plan["name"]] = _script(plan, plays, choices=plan["name"] in recorder.chose)
            _attach(scripts[plan["name"]], play, written.get(play.group, ()), Cleaner(play.names, definitions))
        recorded.lost.extend(recorder.lost)
    recorded.scripts.extend(scripts[plan["name"]] for plan in every if plan["name"] in scripts)
    return recorded
