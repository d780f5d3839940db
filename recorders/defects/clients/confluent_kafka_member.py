"""A consumer of librdkafka: PORT NAME TOPICS GROUP [SETTING=VALUE ...]. It runs on Python 3.8."""

import sys

from confluent_kafka import Consumer


def main() -> None:
    """Poll until the process is killed."""
    port, name, topics, group, *settings = sys.argv[1:]
    given = dict(setting.split("=") for setting in settings)
    consumer = Consumer({"bootstrap.servers": f"127.0.0.1:{port}", "client.id": name, "group.id": group, **given})
    consumer.subscribe(topics.split(","))
    while True:
        consumer.poll(0.5)


if __name__ == "__main__":
    main()
