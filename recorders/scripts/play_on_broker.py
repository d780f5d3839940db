"""Play a script against a real broker: fake members over raw connections, answers with their times.

A request has a connection of its own while it waits, because a broker reads nothing more from the connection of a
request that it has parked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from groupsim.conformance.scripts.labels import MemberLabels
from groupsim.conformance.scripts.script import NO_ANSWER, Script, Step
from recorders.broker.connections import Pool
from recorders.broker.messages import ADD_OFFSETS_TO_TXN, APIS, INIT_PRODUCER_ID, Api
from recorders.scripts.classic import messages

LATE_MS = 30
"""A request sent so long after its time makes a play worthless: this machine was too busy."""
TRIES = 50
UUID_LENGTH = 36


class BrokerPlay:
    """One play of one script, in a group of its own. `shifts`: how much later (ms) each step is sent.

    `move`: moves the coordinator and returns connections to it. `ids`: labels of member ids.
    """

    def __init__(
        self,
        script: Script,
        group: str,
        pool: Pool,
        shifts: Sequence[int],
        move: Callable[[], Awaitable[Pool]] | None = None,
    ) -> None:
        self._script = script
        self._group = group
        self._pool = pool
        self._shifts = shifts
        self._move = move
        self.ids = MemberLabels()
        self._raw: dict[int, dict[str, Any]] = {}
        self._arrived: dict[int, tuple[int, float]] = {}
        self._sent = -1
        self._producer = {"producer_id": 0, "producer_epoch": 0}
        self.late_ms = 0.0

    async def run(self) -> list[Step]:
        """`response`, `after` and `t` (ms) of every step. Raises OSError where the broker hangs up."""
        if any(step["op"] == "txn_commit" for step in self._script["steps"]):
            await self._begin_transaction()
        loop = asyncio.get_running_loop()
        self._began = loop.time()
        waiting = []
        for step, shift in zip(self._script["steps"], self._shifts, strict=True):
            due = self._began + (step["at"] + shift) / 1000
            await asyncio.sleep(max(0.0, due - loop.time()))
            self.late_ms = max(self.late_ms, (loop.time() - due) * 1000)
            self._sent = step["i"]
            self.ids.settle()
            waiting.append(asyncio.create_task(self._ask(step)))
        await asyncio.sleep(max(0.0, self._began + self._script["end_ms"] / 1000 - loop.time()))
        for task in waiting:
            task.cancel()
        for ended in await asyncio.gather(*waiting, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended
        self.ids.settle()
        await self._leave()
        return [self._answered(step) for step in self._script["steps"]]

    async def _ask(self, step: Step) -> None:
        op, version = step["op"], step["v"]
        if op == "failover" and self._move is not None:
            self._pool = await self._move()
            return
        body = messages.request(step, self._group, self.ids.resolve, self._producer | self._transaction)
        answer = await self._pool.ask(APIS[op], version, step["as"] or "groupsim", body)
        at = (asyncio.get_running_loop().time() - self._began) * 1000
        self._raw[step["i"]], self._arrived[step["i"]] = answer, (self._sent, at)
        member = messages.member_given(step, answer)
        if member is not None:
            self.ids.given(step["i"], step["as"], member)

    @property
    def _transaction(self) -> dict[str, Any]:
        return {"transactional_id": f"txn-{self._group}"}

    async def _begin_transaction(self) -> None:
        begun = self._transaction | {"timeout_ms": 60_000}
        got = await self._ask_until_ok(INIT_PRODUCER_ID, 2, begun)
        self._producer = {"producer_id": got["producer_id"], "producer_epoch": got["producer_epoch"]}
        await self._ask_until_ok(ADD_OFFSETS_TO_TXN, 3, begun | self._producer | {"group": self._group})

    async def _ask_until_ok(self, api: Api, version: int, body: dict[str, Any]) -> dict[str, Any]:
        """Ask until it works, a few seconds at most."""
        error = 0
        for _ in range(TRIES):
            got = await self._pool.ask(api, version, "groupsim", body)
            error = got["error"]
            if error == 0:
                return got
            await asyncio.sleep(0.1)
        raise ConnectionError(f"API {api.key} answers {messages.error_name(error)} again and again")

    async def _leave(self) -> None:
        """Remove all members, so that the group does nothing while other scripts are played."""
        members = [{"member_id": member, "group_instance_id": None} for member in self.ids.labels]
        if members:
            await self._pool.ask(APIS["leave"], 5, "groupsim", {"group": self._group, "members": members})

    def _answered(self, step: Step) -> Step:
        if step["i"] not in self._raw:
            return dict(NO_ANSWER)
        after, at = self._arrived[step["i"]]
        response = messages.response(step, self._raw[step["i"]], self.label)
        return {"response": response, "after": after, "t": round(at)}

    def label(self, member: str | None) -> str:
        """The label of an id; `?` and the client's or the instance's name where no answer gave it to a member."""
        if not member:
            return ""
        if member in self.ids.labels:
            return self.ids.labels[member]
        return "?" + member[: -UUID_LENGTH - 1] if len(member) > UUID_LENGTH + 1 else member
