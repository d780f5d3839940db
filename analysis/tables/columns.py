"""The columns of a run's tables, as rows have them: in JSON, in CSV, and with Spark. Pure Python.

`frames.table` makes DataFrames of such rows, `frames.TABLES` lists them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from groupsim.events import client
from groupsim.events.base import Recorded, group_of

FACTS = {
    "seq": "int64",
    "at_ms": "int64",
    "type": "string",
    "group": "string",
    "process": "string",
    "member": "string",
    "stream": "string",
    "body": "string",
    "source": "string",
}
"""One row a fact, in order. `body`: the fact's fields as JSON; `source`: `file:line` of a recorded one."""

AVAILABILITY = {
    "group": "string",
    "topic": "string",
    "partition": "int64",
    "label": "string",
    "sub_label": "string",
    "member": "string",
    "cause": "string",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
    "available": "bool",
}
"""One row an interval: each partition's time from the run's start to its end, without gaps."""

UNAVAILABLE = {
    "group": "string",
    "topic": "string",
    "partition": "int64",
    "label": "string",
    "cause": "string",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
}
"""One row a time in which a partition is known to have been unavailable, by group, topic, partition, time. UNKNOWN is
not among them. Without start-up, unless `between` names a time."""

TIMELINE = {
    "group": "string",
    "topic": "string",
    "partition": "int64",
    "member": "string",
    "from_ms": "int64",
    "to_ms": "int64",
    "label": "string",
}
"""One row a time in which a partition had one member and one label, by group, topic, partition, time. `member`: who
served it or was meant to, a process id where one is known."""

REBALANCES = {
    "group": "string",
    "generation": "Int64",
    "cause": "string",
    "started_ms": "int64",
    "ended_ms": "Int64",
    "duration_ms": "Int64",
    "members": "Int64",
    "moved": "Int64",
    "revoked": "Int64",
    "rounds": "int64",
    "slowest_member": "string",
}
"""One row a rebalance, by group and time. `generation`: the one it led to; `members`: how many it left in the group;
`moved`: partitions that went to another member; `revoked`: partitions that their owner does not have any more;
`rounds`: its place in a row of cooperative follow-ups (1: it is none)."""

BLAME = {
    "group": "string",
    "topic": "string",
    "partition": "int64",
    "label": "string",
    "phase": "string",
    "member": "string",
    "configuration": "string",
    "cause": "string",
    "chain": "string",
    "rebalance": "Int64",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
}
"""One row a piece of an unavailable interval; their `duration` adds up to that of `run.unavailable()`, exactly. Without
start-up, unless `between` names a time.

- `label`, `cause`: the interval's (`run.unavailable()`).
- `phase`: what the partition waited for; docs/reference/labels.md has their meanings.
- `member`: the process waited for (its member id where no process is known); missing where no member is waited for (an
  empty group, the initial delay) or unknown.
- `configuration`: what the length depends on: a Kafka setting by its name (`session.timeout.ms`,
  `heartbeat.interval.ms`, `max.poll.interval.ms`, `group.initial.rebalance.delay.ms`, `retry.backoff.ms`,
  `group.instance.id`), or `poll gap`, `callback`, `commit`, `assignor`, `restore`, `pause`, `freeze`, `network`;
  missing where no setting decides it or the log does not say.
- `chain`: the cause and all that followed from it, joined by ` > `.
- `generation`: of the rebalance concerned; while a failure is being detected, of the one it led to.
"""

CRITICAL_PATHS = {
    "group": "string",
    "generation": "Int64",
    "round": "int64",
    "member": "string",
    "step": "string",
    "kind": "string",
    "from_ms": "int64",
    "to_ms": "int64",
    "duration_ms": "int64",
    "critical": "bool",
    "saved_ms": "Int64",
}
"""One row a step of a member in a rebalance, by group, rebalance, member, time.

`generation`: the one the rebalance led to, missing where it led to none; `number` counts the group's rebalances from 0,
in the order of `run.rebalances()`. `member`: a process id, or the member id where no process is known; missing for the
initial delay. `step`: see docs/reference/labels.md. `kind`: in a `callback`, which one (`revoked`, `lost`,
`assigned`). `critical`: the rebalance could not end before this step had. `saved`, on the last critical step of a
member in the join phase and of the leader in the sync phase: how much sooner the rebalance would have ended if this
member had been only as slow as the second-slowest; missing where no other member could have led.
"""


def as_rows(rows: Iterable[Any], columns: Iterable[str]) -> list[dict[str, Any]]:
    """Objects as rows of these columns, ready for JSON."""
    names = list(columns)
    return [{name: value_of(row, name) for name in names} for row in rows]


def value_of(row: Any, name: str) -> Any:
    """A column of a row, which is an object or a dict."""
    return row[name] if isinstance(row, Mapping) else getattr(row, name)


def fact_rows(facts: Iterable[Recorded]) -> Iterator[dict[str, Any]]:
    """Rows of `FACTS`, in order of seq."""
    encoder = msgspec.json.Encoder(order="deterministic")
    for fact in facts:
        yield {
            "seq": fact.seq,
            "at_ms": fact.at_ms,
            "type": type(fact.event).__name__,
            "group": group_of(fact.stream),
            "process": fact.event.process if isinstance(fact.event, client.ClientEvent) else None,
            "member": getattr(fact.event, "member", None) or None,
            "stream": fact.stream,
            "body": encoder.encode(fact.event).decode(),
            "source": fact.source,
        }
