"""Kafka's messages that a fake group member sends and reads, as data: a field has a name, a kind and its versions.

Source: the message definitions of Apache Kafka (`clients/src/main/resources/common/message`).
"""

from __future__ import annotations

from dataclasses import dataclass

Kind = str | tuple["Field", ...]
"""`int8`, `int16`, `int32`, `int64`, `bool`, `string`, `bytes` (both may be null), `strings`, `int32s`; or an array."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message, in the versions `since` to `until`."""

    name: str
    kind: Kind
    since: int = 0
    until: int = 99


@dataclass(frozen=True, slots=True)
class Api:
    """A request and its answer. From `flexible` on lengths are varints and structures end with tagged fields."""

    key: int
    flexible: int
    request: tuple[Field, ...]
    answer: tuple[Field, ...]


def _f(name: str, kind: Kind = "string", since: int = 0, until: int = 99) -> Field:
    return Field(name, kind, since, until)


def _throttle(since: int) -> Field:
    return _f("throttle_ms", "int32", since)


COMMITTED = (
    _f("partition", "int32"),
    _f("offset", "int64"),
    _f("leader_epoch", "int32", 6),
    _f("metadata"),
)
COMMIT_ANSWER = (
    _throttle(3),
    _f("topics", (_f("name"), _f("partitions", (_f("partition", "int32"), _f("error", "int16"))))),
)
APIS = {
    "join": Api(
        11,
        6,
        (
            _f("group"),
            _f("session_timeout_ms", "int32"),
            _f("rebalance_timeout_ms", "int32", 1),
            _f("member_id"),
            _f("group_instance_id", since=5),
            _f("protocol_type"),
            _f("protocols", (_f("name"), _f("metadata", "bytes"))),
            _f("reason", since=8),
        ),
        (
            _throttle(2),
            _f("error", "int16"),
            _f("generation", "int32"),
            _f("protocol_type", since=7),
            _f("protocol"),
            _f("leader"),
            _f("skip_assignment", "bool", 9),
            _f("member_id"),
            _f("members", (_f("member_id"), _f("group_instance_id", since=5), _f("metadata", "bytes"))),
        ),
    ),
    "sync": Api(
        14,
        4,
        (
            _f("group"),
            _f("generation", "int32"),
            _f("member_id"),
            _f("group_instance_id", since=3),
            _f("protocol_type", since=5),
            _f("protocol_name", since=5),
            _f("assignments", (_f("member_id"), _f("assignment", "bytes"))),
        ),
        (
            _throttle(1),
            _f("error", "int16"),
            _f("protocol_type", since=5),
            _f("protocol", since=5),
            _f("assignment", "bytes"),
        ),
    ),
    "heartbeat": Api(
        12,
        4,
        (_f("group"), _f("generation", "int32"), _f("member_id"), _f("group_instance_id", since=3)),
        (_throttle(1), _f("error", "int16")),
    ),
    "leave": Api(
        13,
        4,
        (
            _f("group"),
            _f("member_id", until=2),
            _f("members", (_f("member_id"), _f("group_instance_id"), _f("reason", since=5)), 3),
        ),
        (
            _throttle(1),
            _f("error", "int16"),
            _f("members", (_f("member_id"), _f("group_instance_id"), _f("error", "int16")), 3),
        ),
    ),
    "commit": Api(
        8,
        8,
        (
            _f("group"),
            _f("generation", "int32", 1),
            _f("member_id", since=1),
            _f("group_instance_id", since=7),
            _f("retention_ms", "int64", 2, 4),
            _f("topics", (_f("name", until=9), _f("partitions", COMMITTED))),
        ),
        COMMIT_ANSWER,
    ),
    "txn_commit": Api(
        28,
        3,
        (
            _f("transactional_id"),
            _f("group"),
            _f("producer_id", "int64"),
            _f("producer_epoch", "int16"),
            _f("generation", "int32", 3),
            _f("member_id", since=3),
            _f("group_instance_id", since=3),
            _f("topics", (_f("name"), _f("partitions", (*COMMITTED[:2], _f("leader_epoch", "int32"), COMMITTED[3])))),
        ),
        (_throttle(0), COMMIT_ANSWER[1]),
    ),
    "describe": Api(
        15,
        5,
        (_f("groups", "strings"), _f("authorized", "bool", 3)),
        (
            _throttle(1),
            _f(
                "groups",
                (
                    _f("error", "int16"),
                    _f("group"),
                    _f("state"),
                    _f("protocol_type"),
                    _f("protocol"),
                    _f(
                        "members",
                        (
                            _f("member_id"),
                            _f("group_instance_id", since=4),
                            _f("client_id"),
                            _f("client_host"),
                            _f("metadata", "bytes"),
                            _f("assignment", "bytes"),
                        ),
                    ),
                    _f("authorized", "int32", 3),
                ),
            ),
        ),
    ),
}
"""What a script may ask, by the name it has there."""

