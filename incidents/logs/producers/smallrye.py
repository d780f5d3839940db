"""SmallRye Reactive Messaging (Quarkus): lines with a code, `SRMSG18224: …`, beside those of the Java client."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Detail, Match, Wording, first_match, wording

_G = r"re-balance listener for group '{group}'"


def _topics(detail: Detail, record: Record) -> None:
    detail["topics"] = [topic for topic in re.split(r"[\s,\[\]]{1,3}", str(detail["topics"])) if topic]


WORDINGS: tuple[Wording, ...] = (
    wording("listener_revoked", "Executing consumer revoked", r"Executing consumer revoked " + _G),
    wording("listener_assigned", "Executed consumer assigned", r"Executed consumer assigned " + _G),
    wording(
        "rebalance_failed",
        "Unable to execute consumer ",
        r"(?P<error>Unable to execute consumer (?:assigned|revoked) re-balance listener) for group '{group}'",
    ),
    wording(
        "rebalance_failed",
        "failure has been reported during a rebalance",
        r"(?P<error>A failure has been reported during a rebalance)",
    ),
    wording(
        "client_position",
        "Initialize record store for topic-partition",
        r"Initialize record store for topic-partition '(?P<partition>[^']{1,300})' at position {int:offset}",
    ),
    wording(
        "client_subscribed",
        "Kafka consumer ",
        r"Kafka consumer (?P<client>[^\s,]{1,300}), connected to Kafka brokers '[^']{0,4000}', belongs to the '{group}'"
        r" consumer group and is configured to poll records from {text:topics}",
        _topics,
    ),
)


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a line with a code of the Kafka connector; (): its other lines; None if it has none."""
    return (first_match(WORDINGS, record) or ()) if "SRMSG182" in record.text else None
