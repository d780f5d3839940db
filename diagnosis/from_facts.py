"""A stored run as the rows that its logs would give, so that a diagnosis reads runs and logs alike.

A row's line is the fact's number. What only the simulator knows (a crash, a freeze) has no row: a diagnosis of a run
finds it as it would in logs. Of what no log shows at all, and of how long it took, `waits_in_run` says what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set

from groupsim.diagnosis.codes import GroupType
from groupsim.diagnosis.finding import Place
from groupsim.diagnosis.moves import NO_SYNC
from groupsim.diagnosis.stopped_in_run import NEEDED, InRun, stopped_in_run
from groupsim.diagnosis.topics_in_run import NOTICED_AFTER, TOPICS, TopicsInRun
from groupsim.diagnosis.waits_in_run import Wait
from groupsim.diagnosis.workers_in_run import WorkersInRun
from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events import consumer as k
from groupsim.events import group as g
from groupsim.events.base import Event, Recorded, group_of
from groupsim.events.catalogue import CATALOGUE
from groupsim.events.tasks_as_partitions import STREAMS, as_partitions
from groupsim.events.types import LeaveCause, Partitions
from groupsim.incidents.logs.row_kinds import SHOWN, RowKind
from groupsim.incidents.logs.rows import Program, Reading, Row
from groupsim.incidents.logs.times import instant, iso

RUN = "run"
"""The name of the file of which the rows are said to be."""
EPOCH_MS = 1_577_836_800_000
"""Where a simulated run begins: only differences of its times mean something."""

_STREAMS_PROTOCOL = "stream"
"""Kafka: StreamsPartitionAssignor.name."""

Detail = dict[str, object]
_Rows = Callable[[Event], Iterable[tuple[RowKind, str | None, Detail]]]


def _one(kind: RowKind, member: Callable[[Event], str | None], detail: Callable[[Event], Detail]) -> _Rows:
    return lambda event: [(kind, member(event), detail(event))]


def _names(partitions: Partitions) -> list[str]:
    return [f"{topic}-{number}" for topic, number in partitions]


def _plan(assignment: Mapping[str, Partitions] | None) -> Detail:
    return {} if assignment is None else {"assignment": {m: _names(ps) for m, ps in assignment.items()}}


def _member(event: Event) -> str | None:
    return getattr(event, "member", None)


def _removed(event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    assert isinstance(event, c.MemberRemoved | k.ConsumerMemberRemoved)
    cause = str(event.cause)
    if cause in ("left", "removed"):
        timed_out = getattr(event, "leave_cause", None) is LeaveCause.POLL_TIMEOUT
        reason = getattr(event, "reason", None) or ("consumer poll timeout has expired" if timed_out else None)
        return [(RowKind.MEMBER_LEFT, event.member, {"reason": reason} if reason else {})]
    words = {
        "session-expired": "the member session expired.",
        "rebalance-timeout": "it failed to transition in time.",
        "sync-timeout": NO_SYNC,
    }
    return [(RowKind.MEMBER_FAILED, event.member, {"reason": words.get(cause, cause)})]


def _replaced(event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    assert isinstance(event, c.MemberReplaced | k.StaticMemberReplaced)
    detail: Detail = {"old_member": event.old, "instance": event.instance_id, "group_state": "Stable"}
    return [(RowKind.STATIC_MEMBER_REPLACED, event.member, detail)]


def _started(event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    assert isinstance(event, c.RebalanceStarted)
    said = event.reason
    if event.client_cause is not None:
        said = f"{said}; client reason: {_CLIENT_WORDS.get(event.client_cause.value, event.client_cause.value)}"
    return [(RowKind.REBALANCE_START, event.member, {"old_generation": event.generation, "reason": said})]


_CLIENT_WORDS = {"metadata-changed": "cached metadata has changed", "subscription-changed": "subscription has changed"}


def _stable(event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    assert isinstance(event, c.JoinPhaseCompleted)
    return [
        (RowKind.STABILIZED, None, {"generation": event.generation, "members": event.size, "protocol": event.protocol})
    ]


def _callback(event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    assert isinstance(event, p.CallbackStart)
    kinds = {"assigned": RowKind.ASSIGNED, "revoked": RowKind.REVOKED, "lost": RowKind.LOST}
    return [(kinds[event.kind], None, {"partitions": _names(event.partitions)})] if event.kind in kinds else []


def _tasks(kind: RowKind, event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    """Each task of an instance of Kafka Streams that restores its state, or has (Kafka: StreamTask)."""
    assert isinstance(event, p.RestoreStart | p.RestoreEnd)
    return [(kind, None, {"task": name}) for name in _names(event.partitions)]


def _started_process(event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    assert isinstance(event, p.ProcessStarted)
    detail: Detail = {"topics": list(event.topics)}
    if event.instance_id:
        detail["instance"] = event.instance_id
    return [(RowKind.CLIENT_CONFIGURED, None, {**detail, "settings": dict(event.config)})]


def _no_broker(event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    """Of requests that failed, only that not even a bootstrap server answered."""
    assert isinstance(event, p.RequestFailed)
    return [(RowKind.CLIENT_NO_BROKER, None, {})] if event.api == "Metadata" else []


def _epoch(event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    assert isinstance(event, k.GroupEpochBumped)
    changed = event.cause in (
        k.BumpCause.TOPICS_CHANGED,
        k.BumpCause.SUBSCRIPTION_CHANGED,
        k.BumpCause.EXPRESSION_CHANGED,
    )
    rows: list[tuple[RowKind, str | None, Detail]] = [
        (RowKind.GROUP_EPOCH_BUMPED, None, {"epoch": event.epoch, "metadata_hash": event.metadata_hash})
    ]
    return [*rows, (RowKind.SUBSCRIPTION_CHANGED, event.member, {})] if changed and event.member is None else rows


_TABLE: dict[type[Event], _Rows] = {
    c.MemberIdIssued: _one(RowKind.MEMBER_ID_CREATED, _member, lambda e: {}),
    c.MemberAdded: _one(RowKind.PENDING_MEMBER_JOINS, _member, lambda e: _instance(e)),
    c.MemberReplaced: _replaced,
    c.MemberRemoved: _removed,
    c.PendingMemberRemoved: lambda e: _pending(e),
    c.RebalanceStarted: _started,
    c.JoinPhaseCompleted: _stable,
    c.AssignmentStored: _one(
        RowKind.ASSIGNMENT_RECEIVED,
        lambda e: None,
        lambda e: {"generation": e.generation},  # type: ignore[attr-defined]
    ),
    g.GroupEmptied: _one(RowKind.GROUP_EMPTY, lambda e: None, lambda e: {"generation": e.generation}),  # type: ignore[attr-defined]
    g.CoordinatorUnloaded: _one(RowKind.BROKER_UNLOADED, lambda e: None, lambda e: {}),
    g.CoordinatorLoaded: _one(RowKind.GROUP_LOADED, lambda e: None, lambda e: {}),
    k.ConsumerMemberUpdated: _one(RowKind.MEMBER_JOINED, _member, lambda e: _instance(e)),
    k.ConsumerMemberRemoved: _removed,
    k.StaticMemberReplaced: _replaced,
    k.StaticMemberAway: _one(RowKind.MEMBER_LEFT, _member, lambda e: {"what": "temporarily left"}),
    k.GroupEpochBumped: _epoch,
    k.TargetComputed: _one(RowKind.TARGET_ASSIGNMENT, lambda e: None, lambda e: {"epoch": e.epoch}),  # type: ignore[attr-defined]
    k.GroupUpgraded: _one(RowKind.GROUP_CONVERTED, lambda e: None, lambda e: {"to": "consumer"}),
    k.GroupDowngraded: _one(RowKind.GROUP_CONVERTED, lambda e: None, lambda e: {"to": "classic"}),
    p.ProcessStarted: _started_process,
    p.CoordinatorFound: _one(RowKind.COORDINATOR_FOUND, lambda e: None, lambda e: {}),
    p.CoordinatorLost: _one(RowKind.COORDINATOR_LOST, lambda e: None, lambda e: {"reason": e.cause}),  # type: ignore[attr-defined]
    p.RequestFailed: _no_broker,
    p.RejoinRequested: _one(RowKind.REJOIN_REQUESTED, lambda e: None, lambda e: {"reason": e.reason}),  # type: ignore[attr-defined]
    p.JoinSent: _one(RowKind.JOINING, lambda e: _member(e) or None, lambda e: {}),  # its own id, where it has one
    p.JoinOk: _one(RowKind.JOINED, _member, lambda e: {"generation": e.generation, "protocol": e.protocol}),  # type: ignore[attr-defined]
    p.SyncOk: _one(RowKind.SYNCED, _member, lambda e: {"generation": e.generation}),  # type: ignore[attr-defined]
    p.GenerationReset: _one(RowKind.GENERATION_RESET, lambda e: None, lambda e: {"reason": e.reason}),  # type: ignore[attr-defined]
    p.CallbackStart: _callback,
    p.PollExpired: _one(RowKind.POLL_TIMEOUT, lambda e: None, lambda e: {}),
    p.LeaveSent: _one(RowKind.LEAVE_SENT, _member, lambda e: {"reason": e.reason}),  # type: ignore[attr-defined]
    p.Closed: _one(RowKind.CLIENT_CLOSED, lambda e: None, lambda e: {}),
    p.CommitFailed: _one(RowKind.COMMIT_FAILED, lambda e: None, lambda e: {"error": e.error, "local": e.local}),  # type: ignore[attr-defined]
    p.Failed: _one(RowKind.CLIENT_FATAL, lambda e: None, lambda e: {"error": e.error}),  # type: ignore[attr-defined]
}
"""What each fact says, as the rows of a log. Facts of other types say nothing of membership."""


_OF_STREAMS: dict[type[Event], _Rows] = {
    p.RestoreStart: lambda e: _tasks(RowKind.TASK_CREATED, e),
    p.RestoreEnd: lambda e: _tasks(RowKind.TASK_RUNNING, e),
}
"""The same of facts that say something of an application of Kafka Streams, after its start-up."""


_READ = frozenset(_TABLE) | frozenset(_OF_STREAMS) | frozenset(TOPICS) | STREAMS
FACTS = tuple(tag for tag, kind in CATALOGUE.items() if kind in _READ or tag in NEEDED)
"""Tags of the facts that a diagnosis reads."""


class RunReading(Reading):
    """A run as a reading. `in_run`: what its facts say of the time in which groups were stopped; `origin_ms`: its
    begin, UTC ms.
    """

    in_run: InRun = InRun()
    origin_ms: int = EPOCH_MS

    def waits(self, group: str | None) -> tuple[Wait, ...] | None:
        """What partitions of a group waited for that no log shows, by UTC instants; None: that is not known."""
        if self.in_run.waits is None:
            return None
        found = self.in_run.waits.get(group or "", ())
        return tuple(
            wait._replace(from_ms=self.origin_ms + wait.from_ms, to_ms=self.origin_ms + wait.to_ms) for wait in found
        )

    @property
    def end_ms(self) -> int | None:
        """When the run ends, UTC ms: an outage may last until then, long after the last line of a group."""
        return None if self.in_run.end_ms is None else self.origin_ms + self.in_run.end_ms


def _is_of_streams(event: Event) -> bool:
    """Whether an instance of Kafka Streams joined by the classic protocol."""
    return isinstance(event, p.JoinOk) and event.protocol == _STREAMS_PROTOCOL


def _instance(event: Event) -> Detail:
    instance = getattr(event, "instance_id", None)
    return {"instance": instance} if instance else {}


def _pending(event: Event) -> Iterable[tuple[RowKind, str | None, Detail]]:
    assert isinstance(event, c.PendingMemberRemoved)
    return [(RowKind.BROKER_PENDING_EXPIRED, event.member, {})] if event.cause == "expired" else []


def reading_of(facts: Iterable[Recorded], origin_ms: int | None = None) -> RunReading:
    """The rows of a run. `origin_ms`: when one that was recorded began, UTC milliseconds since 1970; None: it was
    simulated, so all its facts are known.
    """
    raw = list(facts)
    streams = {group_of(fact.stream) for fact in raw if type(fact.event) in STREAMS}
    applications = streams | {group_of(fact.stream) for fact in raw if _is_of_streams(fact.event)}
    facts = list(as_partitions(raw))
    in_run = stopped_in_run(facts)
    in_run = in_run if origin_ms is None else in_run._replace(waits=None)
    origin_ms = EPOCH_MS if origin_ms is None else origin_ms
    begin_ms = {group: ms for group, ms in in_run.worked_ms.items() if group in applications and ms is not None}
    rows: list[Row] = []
    context: list[Row] = []
    joined: set[str] = set()
    names: dict[str, str] = {}
    topics, workers = TopicsInRun(), WorkersInRun()
    for fact in facts:
        topics.see(fact)
        workers.see(fact)
        group = group_of(fact.stream)
        said = _TABLE.get(type(fact.event))
        if said is None and group in begin_ms and fact.at_ms >= begin_ms[group]:
            said = _OF_STREAMS.get(type(fact.event))
        if said is None or group is None:
            continue
        if isinstance(fact.event, k.ConsumerMemberUpdated):
            if fact.event.member in joined:  # it changed what it said, or speaks the other protocol
                continue
            joined.add(fact.event.member)
        if isinstance(fact.event, p.ProcessStarted):
            names[fact.event.process] = fact.event.client_id
        client = names.get(fact.event.process, fact.event.process) if isinstance(fact.event, p.ClientEvent) else None
        program = None if client is not None else Program.BROKER
        of_type = {"group_type": GroupType.STREAMS.value} if client is None and group in streams else {}
        for kind, member, detail in workers.instead(group, fact.event, said(fact.event)):
            if kind is RowKind.REJOIN_REQUESTED:
                detail = {**detail, **topics.noticed(group, fact.event, fact.at_ms)}
            detail = {**detail, **of_type}
            row = Row(RUN, fact.seq, iso(origin_ms + fact.at_ms), kind, group, member, client, detail, program)
            (rows if kind in SHOWN else context).append(row)
    return RunReading(files=(RUN,), origins=(RUN,), rows=rows, context=context, in_run=in_run, origin_ms=origin_ms)


def texts_of(reading: RunReading, places: Set[Place]) -> dict[Place, str]:
    """The facts of a run in words, by their places: when, as `groupsim show` counts it, what, which member, and why."""
    waits = (wait for waits in (reading.in_run.waits or {}).values() for wait in waits)
    stops = {
        Place(RUN, seq): f"{at:,} ms: process {what}, {wait.client}"
        for wait in waits
        for seq, at, what in zip(wait.facts, (wait.from_ms, wait.to_ms), ("stopped", "no longer stopped"), strict=False)
    }
    said = {
        place: _in_words(row, reading.origin_ms)
        for row in (*reading.rows, *reading.context)
        if (place := Place(row.file, row.line)) in places
    }
    return {place: text for place, text in stops.items() if place in places} | said


def _in_words(row: Row, origin_ms: int) -> str:
    detail = {name: value for name, value in row.detail.items() if type(value) in (str, int)}
    why = detail.pop("reason", None) or detail.pop("error", None)
    late = detail.pop(NOTICED_AFTER, None)
    why = f"{why}, {late:,} ms after it grew" if isinstance(late, int) else why
    said = [f"{name.replace('_', ' ')} {value}" for name, value in detail.items() if value != ""]
    what = ", ".join([row.kind.value.replace("_", " "), *filter(None, [row.client or row.member]), *said])
    at = "" if row.at is None else f"{instant(row.at) - origin_ms:,} ms: "
    return f"{at}{what}" + (f": {why}" if why else "")
