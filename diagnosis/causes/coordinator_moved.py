"""The coordinator's broker stopped, restarted, moved or loads the group."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise

from groupsim.diagnosis.cause import Cause, Message, evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import is_new
from groupsim.diagnosis.not_stored import not_stored
from groupsim.diagnosis.rebalances import rebalanced_times
from groupsim.diagnosis.said import Said, lost_membership
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often, ranged
from groupsim.wording.times import duration

_MOVED = re.compile(
    r"NOT_COORDINATOR|not the correct coordinator|not coordinated by this broker|Not Coordinator For Group"
    r"|(?<!JoinGroup error: )Broker: (?:Not coordinator|(?:Group c|C)oordinator (?:not available|load in progress))"
    r"|COORDINATOR_LOAD|is loading|COORDINATOR_NOT_AVAILABLE|Group (?:Load In Progress|Coordinator Not Available)"
    r"|isconnect(?!ed=false)"
    r"|unavailable or invalid|coordinator is not available|another broker is the coordinator|marking the coordinator"
)
_ANSWERED = re.compile(
    r"NOT_COORDINATOR|not the correct coordinator|not coordinated by this broker|Broker: Not coordinator"
    r"|Not Coordinator For Group|another broker is the coordinator"
)
"""A broker that is there says that it is not the group's coordinator."""
_SAYS = frozenset(
    [RowKind.BROKER_LIFECYCLE, RowKind.COORDINATOR_LIFECYCLE, RowKind.GROUP_LOADED, RowKind.BROKER_UNLOADED]
)
_LOSES = frozenset(
    [RowKind.COORDINATOR_LOST, RowKind.JOIN_FAILED, RowKind.REBALANCE_FAILED, RowKind.COMMIT_FAILED,
     RowKind.REJOIN_REQUESTED, RowKind.GENERATION_RESET, RowKind.CLIENT_HEARTBEAT_REFUSED]
)  # fmt: skip
_COMES = frozenset(
    [RowKind.MEMBER_ID_CREATED, RowKind.MEMBER_JOINED, RowKind.STABILIZED, RowKind.ASSIGNMENT_RECEIVED,
     RowKind.STATIC_MEMBER_REPLACED]
)  # fmt: skip
"""Lines of a broker after which its group has members."""
_LOADED = (RowKind.GROUP_LOADED, *_COMES)
"""Lines of a broker that coordinates the group again."""
_AT_WORK = (RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED, RowKind.WORKER_ASSIGNED)
_FOUND = (RowKind.COORDINATOR_FOUND, *_AT_WORK)
"""Lines of a client that has a coordinator again."""
_HAS_ITS_PART = (RowKind.ASSIGNED, RowKind.WORKER_ASSIGNED)
_DO = (
    Remedy("see in the broker's log why it stopped; where there are several brokers,"
           " restart one at a time, with a controlled shutdown", brief="look at the broker, not at the clients"),
)  # fmt: skip

_DO_OFTEN = (
    Remedy(
        "read more of the broker's log, from some time after it loaded the group: its lines Preparing to rebalance say"
        " who makes the group rebalance so often",
        brief="read more of the broker's log",
    ),
)
_DO_NOTHING = (Remedy("nothing to change, if the broker was meant to stop", brief="nothing is to be changed"),)
_NOT_BACK = "; it is not back in these lines"
_AGAIN = 3
_STILL_AFTER_MS = 5_000
"""A client finds its coordinator again sooner, if it is there."""
_STILL = "was still gone at the end"
_IDLE = "the group's broker stopped or started while the group had no members: nobody lost a coordinator"


