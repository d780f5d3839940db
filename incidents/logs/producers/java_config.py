"""The settings that a Java client prints when it starts, e.g. `ConsumerConfig values:`, and a line for each setting.

A Connect worker does so; and Kafka Streams, before its consumers do.
"""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.row_kinds import RowKind

_OF_STREAMS = "StreamsConfig values:"
OPENERS = ("ConsumerConfig values:", "DistributedConfig values:", _OF_STREAMS)
SETTING = re.compile(r"(?:^|\s)([a-z][a-z0-9_.]{2,80}) = (.{0,2000})$")
_KEPT = frozenset(
    [
        "auto.offset.reset",
        "client.rack",
        "connect.protocol",
        "enable.auto.commit",
        "group.instance.id",
        "group.protocol",
        "group.remote.assignor",
        "heartbeat.interval.ms",
        "max.poll.interval.ms",
        "max.poll.records",
        "metadata.max.age.ms",
        "partition.assignment.strategy",
        "scheduled.rebalance.max.delay.ms",
        "session.timeout.ms",
    ]
)
"""Settings that decide how a member behaves; `group.id` and `client.id` name the row."""
_KEPT_OF_STREAMS = frozenset(
    ["acceptable.recovery.lag", "max.warmup.replicas", "num.standby.replicas", "probing.rebalance.interval.ms"]
)
"""Settings that decide where tasks run."""


def read(record: Record) -> tuple[Match, ...] | None:
    """One row with the settings; None if the record is not such a block."""
    opener = next((opener for opener in OPENERS if opener in record.text), None)
    if opener is None:
        return None
    lines = (record.text.partition(opener)[2], *record.more)
    printed = {found[1]: found[2].strip() for line in lines if (found := SETTING.search(line)) is not None}
    printed = {name: value for name, value in printed.items() if value not in ("", "null")}
    if opener == _OF_STREAMS:
        settings = {name: _value(printed[name]) for name in sorted(_KEPT_OF_STREAMS & printed.keys())}
        return (Match(RowKind.CLIENT_SETTING, None, None, None, {"settings": settings}),) if settings else ()
    group = printed.get("group.id")
    if group is None:
        return ()
    settings = {name: _value(printed[name]) for name in sorted(_KEPT & printed.keys())}
    return (Match(RowKind.CLIENT_CONFIGURED, group, None, printed.get("client.id"), {"settings": settings}),)


def _value(text: str) -> int | bool | str:
    if text.isascii() and text.isdigit() and len(text) < 13:
        return int(text)
    if text in ("true", "false"):
        return text == "true"
    return ", ".join(word.removeprefix("class ").rpartition(".")[2] for word in text.strip("[]").split(", "))
