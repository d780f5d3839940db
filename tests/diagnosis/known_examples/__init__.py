"""Logs that show the known defects, by their ids: written for the tests, in the formats of the libraries."""

from tests.diagnosis.known_examples import brokers, java, librdkafka, others, streams_groups

EXAMPLES: dict[str, str] = (
    brokers.EXAMPLES | java.EXAMPLES | librdkafka.EXAMPLES | streams_groups.EXAMPLES | others.EXAMPLES
)
