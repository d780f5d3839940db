"""Members left on purpose and did not come back."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, nothing_wrong, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.membership import RESTARTS_WITHIN_MS, membership, only_member
from groupsim.diagnosis.moves import Departure, is_for_a_while
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.wording.numbers import often
from groupsim.wording.times import duration

_TOGETHER = "stop several members at once rather than one by one"
_DO_LAST = (Remedy("nothing is wrong, if it was meant to stop", brief="nothing is wrong"),)


def _find(log: GroupLog) -> Finding | None:
    gone = [d for d in membership(log).gone if not any(map(is_for_a_while, d.said))]
    if not gone:
        return None
    who = names(d.who for d in gone)
    said = [line for d in gone for line in d.said]
    return Finding(
        code=Code.SCALE_IN,
        certainty=Certainty.LIKELY,
        what=_sentence(log, gone),
        members=who,
        times=len(gone),
        evidence=evidence_of(said),
        do=_remedies(log, gone),
        here=_here(log, gone) if len(who) == 1 else "",
        harm_ms=1_000 * len(gone),
    )


def _remedies(log: GroupLog, gone: list[Departure]) -> tuple[Remedy, ...]:
    if len({d.who for d in gone}) > 1:
        return (nothing_wrong(log, together=_TOGETHER),)
    return _DO_LAST if _alone(log, gone[0].who) else (nothing_wrong(log, ", if it was meant to stop"),)


def _sentence(log: GroupLog, gone: list[Departure]) -> str:
    """Several members may have had one client id: each came for a while, and went."""
    who = names(d.who for d in gone)
    name, last, times = one_or_many(log.called(who)), gone[-1], len(gone) if len(who) == 1 else 1
    if times > 1:
        came = sum(join.who == last.who for join in membership(log).new) >= times
        return f"{name} {'joined and left' if came else 'left'} the group{often(times)}, each time on purpose"
    if len(who) == 1 and (_emptied(log, last) or only_member(log, last.who)):
        return f"{name}, the last member, was stopped on purpose, and the group is empty since"
    left = f"{name} left the group on purpose"
    if _emptied(log, last):
        return f"{left}, and the group is empty since"
    back = log.came_back(last) if len(who) == 1 else None
    if back is not None and back.said.at is not None and last.at is not None:
        return f"{left} and came back {duration(back.said.at - last.at)} later"
    ends_ms = log.end - last.at if log.end is not None and last.at is not None else RESTARTS_WITHIN_MS
    if ends_ms < RESTARTS_WITHIN_MS:  # clocks of two logs differ
        return f"{left}; this log ends {f'{duration(ends_ms)} later' if ends_ms > 0 else 'then'}"
    return f"{left} and did not come back in these lines"


def _here(log: GroupLog, gone: list[Departure]) -> str:
    return "one member was away" if log.came_back(gone[-1]) is not None else "one member went away"


def _emptied(log: GroupLog, departure: Departure) -> bool:
    """Whether the broker says after it that the group is empty, and nobody came any more."""
    gone = departure.removed.nth
    empty = any(line.nth > gone for line in log.of(RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD))
    return empty and not any(join.said.nth > gone for join in log.joins)


def _alone(log: GroupLog, client: str) -> bool:
    """Whether the group had no other member: a leader's plans say so, or all that the broker says is of one."""
    return only_member(log, client) or (log.has_broker and len(log.mentions) == 1)


CAUSE = Cause(
    code=Code.SCALE_IN,
    title="Members left for good",
    means="Members leave on purpose (closed, unsubscribed, fewer replicas) and do not come back in the log.",
    seen=(
        Message("Java", "sending LeaveGroup request to coordinator … due to the consumer is being closed"),
        Message("Broker", "Member … has left group … through explicit `LeaveGroup` request"),
    ),
    do=(nothing_wrong(None, together=_TOGETHER),),
    find=_find,
    symptoms=("my group rebalances all the time",),
)
