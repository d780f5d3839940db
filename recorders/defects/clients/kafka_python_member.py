"""A consumer of kafka-python: PORT NAME TOPICS GROUP [SETTING=VALUE ...]. It runs on Python 3.8."""

import ast
import logging
import sys

from kafka import KafkaConsumer  # type: ignore[import-untyped]


def main() -> None:
    """Poll until the process is killed."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    port, name, topics, group, *settings = sys.argv[1:]
    given = {key: ast.literal_eval(value) for key, value in (setting.split("=") for setting in settings)}
    consumer = KafkaConsumer(
        *topics.split(","), bootstrap_servers=f"127.0.0.1:{port}", client_id=name, group_id=group, **given
    )
    while True:
        consumer.poll(500)


if __name__ == "__main__":
    main()