def _find(log: GroupLog) -> Finding | None:
    if (found := not_stored(log)) is not None:
        return found
    founded = _founded(log)
    broker = [line for line in log.broker if line.row.kind in _SAYS and line.nth >= founded]
    clients = _losses(log)
    no_broker = log.of(RowKind.CLIENT_NO_BROKER)
    of_nobody = log.group is None and all(line.row.kind in _SAYS for line in log.broker)
    if not clients and len(no_broker) < 2 and (not broker or of_nobody):  # a broker that starts, and no group
        return _lost_once(log)
    held = _of_members(log, broker)
    idle = bool(broker) and not held and not clients and not no_broker
    lines = [line for line in held if _shuts_down(line)] or held or broker
    lines = sorted(lines + clients + no_broker, key=lambda line: line.nth)
    back = _is_back(log, held, clients)
    shown = bool(held) or any(_ANSWERED.search(line.reason) for line in clients)
    heard = Certainty.SHOWN if shown else Certainty.LIKELY
    return Finding(
        code=Code.COORDINATOR_MOVED,
        certainty=Certainty.POSSIBLE if idle else heard,
        what=_IDLE if idle else _sentence(log, held or broker, clients),
        times=1,
        evidence=evidence_of(lines if back is None else [lines[0], back, *lines[1:]]),
        do=_DO_NOTHING if idle else _DO_OFTEN if _rebalanced_times(log, held or broker) else _DO,
        confirm=None if broker else "the broker's own log of that time",
        here="" if idle else _here(held or broker, clients),
        still=_still(log, held or broker, clients) if back is None else "",
        harm_ms=0 if idle else 12_000,
    )


def _lost_once(log: GroupLog) -> Finding | None:
    """A client that lost its coordinator and does not say why: a connection that was idle for long is closed, too."""
    alone = [] if log.said else [line for line in log.troubles if "no longer coordinator" in line.reason]
    lost = log.of(RowKind.COORDINATOR_LOST) or alone
    if not lost or lost[0].client is None or any(map(lost_membership, log.said)):
        return None
    if _next(lost[-1], log.clients.get(lost[0].client, []), _AT_WORK) is not None:  # it has joined since
        return None
    (who,) = log.called([str(lost[0].client)])
    return Finding(
        code=Code.COORDINATOR_MOVED,
        certainty=Certainty.POSSIBLE,
        what=f"{who} lost its coordinator, and does not say why: its broker, or only an idle connection",
        evidence=evidence_of(lost),
        do=_DO,
        confirm="the broker's own log of that time",
        here="its broker could not be reached",
        harm_ms=1_000,
    )


def _of_members(log: GroupLog, broker: list[Said]) -> list[Said]:
    """What a broker said of itself while the group had members, or may have had: else nobody lost a coordinator."""
    changes = log.of(RowKind.GROUP_EMPTY, *_COMES)
    numbers = [change.nth for change in changes]
    founded_empty = bool(changes) and changes[0].row.detail.get("group_state") == "Empty"
    loads = [line.nth for line in log.of(RowKind.GROUP_LOADED) if founded_empty and line.nth < numbers[0]]
    held = []
    for line in broker:
        place = bisect_left(numbers, line.nth)
        if place:
            empty = changes[place - 1].row.kind is RowKind.GROUP_EMPTY
        else:
            empty = founded_empty and (not loads or loads[-1] <= line.nth)
        if not empty:
            held.append(line)
    return held


def _shuts_down(line: Said) -> bool:
    return "shut" in str(line.row.detail.get("what", "")).lower()


def _founded(log: GroupLog) -> int:
    """The number of the line with which a new group begins: a broker that starts before it takes it from nobody."""
    first = next((line for line in log.said if line.row.kind not in _SAYS), None)
    new = is_new(log) and not log.of(RowKind.GROUP_LOADED)
    return first.nth if first is not None and new else 0


def _losses(log: GroupLog) -> list[Said]:
    """Lines of members that lost their coordinator; before its first assignment, a client only waits for one."""
    found = []
    for said in log.clients.values():
        starts = any(line.row.kind in (RowKind.CLIENT_SUBSCRIBED, RowKind.CLIENT_CONFIGURED) for line in said)
        first = next((line.nth for line in said if line.row.kind in _HAS_ITS_PART), said[-1].nth + 1)
        lost = [line for before, line in pairwise([said[0], *said]) if _lost(line) and not _gave_up(before)]
        settled = [line for line in lost if line.nth > first]
        once = said[0].row.kind is RowKind.COORDINATOR_FOUND and len(lost) == 1
        began = once and _next(lost[0], said, _AT_WORK) is not None  # it found another one, and joined
        gone = [line for line in said if line.row.kind is RowKind.COORDINATOR_LOST and not lost_membership(line)]
        never = first > said[-1].nth and len(gone) >= _AGAIN  # a client that starts waits once, not again and again
        found += gone if never else settled if starts or began else lost
    silent = all(not line.reason or line.reason.startswith("null") for line in found)
    if log.of(RowKind.WORKER_REVOKED_ITSELF):  # a Connect worker does so when it can't reach its coordinator
        return found
    return [] if silent and len(found) < 2 else found


