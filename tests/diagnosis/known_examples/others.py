"""Examples of the defects of other clients."""

import json

_ID = "7fdb63ba-4fba-432d-9af3-89411c63d4ce"


def _python(*said: tuple[str, str, str]) -> str:
    return "".join(f"2024-03-04 {at},000 {logger}: {text}\n" for at, logger, text in said)


def _kafkajs(error: str, stack: str = "") -> str:
    common = {"level": "ERROR", "timestamp": "2024-03-04T10:00:05.353Z", "logger": "kafkajs", "groupId": "orders"}
    return json.dumps({**common, "message": f"[Consumer] Crash: {error}", "stack": stack}) + "\n"


def _panic(said: str, *frames: str) -> str:
    below = "".join(f"{frame}(0xc003ae1960, 0x18dcec0)\n\t/go/src/consumer.go:414 +0x13d\n" for frame in frames)
    return f"panic: {said}\n\ngoroutine 118 [running]:\n{below}exit status 2\n"


def _faust(name: str, text: str) -> str:
    return (
        "[2024-03-04 10:00:00,000] [11] [INFO] (Re-)joining group orders \n"
        f"[2024-03-04 10:00:01,000] [11] [ERROR] [{name}]: {text} \n"
    )


def _ruby(at: str, level: str, text: str) -> str:
    return f"{level[0]}, [2024-03-04T{at}.100000 #11] {level} -- : [[orders] {{}}:] {text}\n"


def _removed_after_each_join_ruby() -> str:
    return "".join(
        _ruby(f"10:0{nth}:00", "INFO", f"Joined group `orders` with member id `web-{_ID}`")
        + _ruby(f"10:0{nth}:00", "INFO", "Partitions assigned for `orders`: 0, 1")
        + _ruby(f"10:0{nth}:04", "ERROR", "Error sending heartbeat: Kafka::UnknownMemberId")
        for nth in range(4)
    )


def _brod(at: str, generation: int, text: str) -> str:
    head = f"Group member (orders,coor=#PID<0.1077.0>,cb=#PID<0.1073.0>,generation={generation}):"
    return f"{at} [info] {head}\n{text}\n"


def _removed_after_each_join_brod() -> str:
    return "".join(
        _brod(f"10:0{nth}:00.400", nth, "assignments received:\n  orders:\n    partition=0 begin_offset=undefined")
        + _brod(f"10:0{nth}:05.100", nth, "re-joining group, reason::unknown_member_id")
        for nth in range(1, 5)
    )


EXAMPLES = {
    "aiokafka#727": "2024-03-04 10:00:01,000 INFO aiokafka.consumer.group_coordinator: (Re-)joining group orders\n"
    "2024-03-04 10:00:03,980 INFO aiokafka.consumer.group_coordinator: Joined group 'orders' (generation 7) with"
    " member_id web-7fdb63ba-4fba-432d-9af3-89411c63d4c1\n"
    "2024-03-04 10:00:04,000 ERROR aiokafka.consumer.group_coordinator: OffsetCommit failed for group orders due to"
    " group error ([Error 25] UnknownMemberIdError: orders), will rejoin\n"
    "2024-03-04 10:00:04,020 INFO aiokafka.consumer.group_coordinator: Successfully synced group orders with"
    " generation -1\n"
    "2024-03-04 10:00:04,060 INFO aiokafka.consumer.group_coordinator: (Re-)joining group orders\n"
    "2024-03-04 10:00:14,020 INFO aiokafka.consumer.group_coordinator: Joined group 'orders' (generation 8) with"
    " member_id web-08e1cb71-1b4a-4d93-8f1c-1a5a33f2bb02\n",
    "kafka-python#1310": _python(
        ("10:00:00", "INFO:kafka.coordinator", "Discovered coordinator 1 for group orders"),
        *(
            (f"10:00:{s}", "WARNING:kafka.coordinator", text)
            for s in range(10, 40)
            for text in (
                "Coordinator unknown during heartbeat -- will retry",
                "Heartbeat failed ([Error 15] GroupCoordinatorNotAvailableError); retrying",
            )
        ),
    ),
    "kafka-python#1623": _python(
        ("09:00:00", "INFO:kafka.coordinator", "(Re-)joining group orders"),
        (
            "10:00:00",
            "WARNING:kafka.coordinator",
            "Heartbeat: local member_id was not recognized; this consumer needs to re-join",
        ),
        (
            "10:00:00",
            "INFO:kafka.coordinator.consumer",
            "Revoking previously assigned partitions set([TopicPartition(topic='orders', partition=2)]) for group"
            " orders",
        ),
        ("10:20:00", "INFO:web", "still here"),
    ),
    "faust-streaming#54": _faust(
        "^---Recovery",
        "Crashed reason=IllegalStateError(\"No current assignment for partition TopicPartition(topic='orders',"
        ' partition=10)")',
    ),
    "faust-streaming#94": _faust(
        "^---AIOKafkaConsumerThread",
        "Got exception: IllegalStateError(\"Partition TopicPartition(topic='orders', partition=40) is not assigned\")",
    ),
    "faust-streaming#529": _faust("^----Agent*: __main__.read isolated={0}", "Crashed reason=CancelledError()"),
    "sarama#1405": "2024/03/04 10:00:00 client/coordinator coordinator for consumergroup orders is #1 (kafka:9092)\n"
    + _panic("send on closed channel", "github.com/Shopify/sarama.(*consumerGroup).handleError"),
    "kafka-go#786": f"2024/03/04 10:00:00 Joined group orders as member web@host-{_ID} in generation 7\n"
    + _panic(
        "sync: WaitGroup is reused before previous Wait has returned",
        "sync.(*WaitGroup).Wait",
        "github.com/segmentio/kafka-go.(*Generation).close",
    ),
    "franz-go#1355": "2024/03/04 10:00:00 [INFO] joining group; group: orders\n"
    + _panic(
        "runtime error: invalid memory address or nil pointer dereference",
        "github.com/twmb/franz-go/pkg/kgo.(*groupConsumer).fetchOffsets",
    ),
    "kafkajs#1474": _kafkajs("KafkaJSProtocolError: Specified group generation id is not valid"),
    "kafkajs#1441": _kafkajs("TypeError: Cannot read property 'brokers' of null"),
    "kafkajs#1153": _kafkajs("Error: value should be an instance of Encoder"),
    "kafkajs#558": _kafkajs(
        "KafkaJSNumberOfRetriesExceeded: Cannot read property '0' of undefined",
        "KafkaJSNumberOfRetriesExceeded\n  Caused by: TypeError: Cannot read property '0' of undefined\n"
        "    at /opt/app/node_modules/kafkajs/src/consumer/offsetManager/index.js:219:50\n    at Array.filter",
    ),
    "ruby-kafka#941": "".join(
        _ruby(f"10:00:{s}", "ERROR", text)
        for s in (15, 26, 37)
        for text in (
            "[join_group] Timed out while waiting for response 2",
            "Connection error while trying to join group `orders`; retrying...",
        )
    ),
    "ruby-kafka#767": _removed_after_each_join_ruby(),
    "kaffe#92": _removed_after_each_join_brod(),
    "brod#578": _brod("10:00:00.400", 7, "elected=true")
    + _brod("10:01:00.400", 7, "Leaving group, reason: hb_timeout"),
}
