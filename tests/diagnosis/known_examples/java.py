"""Examples of the defects of Kafka's Java clients, Connect, and the libraries upon them."""

_AT = "2024-03-04 10:00:{second:06.3f}"
_UUID = "7fdb63ba-4fba-432d-9af3-89411c63d4c1"


def _line(second: float, text: str, level: str = "INFO") -> str:
    at = _AT.format(second=second).replace(".", ",")
    return f"[{at}] {level} [Consumer clientId=web-1, groupId=orders] {text}\n"


def _worker(second: float, text: str, level: str = "INFO") -> str:
    return _line(second, text, level).replace("[Consumer clientId=web-1", "[Worker clientId=connect-1")


def _other(second: float, text: str, level: str = "ERROR") -> str:
    at = _AT.format(second=second).replace(".", ",")
    return f"[{at}] {level} {text}\n"


def _thrown(exception: str, *frames: str) -> str:
    return f"{exception}\n" + "".join(f"\tat {frame}\n" for frame in frames)


_JOINED = (
    _line(0.1, "(Re-)joining group")
    + _line(
        3.2,
        "Successfully joined group with generation Generation{generationId=7, memberId='web-1-"
        + _UUID
        + "', protocol='range'}",
    )
    + _line(
        3.3,
        "Successfully synced group in generation Generation{generationId=7, memberId='web-1-"
        + _UUID
        + "', protocol='range'}",
    )
    + _line(3.4, "Adding newly assigned partitions: orders-0, orders-1")
)
_WORKER_JOINED = (
    _worker(0.1, "Rebalance started")
    + _worker(0.1, "(Re-)joining group")
    + _worker(
        3.2,
        "Successfully joined group with generation Generation{generationId=7, memberId='connect-1-"
        + _UUID
        + "', protocol='sessioned'}",
    )
    + _worker(
        3.4,
        "Joined group at generation 7 with protocol version 2 and got assignment: Assignment{error=0,"
        f" leader='connect-1-{_UUID}', leaderUrl='http://connect:8083/', offset=12, "
        "connectorIds=[files], taskIds=[files-0], revokedConnectorIds=[], revokedTaskIds=[], delay=0} with"
        " rebalance delay: 0",
    )
)
_HEARTBEATS_END = _line(20, "Heartbeat thread failed due to unexpected error", "ERROR")
_ASSIGNED = "org.apache.kafka.clients.consumer.internals.SubscriptionState.assignedState(SubscriptionState.java:356)"
_PARALLEL = "io.confluent.parallelconsumer"
_SPRING = "org.springframework.kafka.listener.KafkaMessageListenerContainer$ListenerConsumer"

