"""How long a process was frozen, or may have been, before it heard that its session had ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Departure, Going
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.waits_in_run import How, Wait
from groupsim.incidents.account.spans import Span
from groupsim.incidents.facts.typed_fields import int_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

_NEAR_MS = 5_000
_SILENT_MS = 2_000
"""A longer gap before a process hears of the loss is more than a heartbeat that is late."""


def silence_ms(log: GroupLog, departure: Departure) -> int:
    """How long its own log is silent before it hears of the loss; 0 without a log of it, or without times."""
    own = next((line for line in departure.said if line.client is not None), None)
    if own is None or own.at is None:
        return 0
    before = [line.at for line in log.clients[departure.who] if line.nth < own.nth and line.at is not None]
    return own.at - max(before) if before else 0


def is_silent(log: GroupLog, departure: Departure) -> bool:
    """Whether its own log has a gap of seconds before it hears of the loss."""
    return silence_ms(log, departure) > _SILENT_MS


def idle_lines(log: GroupLog, gone: Sequence[Departure]) -> list[tuple[Said, int]]:
    """The lines in which a client says how long its connection to the coordinator was idle, and for how long:
    heartbeats go over it.
    """
    return [
        (line, ms)
        for line in log.of(RowKind.CONNECTION_IDLE)
        if line.at is not None
        and _heard(line.at, gone) is not None
        and (ms := int_in(line.row.detail.get("idle_ms"))) is not None
    ]


def known_freezes(log: GroupLog, gone: Sequence[Departure]) -> list[Wait]:
    """When the processes of these departures were frozen, by the facts of a run; nothing unless all of them were."""
    found = [next((w for w in log.waits or () if w.how is How.FROZEN and meanwhile(w, each)), None) for each in gone]
    known = [wait for wait in found if wait is not None]
    return known if len(known) == len(gone) else []


def meanwhile(wait: Wait, departure: Departure) -> bool:
    """Whether the coordinator removed the member while it waited."""
    at = departure.removed.at
    return wait.client == departure.who and at is not None and wait.from_ms <= at <= wait.to_ms


def frozen(log: GroupLog) -> Mapping[tuple[str, int], list[Span]]:
    """When a process was frozen, by the file and the line in which it hears that its session had ended."""
    gone = [d for d in log.departures if d.going is Going.EXPIRED]
    found: dict[tuple[str, int], list[Span]] = defaultdict(list)
    for idle, ms in idle_lines(log, gone):
        if idle.at is not None and (heard := _heard(idle.at, gone)) is not None:
            found[heard.row.file, heard.row.line].append((idle.at - ms, idle.at))
    return found


def _heard(at: int, gone: Sequence[Departure]) -> Said | None:
    """The line of a client that hears at about that time that its session had ended."""
    lines = (line for departure in gone for line in departure.said if line.client is not None)
    return next((line for line in lines if line.at is not None and abs(line.at - at) < _NEAR_MS), None)


def stopped_alone(log: GroupLog, gone: Sequence[Departure]) -> bool:
    """Whether workers of Connect say that they stopped what they ran, as they found no coordinator: they lived on."""
    said = {line.client for line in log.of(RowKind.WORKER_REVOKED_ITSELF)}
    return bool(gone) and all(d.who in said for d in gone)


def stood_still(log: GroupLog, departure: Departure) -> bool:
    """Whether its own log has a gap before it hears of the loss; a simulated run knows. kafka-python sees by its own
    clock that no answer came, also where the network or the broker is what stopped (its HeartbeatThread).
    """
    if log.waits is not None:
        return bool(known_freezes(log, [departure]))
    first = departure.first.row
    own_watch = first.kind is RowKind.SESSION_EXPIRED and first.program is Program.KAFKA_PYTHON
    return is_silent(log, departure) and (not own_watch or bool(idle_lines(log, [departure])))
