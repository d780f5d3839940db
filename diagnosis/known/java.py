"""Known defects of Apache Kafka's Java clients, Connect and Streams, and of the libraries upon them."""

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.known.defect import Defect, Signature
from groupsim.incidents.logs.row_kinds import RowKind

_CLIENTS = "Kafka's Java clients"
_STOPPED = (Code.SESSION_EXPIRED, Code.POLL_TIMEOUT, Code.CRASH_LOOP, Code.COMMIT_FAILED)
_PARALLEL = r"[ =](?:io\.confluent|i\.c)\.p(?:arallelconsumer)?\.(?:\w+\.)*"

DEFECTS = (
    Defect(
        id="KAFKA-13406",
        library=_CLIENTS,
        versions=None,
        fixed="trunk, for 3.1 (November 2021)",
        what="the check of a cooperative assignment trusts what members say that they own, refuses the right plan of"
        " the built-in assignor, and the group gets stuck",
        link="https://github.com/apache/kafka/pull/11439",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.APP_FAILED,), r"With the COOPERATIVE protocol, owned partitions cannot be reassigned"
        ),
    ),
    Defect(
        id="KAFKA-13419",
        library=_CLIENTS,
        versions=None,
        fixed=None,
        what="a member whose SyncGroup failed claims partitions of an old generation, which others have got since",
        link="https://github.com/apache/kafka/pull/11451",
        code=Code.WRONG_COORDINATOR_CLIENT,
        signature=Signature((RowKind.EXCEPTION,), r"Found multiple consumers .* claiming the same TopicPartition"),
        alone="two members claim the same partition, and the leader takes it from both",
        also=(Code.SLOW_REJOIN, Code.IDLE_MEMBERS, *_STOPPED),
    ),
    Defect(
        id="KAFKA-13310",
        library=_CLIENTS,
        versions=None,
        fixed=None,
        what="before it joins again, a consumer tries to commit the offsets of a topic that was deleted, again and"
        " again until max.poll.interval.ms is over",
        link="https://github.com/apache/kafka/pull/11340",
        code=Code.TOPIC_MISSING,
        signature=Signature(
            (RowKind.COMMIT_FAILED,),
            r"does not host this topic-partition",
            least=20,
            reset=(RowKind.JOINING, RowKind.JOINED, RowKind.SYNCED),
        ),
        alone="the consumer commits the offsets of a deleted topic, again and again, before it joins",
        also=(Code.COMMIT_FAILED, Code.POLL_TIMEOUT, Code.SLOW_REJOIN),
    ),
    Defect(
        id="KAFKA-10870",
        library=_CLIENTS,
        versions=None,
        fixed=None,
        what="a JoinGroup that is answered with REBALANCE_IN_PROGRESS ends the consumer with an error, where it should"
        " join again",
        link="https://github.com/apache/kafka/pull/9792",
        code=Code.APP_ERROR,
        signature=Signature((RowKind.JOIN_FAILED,), r"due to unexpected error: The group is rebalancing"),
        alone="the consumer takes a rebalance in progress for a fatal error",
        also=(Code.WRONG_COORDINATOR_CLIENT, Code.COMMIT_FAILED),
    ),
    Defect(
        id="KAFKA-6366",
        library=_CLIENTS,
        versions=None,
        fixed=None,
        what="when the coordinator is lost while many commits are pending, each marks it dead once more, and the stack"
        " overflows",
        link="https://github.com/apache/kafka/pull/4349",
        code=Code.SESSION_EXPIRED,
        signature=Signature((RowKind.EXCEPTION,), r"StackOverflowError", after=RowKind.FATAL_ERROR, within_ms=1_000),
        alone="the thread that sends heartbeats ended with an overflow of its stack",
        also=(Code.APP_ERROR, Code.COORDINATOR_MOVED, Code.CONNECTION_LOST, Code.COMMIT_FAILED),
    ),
    Defect(
        id="KAFKA-6260",
        library=_CLIENTS,
        versions=None,
        fixed=None,
        what="closing the connection to a lost coordinator throws a NullPointerException, which ends the thread that"
        " sends heartbeats",
        link="https://github.com/threatgrid/ctia/issues/892",
        code=Code.SESSION_EXPIRED,
        signature=Signature(
            (RowKind.EXCEPTION,),
            r"NullPointerException.* at=org\.apache\.kafka\.common\.network\.Selector\.pollSelectionKeys",
        ),
        alone="the thread that sends heartbeats ended with a NullPointerException",
        also=(Code.APP_ERROR, Code.COORDINATOR_MOVED, Code.CONNECTION_LOST, Code.COMMIT_FAILED),
    ),
    Defect(
        id="KAFKA-14729",
        library=_CLIENTS,
        versions=None,
        fixed=None,
        what="after its heartbeat thread has failed, a consumer polls on without heartbeats, in a loop that takes a"
        " whole CPU",
        link="https://github.com/apache/kafka/pull/13270",
        code=Code.SESSION_EXPIRED,
        signature=Signature((RowKind.FATAL_ERROR,), r"Heartbeat thread failed due to unexpected error"),
        alone="the thread that sends heartbeats has failed",
        also=(Code.APP_ERROR, Code.COORDINATOR_MOVED, Code.CONNECTION_LOST, Code.COMMIT_FAILED),
    ),
    Defect(
        id="KAFKA-10763",
        library="Kafka Connect",
        versions=None,
        fixed=None,
        what="two cooperative rebalances soon after each other leave revoked connectors and tasks running, and they"
        " can't be started again on the same worker",
        link="https://github.com/apache/kafka/pull/9765",
        code=Code.WORKER_STUCK,
        signature=Signature((RowKind.EXCEPTION,), r"(?:Connector|Task) already exists in this worker"),
        alone="a worker still runs what it was asked to stop, and can't start it again",
        also=(Code.CONNECT_DELAY, Code.CONNECT_CONFIG, Code.APP_ERROR),
    ),
    Defect(
        id="kafka-connect-hdfs#85",
        library="kafka-connect-hdfs",
        versions=None,
        fixed=None,
        what="stopping a task that never opened a writer throws a NullPointerException, which ends the whole worker in"
        " the next rebalance",
        link="https://github.com/confluentinc/kafka-connect-hdfs/issues/85",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.EXCEPTION,), r"NullPointerException.* at=io\.confluent\.connect\.hdfs\.DataWriter\.close"
        ),
        alone="a connector's task failed while it stopped, and ended the worker",
        also=(Code.WORKER_STUCK,),
    ),
    Defect(
        id="spring-kafka#2576",
        library="Spring for Apache Kafka",
        versions="2.9.4, 3.0.2",
        fixed="the branches main and 2.9.x (February 2023)",
        what="a rebalance while a container waits to try records again leaves its new partitions unpaused, and the"
        " container stops",
        link="https://github.com/spring-projects/spring-kafka/issues/2576",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.APP_FAILED,), r"Poll returned \d+ record\(s\) while consumer was paused after an error"
        ),
    ),
    Defect(
        id="spring-kafka#1145",
        library="Spring for Apache Kafka",
        versions="2.2.0",
        fixed="2.2.1",
        what="a listener that seeks at the start does so before it has partitions, and fails",
        link="https://github.com/spring-projects/spring-kafka/issues/1145",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.EXCEPTION,),
            r"NullPointerException.* at=org\.springframework\.kafka\.listener\.KafkaMessageListenerContainer"
            r"\$ListenerConsumer\.seekPartitions",
        ),
        alone="the listener's container failed before it had partitions",
    ),
    Defect(
        id="spring-cloud-stream-binder-kafka#1090",
        library="Spring Cloud Stream's Kafka binder",
        versions="3.0.9",
        fixed=None,
        what="after a loss of the brokers the listener asks for the position of a partition that it has no more, fails,"
        " and does not get its partitions back",
        link="https://github.com/spring-attic/spring-cloud-stream-binder-kafka/issues/1090",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.EXCEPTION,),
            r"You can only check the position for partitions assigned to this consumer.*org\.springframework\.",
        ),
        alone="the listener asked for the position of a partition that was no more its own",
        also=(Code.CONNECTION_LOST, Code.COORDINATOR_MOVED, *_STOPPED),
    ),
    Defect(
        id="zio-kafka#126",
        library="zio-kafka",
        versions=None,
        fixed=None,
        what="it resumes a partition that a rebalance has taken away, and the stream ends",
        link="https://github.com/zio/zio-kafka/issues/126",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.EXCEPTION,), r"No current assignment for partition.* zio\.kafka\.client\.internal\.Runloop"
        ),
        alone="the stream ended because it resumed a partition that it had no more",
        also=_STOPPED,
    ),
    Defect(
        id="alpakka-kafka#235",
        library="Alpakka Kafka",
        versions=None,
        fixed=None,
        what="polls that find no broker are woken up, and after max-wakeups of them the consumer stops for good",
        link="https://github.com/akka/alpakka-kafka/issues/235",
        code=Code.APP_ERROR,
        signature=Signature((RowKind.APP_FAILED,), r"WakeupException limit exceeded, stopping"),
    ),
    Defect(
        id="parallel-consumer#188",
        library="Confluent's Parallel Consumer",
        versions=None,
        fixed="its pull request 190 (February 2022)",
        what="a rebalance changes the shards of records while they are read",
        link="https://github.com/confluentinc/parallel-consumer/issues/188",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.EXCEPTION,),
            r"ConcurrentModificationException.*" + _PARALLEL + r"ShardManager\.",
        ),
        alone="the consumer failed while a rebalance changed what it reads",
        also=_STOPPED,
    ),
    Defect(
        id="parallel-consumer#189",
        library="Confluent's Parallel Consumer",
        versions=None,
        fixed="its pull request 190 (February 2022)",
        what="a rebalance takes away the state of a partition while it is read",
        link="https://github.com/confluentinc/parallel-consumer/issues/189",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.EXCEPTION,),
            r"NullPointerException.*" + _PARALLEL + r"PartitionMonitor\.",
        ),
        alone="the consumer failed while a rebalance changed what it reads",
        also=_STOPPED,
    ),
    Defect(
        id="parallel-consumer#757",
        library="Confluent's Parallel Consumer",
        versions=None,
        fixed=None,
        what="a revocation finds a record whose work is gone, and the listener fails",
        link="https://github.com/confluentinc/parallel-consumer/issues/757",
        code=Code.APP_ERROR,
        signature=Signature((RowKind.EXCEPTION,), r'parallelconsumer\.state\.WorkContainer\.getRetryDueAt\(\)"'),
        alone="the consumer failed while its partitions were revoked",
        also=_STOPPED,
    ),
    Defect(
        id="parallel-consumer#833",
        library="Confluent's Parallel Consumer",
        versions="0.5.3.1",
        fixed="0.6.0.0 of the fork astubbs/parallel-consumer",
        what="a commit during a rebalance ends the thread that polls, and each later commit times out",
        link="https://github.com/astubbs/parallel-consumer/issues/177",
        code=Code.APP_ERROR,
        signature=Signature((RowKind.APP_FAILED,), r"Timeout waiting for commit response"),
    ),
)
