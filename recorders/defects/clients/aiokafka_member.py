"""A consumer of aiokafka, which commits from a task of its own: PORT NAME TOPICS GROUP [SETTING=VALUE ...].

It runs on Python 3.8.
"""

import ast
import asyncio
import logging
import sys

from aiokafka import AIOKafkaConsumer  # pyright: ignore[reportMissingImports]  (in the Python 3.8 of that client only)
from aiokafka.errors import IllegalStateError, KafkaError  # pyright: ignore[reportMissingImports]

COMMIT_EVERY_S = 0.05


async def commit(consumer: AIOKafkaConsumer) -> None:
    """Commit all the time, rebalances or not, as an application with a queue of its own does."""
    while True:
        await asyncio.sleep(COMMIT_EVERY_S)
        try:
            if owned := consumer.assignment():
                await consumer.commit(dict.fromkeys(owned, 0))
        except (KafkaError, IllegalStateError):
            pass  # aiokafka's own log says it


async def consume() -> None:
    """Poll until the process is killed."""
    port, name, topics, group, *settings = sys.argv[1:]
    given = {key: ast.literal_eval(value) for key, value in (setting.split("=") for setting in settings)}
    consumer = AIOKafkaConsumer(
        *topics.split(","),
        bootstrap_servers=f"127.0.0.1:{port}",
        client_id=name,
        group_id=group,
        enable_auto_commit=False,
        **given,
    )
    await consumer.start()
    committing = asyncio.create_task(commit(consumer))
    while not committing.done():
        await consumer.getmany(timeout_ms=500)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    asyncio.run(consume())