def _gave_up(line: Said) -> bool:
    """Whether a client of Python says that no heartbeat was answered: that it marks the coordinator dead follows."""
    return line.row.kind is RowKind.SESSION_EXPIRED


def _lost(line: Said) -> bool:
    if line.row.kind not in _LOSES:
        return False
    if line.row.kind is RowKind.COORDINATOR_LOST and (not line.reason or line.reason.startswith("null")):
        return True  # older clients give no cause
    answered = line.row.kind is RowKind.COORDINATOR_LOST and _ANSWERED.search(line.reason) is not None
    return answered or (_MOVED.search(line.reason) is not None and "session timed out" not in line.reason)


def _sentence(log: GroupLog, broker: list[Said], clients: list[Said]) -> str:
    down = [line for line in broker if _shuts_down(line)]
    if down:
        went_on = any(line.nth > down[-1].nth for line in log.said if line.row.kind not in _SAYS)
        back = _lasted(down[0], _next(down[0], log.broker, _LOADED))
        after = f"its coordinator was back after {duration(back)}" if back else "went on when its coordinator was back"
        return f"the group's broker{_id(down[0])} was shut down{f', and {after}' if went_on else _NOT_BACK}"
    if (away := _away(log, broker)) is not None:
        return away
    if any(line.row.kind is RowKind.GROUP_LOADED for line in broker):
        if number := _rebalanced_times(log, broker):
            often = f"{log.group or 'the group'} rebalances so often ({number:,} times since it was made)"
            return f"these lines do not show why {often}, only that this broker became its coordinator"
        return "the broker loaded the group: it had just started, or became its coordinator"
    if broker:
        return "the group's coordinator was stopped or moved to another broker"
    return _lost_by_clients(log, clients)


def _here(broker: list[Said], clients: list[Said]) -> str:
    """What a broker did, where the coordinator did not move to another one."""
    if any(line.row.kind is RowKind.BROKER_UNLOADED for line in broker):
        return ""
    if any(map(_shuts_down, broker)):
        return "its broker was shut down"
    if any("start" in str(line.row.detail.get("what", "")).lower() for line in broker):
        return "its broker was started"
    if broker:
        return "a broker loaded the group"
    return "" if any(_ANSWERED.search(line.reason) for line in clients) else "its broker could not be reached"


def _still(log: GroupLog, broker: list[Said], clients: list[Said]) -> str:
    """That the coordinator is not back, as the sentence about it says."""
    if not _sentence(log, broker, clients).endswith(_NOT_BACK):
        return ""
    lost = (broker or clients)[0].at
    if lost is not None and log.end is not None and log.end - lost < _STILL_AFTER_MS:
        return ""
    return f"{'its broker' if len(log.clients) == 1 else 'the broker'} {_STILL}"


def _rebalanced_times(log: GroupLog, broker: list[Said]) -> int:
    """How often a group that was only loaded has rebalanced before; 0 where that is nothing to speak of."""
    loaded = any(line.row.kind is RowKind.GROUP_LOADED for line in broker)
    known = any(_shuts_down(line) for line in broker) or _away(log, broker) is not None
    return rebalanced_times(log.said) if loaded and not known else 0


def _lost_by_clients(log: GroupLog, clients: list[Said]) -> str:
    outages = _outages(log, clients)
    who = log.called(str(line.client) for line in clients)
    lost_it = f"{who[0]} lost its" if len(who) == 1 else "the clients lost their"
    times = len(outages) if len(who) == 1 else 1
    found = [back is not None and back.row.kind is RowKind.COORDINATOR_FOUND for _, back in outages]
    lasted = [ms for lost, back in outages if (ms := _lasted(lost, back)) is not None] if all(found) else []
    away = f" {times} times" if times > 1 else ""
    if lasted and times > 1:
        away += f", for {duration(sum(lasted))} in all"
    elif lasted and lasted[0]:
        away = f" for {duration(lasted[0])}"
    last = [back for _, back in {str(lost.client): (lost, back) for lost, back in outages}.values()]
    state = "" if not last else "; then it was found again" if all(last) else _NOT_BACK
    if any(last) and not all(last):
        state = "; not all of them found it again in these lines"
    answered = all(_ANSWERED.search(line.reason) for line in clients)
    why = "was not the coordinator any more" if answered else "was stopped, restarted or could not be reached"
    return f"{lost_it} coordinator{_address(clients)}{away}: its broker {why}{state}"


