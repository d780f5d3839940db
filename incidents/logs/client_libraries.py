"""Client ids and what they tell: the id in a member's id, the library whose default it is, and what that lacks.

Also which groups are none of consumers: those of Kafka Connect's workers and of Schema Registry's nodes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row

_UUID = re.compile(r"-(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})$")
_KAFKA_UUID = re.compile(r"^[A-Za-z0-9_+-]{21,22}(?:==)?$")
_THREAD = "-StreamThread-"
_IN_STREAMS = re.compile(rf"(?:-[0-9a-f]{{8}}-(?:[0-9a-f]{{4}}-){{3}}[0-9a-f]{{12}})?{_THREAD}\d+-.*$")
"""What Kafka Streams adds to the name of an application: the process, the thread, the client."""

_DEFAULT_IDS = (
    (Program.JAVA, r"consumer-(?:.+-)?\d+"),  # KafkaConsumer: CONSUMER_CLIENT_ID_SEQUENCE, since 2.4 with the group
    (Program.LIBRDKAFKA, r"rdkafka(?:#.*)?"),
    (Program.SARAMA, r"sarama"),
    (Program.KAFKA_PYTHON, r"kafka-python-\d.*"),
    (Program.AIOKAFKA, r"(?:aiokafka|faust)-\d.*"),
    (Program.KAFKAJS, r"kafkajs|nestjs-consumer-server"),  # NestJS adds "-server" to its default
    (Program.FRANZ_GO, r"kgo"),
    (Program.RUBY_KAFKA, r"ruby-kafka"),
    (Program.KAFKA_GO, r".*github\.com/segmentio/kafka-go.*"),
)
"""By library: the client ids that it takes if none is set."""

CONNECT, SCHEMA_REGISTRY = "Kafka Connect", "Schema Registry"
_PROTOCOLS_OF_CONNECT = frozenset(["default", "compatible", "sessioned"])
"""ConnectProtocolCompatibility: its name stands where a group of consumers has its assignor's."""
LACKS = {
    "cooperative-sticky": frozenset(
        [
            Program.KAFKA_PYTHON,
            Program.AIOKAFKA,
            Program.KAFKAJS,
            Program.SARAMA,
            Program.KAFKA_GO,
            Program.RUBY_KAFKA,
            Program.BROD,
        ]
    ),
    "group.instance.id": frozenset([Program.KAFKAJS, Program.KAFKA_GO, Program.RUBY_KAFKA, Program.BROD]),
}
"""By a setting's name, or an assignor's: the libraries that have no such thing (KIP-429, KIP-345)."""


@lru_cache(maxsize=4096)
def library_of(client_id: str | None) -> Program | None:
    """The library whose default client id it is; None for one that somebody has chosen."""
    return next((program for program, ids in _DEFAULT_IDS if client_id and re.fullmatch(ids, client_id)), None)


def of_streams(client_id: str) -> bool:
    """Whether Kafka Streams made it."""
    return _THREAD in client_id


def application_of(client_id: str) -> str:
    """Without what Kafka Streams adds: `orders-UUID-StreamThread-1-consumer` is `orders`."""
    return _IN_STREAMS.sub("", client_id)


@lru_cache(maxsize=4096)
def client_of(member: str | None) -> str | None:
    """The client id in a classic member's id, which is followed by a UUID; None for an id that has none in it."""
    if member is None:
        return None
    client = _UUID.sub("", member)
    return client if client != member else None if _KAFKA_UUID.match(member) else member


def reads_for_a_worker(client_id: str | None) -> bool:
    """Whether a Connect worker's own topics are read by it: it has the worker's group.id and joins no group.

    Kafka: ConnectDistributed.startConnect, which ends the id of the worker so.
    """
    return client_id is not None and client_id.endswith(("-configs", "-offsets", "-statuses"))


def worker_of(row: Row) -> str | None:
    """What a row's group consists of, if its members share no partitions: `Kafka Connect` or `Schema Registry`.

    By the line of a worker's assignment, the protocol, or the prefix of member ids (Connect: WorkerGroupMember; Schema
    Registry: KafkaGroupLeaderElector). None for every other row.
    """
    if row.kind is RowKind.WORKER_ASSIGNED or row.detail.get("protocol") in _PROTOCOLS_OF_CONNECT:
        return CONNECT
    client, member = row.client or "", row.member or ""
    if client.startswith("connect-") or member.startswith("connect-"):
        return CONNECT
    return SCHEMA_REGISTRY if client.startswith("sr-") or member.startswith("sr-") else None
