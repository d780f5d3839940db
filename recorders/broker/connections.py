"""Connections to a broker that are open and free, for requests that wait long for their answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from recorders.broker import wire
from recorders.broker.kafka import HOST
from recorders.broker.messages import Api


class Pool:
    """Connections to one broker; each carries one request at a time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(self, api: Api, version: int, client: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """One request, one answer. Raises OSError where the broker hangs up."""
        frame = await self.exchange(wire.request(api, version, client, body), f"version {version} of API {api.key}")
        return wire.answer(api, version, frame)

    async def exchange(self, request: bytes, what: str) -> bytes:
        """A request in its frame, and the answer without its length. Raises OSError where the broker hangs up."""
        reader, writer = self._idle.pop() if self._idle else await asyncio.open_connection(HOST, self._port)
        answered = False
        try:
            writer.write(request)
            try:
                length = int.from_bytes(await reader.readexactly(4), "big")
                frame = await reader.readexactly(length)
            except asyncio.IncompleteReadError:
                raise ConnectionError(f"the broker hung up on {what}") from None
            answered = True
        finally:
            if answered:
                self._idle.append((reader, writer))
            else:
                writer.close()
        return frame

    async def close(self) -> None:
        """Hang up."""
        for _, writer in self._idle:
            writer.close()
        for _, writer in self._idle:
            with contextlib.suppress(OSError):
                await writer.wait_closed()
        self._idle.clear()
