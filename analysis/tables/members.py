"""The processes of a run and the rebalance callbacks they ran, a row each. Pure Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from groupsim.analysis.timelines.process_timeline import BY_THE_TOPIC
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events.base import Recorded, group_of
from groupsim.events.tasks_as_partitions import as_partitions

MEMBERS = {
    "group": "string",
    "process": "string",
    "member": "string",
    "client_id": "string",
    "instance_id": "string",
    "ids": "int64",
    "started_ms": "Int64",
    "ended_ms": "Int64",
    "uptime_ms": "Int64",
    "ended_by": "string",
    "joins": "int64",
    "led": "int64",
    "callback_ms": "int64",
    "frozen_ms": "int64",
}
"""One row a process (an incarnation of a client), by group and start. Of a group of which only the broker's log is at
hand: one row a member id, `process` missing.

`member`: its last member id; `ids`: how many it had. `start` is missing where the log begins later, `end` while it is
alive; `uptime` counts to the run's end then. `ended_by`: `crash`, `close`, `failed` (a fatal error), or why the
coordinator removed a member without a log. `joins`: generations it entered; `led`: those that it led. `callback`,
`frozen`: time in rebalance callbacks, and time frozen.
"""

CALLBACKS = {
    "group": "string",
    "process": "string",
    "member": "string",
    "kind": "string",
    "partitions": "int64",
    "generation": "Int64",
    "from_ms": "int64",
    "to_ms": "Int64",
    "duration_ms": "Int64",
    "error": "string",
}
"""One row a rebalance callback, in order. `kind`: `assigned`, `revoked` or `lost`; `partitions`: how many it was given;
`generation`: the last one the process had entered; `end`: missing if it never returned or the log does not say;
`error`: what it raised."""

Row = dict[str, Any]


def callbacks(facts: Iterable[Recorded]) -> list[Row]:
    """Rows of `CALLBACKS`."""
    done: list[Row] = []
    open_: dict[tuple[str, str], Row] = {}
    last: dict[tuple[str, str], tuple[str | None, int | None]] = {}
    for fact in facts:
        event = fact.event
        if not isinstance(event, p.ClientEvent):
            continue
        who = (group_of(fact.stream) or "", event.process)
        if isinstance(event, p.JoinOk | p.SyncOk):
            last[who] = (event.member, event.generation)
        elif isinstance(event, p.CallbackStart):
            member, generation = last.get(who, (None, None))
            open_[who] = _started(who, event, member, generation, fact.at_ms)
            done.append(open_[who])
        elif isinstance(event, p.CallbackEnd) and who in open_:
            row = open_.pop(who)
            row |= {"to_ms": fact.at_ms, "duration_ms": fact.at_ms - row["from_ms"], "error": event.error}
        elif isinstance(event, p.Crashed | p.ProcessStarted):
            open_.pop(who, None)
    return done


def _started(
    who: tuple[str, str], event: p.CallbackStart, member: str | None, generation: int | None, at_ms: int
) -> Row:
    given = event.generation if event.generation is not None else generation
    return {
        "group": who[0],
        "process": who[1],
        "member": member,
        "kind": event.kind,
        "partitions": len(event.partitions),
        "generation": given,
        "from_ms": at_ms,
        "to_ms": None,
        "duration_ms": None,
        "error": None,
    }


class _ProcessRows:
    """One row a process, while the facts are read."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Row] = {}
        self.since: dict[tuple[str, str, str], int] = {}
        self.ids: dict[tuple[str, str], set[str]] = {}
        self._reports: set[tuple[str, str]] = set()
        self._process_of: dict[tuple[str, str], str] = {}

    def row(self, group: str, process: str | None, member: str | None = None) -> Row:
        """The row of a process, or of a member without one."""
        key = (group, process or f"\0{member}")
        if key not in self.rows:
            self.rows[key] = dict.fromkeys(MEMBERS) | {"group": group, "process": process, "member": member}
            self.rows[key] |= {"joins": 0, "led": 0, "callback_ms": 0, "frozen_ms": 0}
            self.ids[key] = set()
        if member:
            self.ids[key].add(member)
            self.rows[key]["member"] = member
        return self.rows[key]

    def hear(self, group: str, event: p.ClientEvent) -> None:
        """Take notice of who speaks, and under which member id."""
        if not isinstance(event, BY_THE_TOPIC):
            self._reports.add((group, event.process))
        if isinstance(event, p.SyncOk):
            self._process_of[group, event.member] = event.process

    def unlogged(self, group: str, member: str) -> Row | None:
        """The row of a member that has no log: by its id, or as the process that the offsets topic shows."""
        if (group, f"\0{member}") in self.rows:
            return self.rows[group, f"\0{member}"]
        process = self._process_of.get((group, member))
        return None if process is None or (group, process) in self._reports else self.rows[group, process]

    def spent(self, group: str, process: str, what: str, at_ms: int, *, begins: bool) -> None:
        """A callback or a freeze begins or ends: add its time to the column `what`."""
        key = (group, process, what)
        if begins:
            self.since[key] = at_ms
        elif key in self.since:
            self.row(group, process)[what] += at_ms - self.since.pop(key)


