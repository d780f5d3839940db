"""Members close and come back one after the other while others stay: a deploy."""

from __future__ import annotations

from groupsim.diagnosis.cause import STEPWISE, Cause, Message, evidence_of, hedged, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import UNNAMED, membership
from groupsim.diagnosis.moves import Departure, Join
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.stopped import eager
from groupsim.diagnosis.times import between
from groupsim.incidents.logs.client_libraries import client_of
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often

_DO = (
    Remedy(
        "give each member a group.instance.id and a session.timeout.ms longer than a restart: then a restart moves no"
        " partition",
        ("group.instance.id", "session.timeout.ms"),
        trial=(("membership", "static"),),
        needs="group.instance.id",
        brief="use group.instance.id",
    ),
    STEPWISE,
    Remedy(
        "or use a shorter heartbeat.interval.ms: a member hears of a rebalance, and of what it is given, at its next"
        " heartbeat",
        ("heartbeat.interval.ms",),
        brief="use a shorter heartbeat.interval.ms",
        trial=(("heartbeat.interval.ms", "500"),),
    ),
)
_OF_EAGER_WORKERS = (
    Remedy(
        "set connect.protocol=sessioned on all workers (the default since Kafka 2.4), or leave it out: with eager, all"
        " workers stop all connectors and tasks in each rebalance of a roll",
        ("connect.protocol",),
        brief="set connect.protocol=sessioned, the default",
    ),
)
_OF_WORKERS = (
    Remedy(
        "lower scheduled.rebalance.max.delay.ms, to 0 unless connectors are slow to get ready: what a worker had has no"
        " worker until the delay ends, also when that worker is back",
        ("scheduled.rebalance.max.delay.ms",),
        brief="lower scheduled.rebalance.max.delay.ms",
    ),
)
_STATIC = (
    Remedy(
        "nothing is wrong; keep session.timeout.ms longer than a restart, and restarts short: until a member is back,"
        " nobody reads its partitions",
        ("session.timeout.ms", "group.instance.id"),
        brief="keep session.timeout.ms longer than a restart takes",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    found = membership(log)
    several = len(names(d.who for d, _ in found.emptied)) > 1
    back = found.back + (found.emptied if several else [])
    if not back:
        return None
    unnamed = all(client_of(d.who) is None for d, _ in back) and log.type in UNNAMED
    who = names(d.who for d, _ in back)
    said = [line for d, a in back for line in (d.first, a.said)]
    static = all(d.kept_its_place for d, _ in back)
    return Finding(
        code=Code.ROLLING_RESTART,
        certainty=Certainty.POSSIBLE if unnamed or (static and len(who) == 1) else Certainty.LIKELY,
        what=_of_static(log, back) if static else _sentence(log.called(who), len(back), between(said), unnamed=unnamed),
        members=() if unnamed else who,
        times=len(back),
        evidence=evidence_of(said),
        do=_STATIC if static else _remedies(log),
        here="one member restarted" if len(who) == 1 and not unnamed else "",
        confirm=None if static else "the deployment's own log of when each process was stopped and started",
        harm_ms=3_000 * len(back),
    )


def _remedies(log: GroupLog) -> tuple[Remedy, ...]:
    if log.type is GroupType.CONNECT:
        if eager(log):
            return _OF_EAGER_WORKERS
        given = log.of(RowKind.WORKER_ASSIGNED)
        return () if given and not any(line.row.detail.get("delay_ms") for line in given) else _OF_WORKERS
    return hedged(log, _DO)


def _of_static(log: GroupLog, back: list[tuple[Departure, Join]]) -> str:
    """Restarts of static members; and that they cost no rebalance, unless one began with a return."""
    who = log.called(d.who for d, _ in back)
    own, was = ("their", "were") if len(who) > 1 else ("its", "was")
    starts = [r.start for r in log.rebalances if r.start is not None]
    caused = any(_follows(start, join.said) for start in starts for _, join in back)
    nothing = "" if caused else ": nothing was rebalanced for it"
    return f"{one_or_many(who, 'static members')} {was} restarted within {own} session{nothing}"


def _follows(start: Said, join: Said) -> bool:
    """Whether a rebalance begins right after a member came back."""
    if start.at is None or join.at is None:
        return 0 < start.nth - join.nth <= 3
    return start.nth > join.nth and start.at - join.at < 1_000


def _sentence(who: tuple[str, ...], times: int, lasted: str, *, unnamed: bool) -> str:
    if unnamed:
        return f"{times} members left and others joined after each: probably a restart, one by one"
    if len(who) == 1:
        return f"{who[0]} was closed and came back{often(times)}{lasted}: each leave and each join began a rebalance"
    return f"{len(who)} members were closed and came back one after the other{lasted}: a rolling restart"


CAUSE = Cause(
    code=Code.ROLLING_RESTART,
    title="Rolling restart",
    means="Members leave and come back one after the other while others stay, as in a deploy. Each leave and each join"
    " is a rebalance; under an eager assignor all members stop in each.",
    seen=(
        Message("Java", "sending LeaveGroup request to coordinator … due to the consumer is being closed"),
        Message("Broker", "Preparing to rebalance group … (reason: removing member … on LeaveGroup)"),
        Message("Broker", "Static member … replaced … with new member"),
    ),
    do=_DO,
    find=_find,
    symptoms=("partitions without owner after a deploy", "my group rebalances all the time"),
)