API_VERSIONS = Api(
    18, 3, (), (_f("error", "int16"), _f("apis", (_f("key", "int16"), _f("least", "int16"), _f("most", "int16"))))
)
FIND_COORDINATOR = Api(
    10,
    3,
    (_f("key"), _f("type", "int8", 1)),
    (_throttle(1), _f("error", "int16"), _f("message", since=1), _f("node", "int32"), _f("host"), _f("port", "int32")),
)
CREATE_TOPICS = Api(
    19,
    5,
    (
        _f(
            "topics",
            (
                _f("name"),
                _f("partitions", "int32"),
                _f("replicas", "int16"),
                _f("assignments", ()),
                _f("configs", ()),
            ),
        ),
        _f("timeout_ms", "int32"),
        _f("validate_only", "bool", 1),
    ),
    (_throttle(2), _f("topics", (_f("name"), _f("error", "int16"), _f("message", since=1)))),
)
INIT_PRODUCER_ID = Api(
    22,
    2,
    (_f("transactional_id"), _f("timeout_ms", "int32")),
    (_throttle(0), _f("error", "int16"), _f("producer_id", "int64"), _f("producer_epoch", "int16")),
)
ADD_OFFSETS_TO_TXN = Api(
    25,
    3,
    (_f("transactional_id"), _f("producer_id", "int64"), _f("producer_epoch", "int16"), _f("group")),
    (_throttle(0), _f("error", "int16")),
)
MOVED = (_f("name"), _f("partitions", (_f("partition", "int32"), _f("error", "int16"), _f("message"))))
REASSIGN = Api(
    45,
    0,
    (
        _f("timeout_ms", "int32"),
        _f("topics", (_f("name"), _f("partitions", (_f("partition", "int32"), _f("replicas", "int32s"))))),
    ),
    (_throttle(0), _f("error", "int16"), _f("message"), _f("topics", MOVED)),
)
ELECT_LEADERS = Api(
    43,
    2,
    (_f("type", "int8", 1), _f("topics", (_f("name"), _f("partitions", "int32s"))), _f("timeout_ms", "int32")),
    (_throttle(0), _f("error", "int16", 1), _f("topics", MOVED)),
)
ALTER_CONFIGS = Api(
    44,
    1,
    (
        _f(
            "resources",
            (
                _f("type", "int8"),
                _f("name"),
                _f("configs", (_f("name"), _f("operation", "int8"), _f("value"))),
            ),
        ),
        _f("validate_only", "bool"),
    ),
    (_throttle(0), _f("resources", (_f("error", "int16"), _f("message"), _f("type", "int8"), _f("name")))),
)
CREATE_PARTITIONS = Api(
    37,
    2,
    (
        _f("topics", (_f("name"), _f("count", "int32"), _f("assignments", ()))),
        _f("timeout_ms", "int32"),
        _f("validate_only", "bool"),
    ),
    (_throttle(0), _f("topics", (_f("name"), _f("error", "int16"), _f("message")))),
)