EXAMPLES = {
    "KAFKA-13406": _JOINED
    + _line(
        20,
        "With the COOPERATIVE protocol, owned partitions cannot be reassigned to other members; however the assignor"
        " has reassigned partitions [orders-1] which are still owned by some members",
        "ERROR",
    ),
    "KAFKA-13419": _JOINED
    + _line(
        20,
        f"Found multiple consumers web-1-{_UUID} and web-2-{_UUID} claiming the same TopicPartition orders-1 in the"
        " same generation 7, this will be invalidated and removed from their previous assignment.",
        "ERROR",
    ),
    "KAFKA-13310": _JOINED
    + _line(9.9, "Attempt to heartbeat failed since group is rebalancing")
    + "".join(
        _line(
            10 + nth / 10,
            "Offset commit failed on partition gone-0 at offset 42: This server does not host this topic-partition.",
            "ERROR",
        )
        for nth in range(30)
    ),
    "KAFKA-10870": _line(0.1, "(Re-)joining group")
    + _line(
        3.2,
        "Attempt to join group failed due to unexpected error: The group is rebalancing, so a rejoin is needed.",
        "ERROR",
    ),
    "KAFKA-6366": _JOINED
    + _HEARTBEATS_END
    + _thrown(
        "java.lang.StackOverflowError",
        "org.apache.kafka.clients.consumer.internals.AbstractCoordinator.coordinatorDead(AbstractCoordinator.java:653)",
    ),
    "KAFKA-6260": _JOINED
    + _HEARTBEATS_END
    + _thrown(
        "java.lang.NullPointerException",
        "org.apache.kafka.common.network.Selector.pollSelectionKeys(Selector.java:436)",
        "org.apache.kafka.common.network.Selector.poll(Selector.java:395)",
    ),
    "KAFKA-14729": _JOINED
    + _HEARTBEATS_END
    + _thrown("org.apache.kafka.common.KafkaException: closed", "com.example.Interceptor.close(Interceptor.java:12)"),
    "KAFKA-10763": _WORKER_JOINED
    + _worker(20, "Couldn't instantiate task files-0 because it has an invalid task configuration.", "ERROR")
    + _thrown(
        "org.apache.kafka.connect.errors.ConnectException: Task already exists in this worker: files-0",
        "org.apache.kafka.connect.runtime.Worker.startTask(Worker.java:422)",
    ),
    "kafka-connect-hdfs#85": _WORKER_JOINED
    + _worker(20, "Uncaught exception in herder work thread, exiting: ", "ERROR")
    + _thrown("java.lang.NullPointerException", "io.confluent.connect.hdfs.DataWriter.close(DataWriter.java:307)"),
    "spring-kafka#2576": _JOINED
    + _other(
        20,
        "Poll returned 5 record(s) while consumer was paused after an error; emergency stop invoked to avoid message"
        " loss",
    ),
    "spring-kafka#1145": _JOINED
    + _other(20, "Error while processing: null")
    + _thrown(
        "java.lang.NullPointerException: null", f"{_SPRING}.seekPartitions(KafkaMessageListenerContainer.java:636)"
    ),
    "spring-cloud-stream-binder-kafka#1090": _JOINED
    + _other(20, "Error while processing: null")
    + _thrown(
        "java.lang.IllegalStateException: You can only check the position for partitions assigned to this consumer.",
        "org.apache.kafka.clients.consumer.KafkaConsumer.position(KafkaConsumer.java:1717)",
        f"{_SPRING}.collectAndCommitIfNecessary(KafkaMessageListenerContainer.java:2460)",
    ),
    "zio-kafka#126": _JOINED
    + _other(20, "Fiber failed.")
    + _thrown(
        "java.lang.IllegalStateException: No current assignment for partition orders-1",
        _ASSIGNED,
        "org.apache.kafka.clients.consumer.KafkaConsumer.resume(KafkaConsumer.java:2012)",
        "zio.kafka.client.internal.Runloop$.$anonfun$apply$29(Runloop.scala:331)",
    ),
    "alpakka-kafka#235": _JOINED
    + _other(20, "akka.kafka.KafkaConsumerActor - WakeupException limit exceeded, stopping."),
    "parallel-consumer#188": _JOINED
    + _other(20, "Error from poll control thread, will attempt controlled shutdown, then rethrow.")
    + _thrown(
        "java.util.ConcurrentModificationException: null",
        "java.util.TreeMap$PrivateEntryIterator.nextEntry(TreeMap.java:1211)",
        f"{_PARALLEL}.state.ShardManager.getWorkIfAvailable(ShardManager.java:214)",
    ),
    "parallel-consumer#189": _JOINED
    + _other(20, "Error from poll control thread, will attempt controlled shutdown, then rethrow.")
    + _thrown(
        "java.lang.NullPointerException: null",
        f"{_PARALLEL}.state.PartitionMonitor.isBlocked(PartitionMonitor.java:342)",
    ),
    "parallel-consumer#757": _JOINED
    + _other(20, "Error from poll control thread, will attempt controlled shutdown, then rethrow.")
    + _thrown(
        f'java.lang.NullPointerException: Cannot invoke "{_PARALLEL}.state.WorkContainer.getRetryDueAt()" because'
        ' "workContainer" is null',
        f"{_PARALLEL}.state.ShardManager.lambda$new$0(ShardManager.java:81)",
    ),
    "parallel-consumer#833": _JOINED
    + _other(20, "Error from poll control thread, will attempt controlled shutdown, then rethrow.")
    + f"{_PARALLEL}.internal.InternalRuntimeException: Timeout waiting for commit response PT30S to request"
    " CommitRequest\n",
}
