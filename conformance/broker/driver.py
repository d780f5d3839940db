"""Play a script of requests against a real broker: fake members over raw connections, answers with their times.

What is sent and how an answer is told are the recordings' (`play.py` says the same of our machine). Each request has a
connection of its own while it waits, because a broker reads nothing more from one whose request is parked.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from groupsim.conformance.broker import wire
from groupsim.conformance.broker.answers import Ids, error_name, told
from groupsim.conformance.broker.kafka import HOST
from groupsim.conformance.broker.messages import ADD_OFFSETS_TO_TXN, APIS, INIT_PRODUCER_ID, Api

Script = dict[str, Any]
LATE_MS = 30
"""A request sent so long after its time makes a play worthless: this machine was too busy."""
TRIES = 50
SUBSCRIBED = b"\x00\x00\x00\x00\x00\x01\x00\x01t"
"""A consumer's subscription to the topic `t`, version 0; the tag follows as its user data."""


def metadata(tag: str, protocol_type: str) -> bytes:
    """A tag as metadata; a consumer's must parse, because the broker reads them."""
    raw = tag.encode()
    return SUBSCRIBED + len(raw).to_bytes(4, "big") + raw if protocol_type == "consumer" else raw


class Pool:
    """Connections to one broker that wait for nothing."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(self, api: Api, version: int, client: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """One request, one answer. Raises OSError where the broker hangs up."""
        reader, writer = self._idle.pop() if self._idle else await asyncio.open_connection(HOST, self._port)
        answered = False
        try:
            writer.write(wire.request(api, version, client, body))
            try:
                length = int.from_bytes(await reader.readexactly(4), "big")
                frame = await reader.readexactly(length)
            except asyncio.IncompleteReadError:
                raise ConnectionError(f"the broker hung up on version {version} of API {api.key}") from None
            answered = True
        finally:
            if answered:
                self._idle.append((reader, writer))
            else:
                writer.close()
        return wire.answer(api, version, frame)

    async def close(self) -> None:
        """Hang up."""
        for _, writer in self._idle:
            writer.close()
        for _, writer in self._idle:
            with contextlib.suppress(OSError):
                await writer.wait_closed()
        self._idle.clear()


class Play:
    """One play of one script, in a group of its own. `shifts`: how much later (ms) each step is sent.

    `move`: moves the coordinator and says where it is now; for scripts with a failover.
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
        self._ids = Ids()
        self._raw: dict[int, dict[str, Any]] = {}
        self._arrived: dict[int, tuple[int, float]] = {}
        self._sent = -1
        self._producer: tuple[int, int] | None = None
        self.late_ms = 0.0

    async def run(self) -> list[dict[str, Any]]:
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
            self._ids.settle()
            waiting.append(asyncio.create_task(self._ask(step)))
        await asyncio.sleep(max(0.0, self._began + self._script["end_ms"] / 1000 - loop.time()))
        for task in waiting:
            task.cancel()
        for ended in await asyncio.gather(*waiting, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended
        await self._leave()
        return [self._told(step) for step in self._script["steps"]]

    async def _ask(self, step: dict[str, Any]) -> None:
        op, version = step["op"], step["v"]
        if op == "failover" and self._move is not None:
            self._pool = await self._move()
            return
        answer = await self._pool.ask(APIS[op], version, step["as"] or "groupsim", self._body(step))
        at = (asyncio.get_running_loop().time() - self._began) * 1000
        self._raw[step["i"]], self._arrived[step["i"]] = answer, (self._sent, at)
        if op == "join":
            self._ids.hear(step["i"], step["as"], answer)

    def _body(self, step: dict[str, Any]) -> dict[str, Any]:
        asked, resolve = step["request"], self._ids.resolve
        body = {**asked, "group": self._group, "member_id": resolve(asked.get("member_id") or "")}
        match step["op"]:
            case "join":
                kind = asked["protocol_type"]
                body["protocols"] = [{"name": n, "metadata": metadata(tag, kind)} for n, tag in asked["protocols"]]
            case "sync":
                body["assignments"] = [
                    {"member_id": resolve(m), "assignment": tag.encode()} for m, tag in asked["assignments"]
                ]
            case "leave":
                body["members"] = [{**entry, "member_id": resolve(entry["member_id"])} for entry in asked["members"]]
                body["member_id"] = body["members"][0]["member_id"] if body["members"] else ""
            case "commit" | "txn_commit":
                committed = {"partition": asked.get("partition", 0), "offset": asked.get("offset", 0)}
                body["topics"] = [{"name": "t", "partitions": [{**committed, "leader_epoch": -1, "metadata": ""}]}]
                body["transactional_id"] = self._transaction
                body["producer_id"], body["producer_epoch"] = self._producer or (0, 0)
            case "describe":
                body["groups"] = [self._group]
        return body

    @property
    def _transaction(self) -> str:
        return f"txn-{self._group}"

    async def _begin_transaction(self) -> None:
        begun = {"transactional_id": self._transaction, "timeout_ms": 60_000}
        got = await self._insist(INIT_PRODUCER_ID, 2, begun)
        self._producer = got["producer_id"], got["producer_epoch"]
        producer = {"producer_id": got["producer_id"], "producer_epoch": got["producer_epoch"]}
        await self._insist(ADD_OFFSETS_TO_TXN, 3, begun | producer | {"group": self._group})

    async def _insist(self, api: Api, version: int, body: dict[str, Any]) -> dict[str, Any]:
        """Ask until it works, a few seconds at most."""
        for _ in range(TRIES):
            got = await self._pool.ask(api, version, "groupsim", body)
            if got["error"] == 0:
                return got
            await asyncio.sleep(0.1)
        raise ConnectionError(f"API {api.key} answers {error_name(got['error'])} all the time")

    async def _leave(self) -> None:
        """Take everybody out of the group, so that nothing of it stirs while others are played."""
        members = [{"member_id": member, "group_instance_id": None} for member in self._ids.labels]
        if members:
            await self._pool.ask(APIS["leave"], 5, "groupsim", {"group": self._group, "members": members})

    def _told(self, step: dict[str, Any]) -> dict[str, Any]:
        if step["i"] not in self._raw:
            return {"response": None, "after": None, "t": None}
        after, at = self._arrived[step["i"]]
        response = told(step, self._raw[step["i"]], self._ids.label)
        return {"response": response, "after": after, "t": round(at)}
