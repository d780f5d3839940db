"""Messages on the wire: to the byte where a broker must read them, and whole where a fake broker answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from recorders.broker import wire
from recorders.broker.connections import Pool
from recorders.broker.messages import APIS
from recorders.scripts.classic.messages import metadata
from recorders.scripts.play_on_broker import BrokerPlay

HEARTBEAT = {"group": "g", "generation": 3, "member_id": "m1", "group_instance_id": None}


def test_an_old_heartbeat_is_written_as_kafka_reads_it() -> None:
    assert wire.request(APIS["heartbeat"], 0, "me", HEARTBEAT) == (
        b"\0\0\0\x17"  # length
        b"\0\x0c\0\0\0\0\0\0\0\x02me"  # API 12, version 0, correlation 0, client
        b"\0\x01g\0\0\0\x03\0\x02m1"
    )


def test_a_flexible_heartbeat_has_short_lengths_and_tags() -> None:
    assert wire.request(APIS["heartbeat"], 4, "me", HEARTBEAT) == (
        b"\0\0\0\x18\0\x0c\0\x04\0\0\0\0\0\x02me\0"  # the header's tags
        b"\x02g\0\0\0\x03\x03m1\0\0"  # a null instance id, and no tags
    )


def test_answers_of_both_kinds_are_read() -> None:
    assert wire.answer(APIS["heartbeat"], 1, b"\0\0\0\0" + b"\0\0\0\x05" + b"\0\x1b") == {
        "throttle_ms": 5,
        "error": 27,
    }
    tagged = b"\0\0\0\0" + b"\x01\x07\x02ab" + b"\0\0\0\0" + b"\0\x16" + b"\0"
    assert wire.answer(APIS["heartbeat"], 4, tagged) == {"throttle_ms": 0, "error": 22}


def test_an_answer_that_is_cut_short_is_refused() -> None:
    with pytest.raises(ValueError, match="a message of 9 bytes is cut short"):
        wire.answer(APIS["heartbeat"], 1, b"\0\0\0\0\0\0\0\0\0")


def test_a_consumers_tag_is_a_subscription_the_broker_can_parse() -> None:
    assert metadata("x", "consumer") == b"\0\0" + b"\0\0\0\x01" + b"\0\x01t" + b"\0\0\0\x01" + b"x"
    assert metadata("x", "connect") == b"x"


Serve = Callable[[bytes], Awaitable[bytes | None]]


async def _with_broker(serve: Serve, ask: Callable[[int], Awaitable[Any]]) -> Any:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                length = int.from_bytes(await reader.readexactly(4), "big")
                said = await serve(await reader.readexactly(length))
                if said is None:
                    break
                writer.write(len(said).to_bytes(4, "big") + said)
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        try:
            return await ask(server.sockets[0].getsockname()[1])
        finally:
            await asyncio.sleep(0.05)  # until both ends are closed


def _script(*steps: tuple[int, str]) -> dict[str, Any]:
    asked = [
        {
            "i": i,
            "at": at,
            "as": "m1",
            "op": op,
            "v": 4,
            "request": {"generation": i, "member_id": "bogus", "group_instance_id": None},
        }
        for i, (at, op) in enumerate(steps)
    ]
    return {"name": "x", "config": "d0", "end_ms": steps[-1][0] + 60, "steps": asked}


def test_a_play_has_each_answer_with_the_last_step_sent_by_then() -> None:
    """The broker keeps the first request parked until the second has come."""

    async def play(port: int) -> list[dict[str, Any]]:
        pool = Pool(port)
        steps = await BrokerPlay(_script((0, "heartbeat"), (40, "heartbeat")), "g", pool, [0, 0]).run()
        await pool.close()
        return steps

    async def run() -> Any:
        second = asyncio.Event()

        async def serve(frame: bytes) -> bytes:
            generation = frame[18]  # after the header and the group
            if generation == 0:
                await second.wait()
            second.set()
            return b"\0\0\0\0\0" + b"\0\0\0\0" + (27 if generation else 0).to_bytes(2, "big") + b"\0"

        return await _with_broker(serve, play)

    steps = asyncio.run(run())
    assert [(s["response"]["error"], s["after"]) for s in steps] == [("NONE", 1), ("REBALANCE_IN_PROGRESS", 1)]
    assert steps[0]["t"] >= 40


def test_a_request_without_an_answer_has_none_in_the_play() -> None:
    async def play(port: int) -> list[dict[str, Any]]:
        pool = Pool(port)
        steps = await BrokerPlay(_script((0, "heartbeat")), "g", pool, [0]).run()
        await pool.close()
        return steps

    async def run() -> Any:
        ended = asyncio.Event()

        async def serve(frame: bytes) -> None:
            await ended.wait()

        async def ask(port: int) -> Any:
            steps = await play(port)
            ended.set()
            return steps

        return await _with_broker(serve, ask)

    assert asyncio.run(run()) == [{"response": None, "after": None, "t": None}]


def test_a_broker_that_hangs_up_is_named() -> None:
    async def ask(port: int) -> Any:
        return await Pool(port).ask(APIS["heartbeat"], 4, "m1", HEARTBEAT)

    async def serve(frame: bytes) -> None:
        return None

    with pytest.raises(ConnectionError, match="hung up on version 4 of API 12"):
        asyncio.run(_with_broker(serve, ask))
