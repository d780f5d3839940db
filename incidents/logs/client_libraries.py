"""Client libraries: which one a client id tells of that nobody has set, and what some of them do not have."""

from __future__ import annotations

import re

from groupsim.incidents.logs.rows import Program

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


def library_of(client_id: str | None) -> Program | None:
    """The library whose default client id it is; None for one that somebody has chosen."""
    return next((program for program, ids in _DEFAULT_IDS if client_id and re.fullmatch(ids, client_id)), None)
