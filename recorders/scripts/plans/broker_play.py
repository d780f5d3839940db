"""One play of a plan against a real broker: a script with answers, what was seen, and when each request was sent.

A plan without `timed` is played as fast as answers come; where its steps are further apart than usual, the broker is
given that time. Else every step is sent at its time, a little earlier or later in each play.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.plans.administrator import Asker
from recorders.scripts.plans.answers import Reader, error_name
from recorders.scripts.plans.names import Names
from recorders.scripts.plans.operations import APIS, BUILD, READERS, client, version_of
from recorders.scripts.plans.plan import STEP_MS, Plan
from recorders.scripts.plans.requests import Asked

SEEN_BEFORE_MS = 40
PARKED = ("join", "sync")
PARKED_S, RELEASED_S, UNANSWERED_S = 2.0, 0.1, 5.0
"""Such a request that has no answer for so long is parked; answers that another one releases come within so long.

Another request that has no answer for so long gets none.
"""
APART_S = 0.1
"""Between the end of a play and what cleans up after it: which is which only the times of records tell."""
SHOWING = ("NONE", "MEMBER_ID_REQUIRED")
Restart = Callable[[], Awaitable[None]]
"""Returns when the broker was stopped and started."""
NOBODY: dict[str, Any] = {"kind": "consumer", "names": [], "protocols": ["range"], "instance": None}


@dataclass
class Asking:
    """A request that was sent: its step, and the answer with its time (s) and the last step sent before it."""

    step: Step
    asked: Message
    sent_s: float
    raw: Message | None = None
    came_s: float = 0.0
    after: int = -1
    response: Message | None = None
    seen: Message | None = None


@dataclass
class BrokerPlay:
    """Plays one plan in a group of its own. `shifts`: how much later (ms) each step of a timed plan is sent.

    `late_ms`: how late a step was sent at most. Times are of the wall clock, in seconds.
    """

    plan: Plan
    group: str
    asker: Asker
    names: Names
    counts: dict[str, int]
    shifts: Sequence[int]
    restart: Restart | None = None
    late_ms: float = 0.0
    began_s: float = 0.0
    ended_s: float = 0.0
    sent: list[Asking] = field(default_factory=list)

    @property
    def behind_ms(self) -> float:
        """How much longer the play took than its plan says."""
        return (self.ended_s - self.began_s) * 1000 - float(self.plan["end_ms"])

    async def run(self) -> list[Asking]:
        """Every step with what it brought. Raises OSError where the broker hangs up."""
        members = {**self.plan["members"], "": NOBODY}
        self._clients = {label: client(label, dict(how)) for label, how in members.items()}
        self._reader = Reader(self.group, self.names, self.asker.definitions)
        self.counts = {**self.counts, **self.plan.get("topics", {})}
        for topic, partitions in self.plan.get("topics", {}).items():
            name = self.names.on_broker(topic)
            self.names.created(topic, await self.asker.create(name, partitions))
            await self.asker.until_known(name, partitions, self.group)
        self._tasks: list[asyncio.Task[None]] = []
        self._kind = "consumer"
        self.began_s = time.time()
        await (self._timed() if self.plan.get("timed") else self._one_by_one())
        self.ended_s = time.time()
        await asyncio.sleep(APART_S)
        for task in self._tasks:
            task.cancel()
        for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended
        await self._clean()
        return self.sent

    async def _clean(self) -> None:
        await self.asker.clean(self.group)
        configs = [step["configs"] for step in self.plan["steps"] if step["op"] == "group_config"]
        await self.asker.without_configs(self.group, dict.fromkeys(name for changed in configs for name in changed))
        if "'p_" in str(self.plan):
            await self.asker.without_topics(f"{self.names.prefix}_")

    async def _one_by_one(self) -> None:
        steps = self.plan["steps"]
        ends = [*(step["at"] for step in steps[1:]), self.plan["end_ms"]]
        for step, end_ms in zip(steps, ends, strict=True):
            if step["op"] == "restart":
                await self._restarted(step)
            else:
                await self._send(step)
                await self._answered(step)
            await asyncio.sleep(max(0, end_ms - step["at"] - STEP_MS) / 1000)
            await self._look()

    async def _answered(self, step: Step) -> None:
        """Wait for the answer, for those that it releases, and until the coordinator knows a topic that changed."""
        parked = any(not task.done() for task in self._tasks[:-1])
        timeout = PARKED_S if self.sent[-1].step["op"] in PARKED else UNANSWERED_S
        await asyncio.wait([self._tasks[-1]], timeout=timeout)
        if parked:
            await asyncio.sleep(RELEASED_S)
        self._take_answers()
        answer = self.sent[-1].response
        if step["op"].endswith("_topic") and answer is not None and answer["error"] == "NONE":
            count = step.get("partitions", 0)
            await self.asker.until_known(self.names.on_broker(step["topic"]), count, self.group)

    async def _restarted(self, step: Step) -> None:
        assert self.restart is not None
        self.sent.append(Asking(step, {}, time.time(), {}, after=step["i"], response={}))
        await self.restart()
        self.sent[-1].came_s = time.time()

    async def _timed(self) -> None:
        for step, shift in zip(self.plan["steps"], self.shifts, strict=True):
            due = self.began_s + max(0, step["at"] + shift) / 1000
            if self.sent:
                await self._look_before(due)
            await asyncio.sleep(max(0.0, due - time.time()))
            self.late_ms = max(self.late_ms, (time.time() - due) * 1000)
            await self._send(step)
        await self._look_before(self.began_s + self.plan["end_ms"] / 1000)

    async def _look_before(self, due_s: float) -> None:
        await asyncio.sleep(max(0.0, due_s - SEEN_BEFORE_MS / 1000 - time.time()))
        self._take_answers()
        await self._look()

    async def _look(self) -> None:
        self.sent[-1].seen = seen = await self.asker.seen(self._reader, self._kind)
        self._kind = self._kind if seen is None else seen["type"]

    async def _send(self, step: Step) -> None:
        asks = self._clients[step["as"]]
        step = {**step, **asks.natural()} if step["op"] == "next" else step
        asked = Asked(step["i"], asks, self.group, self.names, self.asker.definitions, self.counts)
        recorded, body = BUILD[step["op"]](asked, step)
        asking = Asking(step, recorded, time.time())
        self.sent.append(asking)
        asks.waits += step["op"] in PARKED
        self._tasks.append(asyncio.create_task(self._ask(asking, body)))

    async def _ask(self, asking: Asking, body: Message) -> None:
        name, version = APIS[asking.step["op"]]
        try:
            raw = await self.asker.ask((name, asking.step.get("v", version)), body, asking.step["as"] or "admin")
        except ConnectionError:
            if self.restart is None:
                raise
            return  # parked when the broker was stopped
        asking.raw, asking.came_s, asking.after = raw, time.time(), self.sent[-1].step["i"]

    def _take_answers(self) -> None:
        """Take in the answers that came: that to the last request first, the others as they were asked."""
        new = [asking for asking in self.sent if asking.raw is not None and asking.response is None]
        last = [asking for asking in new if asking is self.sent[-1]]
        for together in (last, [asking for asking in new if asking is not self.sent[-1]]):
            for asking in together:
                self._shown(asking)
            for asking in together:
                assert asking.raw is not None
                asking.response = READERS[asking.step["op"]](self._reader, asking.raw)
                self._taken_in(asking, asking.raw, asking.response)

    def _shown(self, asking: Asking) -> None:
        """A member sees its id; one that stands in a refusal is not given to it."""
        raw = asking.raw or {}
        shows = asking.step["op"] in ("join", "consumer_heartbeat") and error_name(raw["ErrorCode"]) in SHOWING
        if shows and raw.get("MemberId"):
            self.names.given(asking.step["as"], raw["MemberId"])

    def _taken_in(self, asking: Asking, raw: Message, response: Message) -> None:
        op, step = asking.step["op"], asking.step
        asks = self._clients[step["as"]]
        asks.waits -= op in PARKED
        asks.answered(op, asking.asked, response, raw)
        if op == "leave":
            gone = {row["member_id"] for row in response["members"] if row["error"] == "NONE"}
            for other in self._clients.values():
                if other.given is not None and self.names.label(other.given) in gone:
                    other.removed()
        elif op == "create_topic" and response["error"] == "NONE":
            self.names.created(step["topic"], raw["Topics"][0]["TopicId"])
        if op in ("create_topic", "grow_topic") and response["error"] == "NONE":
            self.counts[step["topic"]] = step["partitions"]


def steps_of(play: BrokerPlay) -> list[Step]:
    """The steps of a script; what is seen is left out where it is as it was after the step before."""
    steps: list[Step] = []
    before: Any = object()
    for asking in play.sent:
        step, at = asking.step, asking.step["at"]
        known = {"i": step["i"], "at": at, "as": step["as"], "op": step["op"], "v": version_of(step)}
        answered = asking.response is not None
        after = asking.after if answered else None
        latency_ms = (asking.came_s - play.sent[asking.after].sent_s) * 1000 if answered else 0
        t = round(play.sent[asking.after].step["at"] + latency_ms) if answered else None
        row = {**known, "request": asking.asked, "response": asking.response, "after": after, "t": t}
        steps.append(row if asking.seen == before else {**row, "seen": asking.seen})
        before = asking.seen
    return steps
