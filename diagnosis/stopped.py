"""How long nobody in a group could take records: bounds that need no number of partitions.

Each source says when it was surely so, and when perhaps: a broker's lines (`stopped_by_broker`), what the account of
the clients' lines leaves open (`held`), and when no client that has a log reached any broker. A start-up counts above
and not below; what comes after the last member counts in neither.
"""

from __future__ import annotations

from groupsim.diagnosis.finding import Bounds
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.held import Held, held
from groupsim.diagnosis.stopped_by_broker import Stops, stops_by_broker
from groupsim.incidents.account.spans import INF, Span, Spans, both, length, union, without
from groupsim.incidents.logs.row_kinds import RowKind

_STEPWISE = frozenset(["compatible", "sessioned", "v0", "v1", "stream"])
"""Protocols of Connect (KIP-415) and Kafka Streams (since 2.4, KIP-429) under which members keep what does not move."""
_BROKERS = (RowKind.COORDINATOR_LOST, RowKind.CLIENT_NO_BROKER, RowKind.COORDINATOR_FOUND)
"""Lines of a client about the brokers that it reaches."""
_COMES = (
    RowKind.JOINING,
    RowKind.JOINED,
    RowKind.SYNCED,
    RowKind.REBALANCE_START,
    RowKind.MEMBER_ID_CREATED,
    RowKind.MEMBER_JOINED,
    RowKind.STABILIZED,
    RowKind.ASSIGNMENT_RECEIVED,
)
"""Each shows a live member that wants its part."""


def stopped(log: GroupLog) -> Bounds | None:
    """At least and at most, in ms; None where nothing shows it."""
    if log.stopped_ms is not None or log.begin is None or log.end is None:
        return log.stopped_ms
    whole = (log.begin, log.end)
    broker, clients = stops_by_broker(log, _gives_up_all(log)), held(log)
    if broker is None and clients is None:
        return None
    perhaps = _perhaps(broker, clients, whole)
    surely = _surely(log, broker, clients, whole)
    least, most = length(surely, *whole), length(union(perhaps, surely, _without_broker(log, whole)), *whole)
    if broker is None and clients is not None and not clients.surely and not most:
        return None  # whoever has partitions is in no line
    return least, most


def _without_broker(log: GroupLog, whole: Span) -> Spans:
    """When all clients that have a log had lost their coordinator, and no bootstrap server answered them either.

    What they hold is on paper alone then. Whoever has no log may have reached a broker.
    """
    found: Spans = [whole] if log.of(RowKind.CLIENT_NO_BROKER) else []
    for lines in log.clients.values() if found else ():
        spans: list[Span] = []
        waits: dict[RowKind, int] = {}
        for line in lines:
            if line.at is None or line.row.kind not in _BROKERS:
                continue
            if line.row.kind is not RowKind.COORDINATOR_FOUND:
                waits.setdefault(line.row.kind, line.at)
                continue
            if len(waits) == 2:
                spans.append((min(waits.values()), line.at))
            waits = {}
        if len(waits) == 2:
            spans.append((min(waits.values()), whole[1]))
        found = both(found, union(spans))
    return found


def eager(log: GroupLog) -> bool | None:
    """Whether members give up everything in each rebalance; None if no line shows the assignor."""
    steps = _steps(log)
    return None if not steps else not any(steps)


def _gives_up_all(log: GroupLog) -> bool | None:
    """The same; None also if the group has both in its time."""
    steps = _steps(log)
    return None if len(steps) != 1 else not steps.pop()


def _steps(log: GroupLog) -> set[bool]:
    protocols = {str(line.row.detail.get("protocol")) for line in log.of(RowKind.JOINED, RowKind.SYNCED)}
    return {"cooperative" in name or name in _STEPWISE for name in protocols - {"None", ""}}


def _perhaps(broker: Stops | None, clients: Held | None, whole: Span) -> Spans:
    """Where a broker saw the group, when it says so; else always, but while a client surely had partitions."""
    found: Spans
    if broker is None:
        found = [whole]
    elif clients is None:
        found = broker.perhaps
    else:
        found = union(broker.perhaps, without([whole], [broker.seen]))
    return found if clients is None else without(found, clients.surely)


def _surely(log: GroupLog, broker: Stops | None, clients: Held | None, whole: Span) -> Spans:
    """Not before anybody had anything, and last until a member is heard of that wants its part."""
    found: Spans = [] if broker is None else broker.surely
    if clients is not None:
        first = min((since for since, _ in clients.surely), default=INF)
        found = without(union(found, without([(first, whole[1])], clients.perhaps)), clients.surely)
    end = max((line.at for line in log.of(*_COMES) if line.at is not None), default=-INF)
    return both(found, [(whole[0], end)])
