"""Connect keeps the tasks of a lost worker unassigned for scheduled.rebalance.max.delay.ms."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from groupsim.diagnosis.after_a_session import LOWER_DELAY
from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.connect_work import KINDS, Unit, unassigned
from groupsim.diagnosis.finding import Evidence, Finding
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import membership
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.times import lasted
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import counted
from groupsim.wording.times import duration

_STOPPED = "nothing to wait for: the worker was stopped {} into the delay, before it assigned this work again"


class _Loss(NamedTuple):
    """What had no worker for the longest time: in words, until when, and the lines that begin and end it."""

    what: str
    until: int
    since: Said
    again: Said | None


def _find(log: GroupLog) -> Finding | None:
    said = [line for line in log.of(RowKind.WORKER_ASSIGNED) if line.row.detail.get("delay_ms")]
    if not said:
        return None
    delay = max(ms for line in said if isinstance(ms := line.row.detail["delay_ms"], int))
    loss = _longest(log, delay)
    return Finding(
        code=Code.CONNECT_DELAY,
        certainty=Certainty.SHOWN,
        what=loss.what
        if loss is not None
        else f"Connect keeps connectors or tasks that lost their worker unassigned for up to {duration(delay)}"
        " (scheduled.rebalance.max.delay.ms), in case it returns",
        members=names(str(line.client) for line in said),
        times=len(said),
        evidence=evidence_of(said) if loss is None else _evidence(said, loss),
        do=(LOWER_DELAY,),
        confirm=_confirm(log, said, delay, loss),
        harm_ms=delay,
    )


def _evidence(said: list[Said], loss: _Loss) -> Evidence:
    """To the end of the delay, or of the lines, with the line that ends it."""
    others = [line for line in said if line is not loss.since]
    evidence = evidence_of(said if loss.again is None else [loss.since, loss.again, *others])
    return evidence._replace(last_ms=loss.until)


def _confirm(log: GroupLog, said: list[Said], delay: int, loss: _Loss | None) -> str | None:
    if loss is not None and loss.again is not None:
        return None
    stopped = _stopped_ms(log, said, delay)
    return _until(said, delay) if stopped is None else _STOPPED.format(duration(stopped))


def _until(said: list[Said], delay: int) -> str:
    """When Connect gives the work away by itself: so long after the line with the delay."""
    times = [line.at for line in said if line.at is not None and line.row.detail.get("delay_ms") == delay]
    at = f", at about {datetime.fromtimestamp((times[0] + delay) / 1_000, UTC):%H:%M:%S}" if times else ""
    return f"a new assignment with this work, {duration(delay)} after the line with the delay{at}"


def _stopped_ms(log: GroupLog, said: list[Said], delay: int) -> int | None:
    """How far into the delay the only worker of these lines was stopped on purpose; None if it was not."""
    since = next((line.at for line in said if line.row.detail.get("delay_ms") == delay), None)
    gone = membership(log).gone
    if len({line.client for line in log.of(RowKind.WORKER_ASSIGNED)}) != 1 or since is None or not gone:
        return None
    at = gone[-1].at
    return at - since if at is not None and since < at < since + delay and gone[-1].who in log.clients else None


def _longest(log: GroupLog, delay: int) -> _Loss | None:
    """None if no log shows that a worker had what nobody was given when the delay began, or without times."""
    found: list[tuple[int, _Loss]] = []
    for each in unassigned(log.of(RowKind.WORKER_ASSIGNED)):
        until = log.end if each.until is None else each.until.at
        if each.since.at is None or until is None:
            continue
        ms = until - each.since.at
        what = (
            f"{_called(each.units)} stayed unassigned for {lasted(ms, ended=each.until is not None)}: Connect waits up"
            f" to {duration(delay)} in case a worker returns"
        )
        found.append((ms, _Loss(what, until, each.since, each.until)))
    return max(found, key=lambda one: one[0], default=(0, None))[1]


def _called(work: frozenset[Unit]) -> str:
    """The only connector by its name, with how many tasks of others, else how many connectors and tasks."""
    by_kind = {kind: sorted(name for each, name in work if each == kind) for kind in KINDS}
    if len(by_kind["connector"]) != 1:
        return " and ".join(counted(len(names), kind) for kind, names in by_kind.items() if names)
    name = by_kind["connector"][0]
    tasks = by_kind["task"]
    others = any(task.rpartition("-")[0] != name for task in tasks)
    return f"connector {name}" + (f" and {counted(len(tasks), 'task')}" if others else "")


CAUSE = Cause(
    code=Code.CONNECT_DELAY,
    title="Connect waits for a lost worker",
    means="After a worker is lost, Connect keeps its connectors and tasks unassigned for"
    " `scheduled.rebalance.max.delay.ms` (5 minutes by default), in case it comes back (KIP-415). If it does, it has no"
    " work before the delay is over. There is no delay if the lost worker was the group's leader: the next one does not"
    " know what it had (Kafka: IncrementalCooperativeAssignor.handleLostAssignments; recorded with Kafka 4.4.0).",
    seen=(
        Message(
            "Connect", "Joined group … and got assignment: Assignment{… delay=300000} with rebalance delay: 300000"
        ),
    ),
    do=(LOWER_DELAY,),
    find=_find,
    not_in=frozenset({GroupType.CONSUMER, GroupType.STREAMS}),
    symptoms=("connectors or tasks do not run after a restart",),
)