def _id(line: Said) -> str:
    """` 1`: the broker that a line of it names; else nothing."""
    broker = line.row.detail.get("broker")
    return f" {broker}" if isinstance(broker, str) else ""


def _address(clients: list[Said]) -> str:
    """` broker1:9092`: the coordinator that clients say they lost, if they name only one; else nothing."""
    said = {str(found) for line in clients if (found := line.row.detail.get("coordinator")) is not None}
    address = next(iter(said)).partition(" ")[0] if len(said) == 1 else ""
    return f" {address}" if address else ""


def _outages(log: GroupLog, clients: list[Said]) -> list[tuple[Said, Said | None]]:
    """The line with which a client lost its coordinator, and the one that shows that it has one again."""
    found: dict[tuple[str, int | None], tuple[Said, Said | None]] = {}
    for lost in clients:
        name = str(lost.client)
        back = _next(lost, log.clients[name], _FOUND)
        found.setdefault((name, None if back is None else back.nth), (lost, back))
    return list(found.values())


def _how_often(lasted: list[int | None]) -> str:
    """` for 200 ms`, ` 5 times, for 180 ms to 1.2 s each`; of several only the first where not all are known."""
    known = [ms for ms in lasted if ms is not None]
    if len(lasted) == 1:
        return f" for {duration(known[0])}"
    times = often(len(lasted))
    if len(known) < len(lasted):
        return f"{times}, the first time for {duration(known[0])}"
    return f"{times}, for {ranged(duration(min(known)), duration(max(known)))} each"


def _is_back(log: GroupLog, held: list[Said], clients: list[Said]) -> Said | None:
    """The line that shows that the coordinator was back after it was lost for the first time."""
    gone = [line for line in held if _shuts_down(line) or line.row.kind is RowKind.BROKER_UNLOADED]
    if held:
        return _next(gone[0], log.broker, _LOADED) if gone else None
    return _next(clients[0], log.clients[str(clients[0].client)], _FOUND) if clients else None


def _away(log: GroupLog, broker: list[Said]) -> str | None:
    """For how long the same broker did not coordinate the group: it unloaded and loaded it, or was started again."""
    unloaded = [line for line in broker if line.row.kind is RowKind.BROKER_UNLOADED]
    left = unloaded[0] if unloaded else None
    lasted = [_lasted(line, _next(line, log.broker, (RowKind.GROUP_LOADED,))) for line in unloaded]
    if lasted and lasted[0] is not None:
        return f"the group's coordinator was away{_how_often(lasted)} (stopped, or moved to another broker)"
    starts = next((line for line in broker if "start" in str(line.row.detail.get("what", "")).lower()), None)
    before = [] if starts is None else [line.at for line in log.broker if line.nth < starts.nth and line.at is not None]
    if left is not None or starts is None or starts.at is None or not before:
        return None
    away = duration(starts.at - before[-1])
    return f"the group's broker{_id(starts)} was started again, after it was away for at most {away}"


def _next(after: Said, lines: list[Said], kinds: tuple[RowKind, ...]) -> Said | None:
    return next((line for line in lines if line.nth > after.nth and line.row.kind in kinds), None)


def _lasted(lost: Said, back: Said | None) -> int | None:
    """From one line to another, in ms; None without times, or if there is no other."""
    return None if back is None or back.at is None or lost.at is None else back.at - lost.at


CAUSE = Cause(
    code=Code.COORDINATOR_MOVED,
    title="Coordinator moved or restarted",
    means="The broker that coordinates the group stopped, restarted, or gave the group to another broker. Members go on"
    " reading where they can, but cannot commit or rebalance until they find the coordinator again.",
    seen=(
        Message("Broker", "Loading group metadata …, Unloading group metadata …, Shutting down"),
        Message("Broker", "error when storing group assignment during SyncGroup"),
        Message("Java", "Group coordinator … is unavailable or invalid due to cause: coordinator unavailable"),
        Message("Java", "This is not the correct coordinator"),
        Message("librdkafka", "Broker: Not coordinator"),
        Message("Sarama", "Request was for a consumer group that is not coordinated by this broker"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a consumer is stuck",),
)