def members(facts: Iterable[Recorded], end_ms: int) -> list[Row]:
    """Rows of `MEMBERS`; a process that is alive at `end_ms` has no end."""
    processes = _ProcessRows()
    for fact in as_partitions(facts):
        group = group_of(fact.stream)
        if group is None:
            continue
        if isinstance(fact.event, p.ClientEvent):
            _apply_client_fact(processes, group, fact.event, fact.at_ms)
        else:
            _apply_coordinator_fact(processes, group, fact.event, fact.at_ms)
    return sorted(
        _finished(processes, end_ms),
        key=lambda r: (r["group"], r["started_ms"] or 0, r["process"] or "", r["member"] or ""),
    )


def _finished(processes: _ProcessRows, end_ms: int) -> Iterator[Row]:
    logged = {(group, member) for (group, x), ids in processes.ids.items() for member in ids if not x.startswith("\0")}
    for (group, process), row in processes.rows.items():
        if process.startswith("\0") and (group, row["member"]) in logged:
            continue
        row["ids"] = len(processes.ids[group, process])
        if row["started_ms"] is not None:
            row["uptime_ms"] = (end_ms if row["ended_ms"] is None else row["ended_ms"]) - row["started_ms"]
        yield row


def _apply_client_fact(processes: _ProcessRows, group: str, event: p.ClientEvent, at_ms: int) -> None:
    row = processes.row(group, event.process, getattr(event, "member", None))
    processes.hear(group, event)
    match event:
        case p.ProcessStarted():
            row |= {"client_id": event.client_id, "instance_id": event.instance_id, "started_ms": at_ms}
        case p.JoinOk():
            row["joins"] += 1
            row["led"] += bool(event.leader)
        case p.Crashed():
            row |= {"ended_ms": at_ms, "ended_by": "crash"}
        case p.Closed():
            row |= {"ended_ms": at_ms, "ended_by": row["ended_by"] or "close"}
        case p.Failed():
            row["ended_by"] = "failed"
        case p.CallbackStart() | p.CallbackEnd():
            processes.spent(group, event.process, "callback_ms", at_ms, begins=isinstance(event, p.CallbackStart))
        case p.Frozen() | p.Thawed():
            processes.spent(group, event.process, "frozen_ms", at_ms, begins=isinstance(event, p.Frozen))


def _apply_coordinator_fact(processes: _ProcessRows, group: str, event: object, at_ms: int) -> None:
    """What the coordinator knows of members, for those without a log of their own."""
    match event:
        case c.MemberAdded() | c.MemberReplaced() | k.ConsumerMemberUpdated():
            _begin(processes, group, event, at_ms)
        case k.StaticMemberReplaced():
            _end(processes, group, event.old, c.RebalanceCause.STATIC_REPLACED, at_ms)
        case k.GroupDowngraded():
            for member in event.removed:
                _end(processes, group, member, event.cause, at_ms)
        case c.MemberRemoved() | k.ConsumerMemberRemoved():
            _end(processes, group, event.member, event.cause, at_ms)


def _begin(
    processes: _ProcessRows, group: str, event: c.MemberAdded | c.MemberReplaced | k.ConsumerMemberUpdated, at_ms: int
) -> None:
    """A member is in the group; if it is new and no process is known, it gets a row of its own."""
    if isinstance(event, c.MemberReplaced):
        _end(processes, group, event.old, c.RebalanceCause.STATIC_REPLACED, at_ms)
    known = processes.rows.get((group, event.client_host or ""))
    if event.member is not None and known is None and processes.unlogged(group, event.member) is None:
        row = processes.row(group, None, event.member)
        row |= {"started_ms": at_ms, "client_id": event.client_id, "instance_id": event.instance_id}


def _end(processes: _ProcessRows, group: str, member: str, why: str | None, at_ms: int) -> None:
    """A member without a log is gone."""
    if (row := processes.unlogged(group, member)) is not None:
        row.update(ended_ms=at_ms, ended_by=why)
