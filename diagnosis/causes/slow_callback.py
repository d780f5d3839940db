"""A revoked or assigned listener takes long, and all others wait."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.listener_gaps import listener_gaps
from groupsim.diagnosis.moves import Going
from groupsim.wording.numbers import often
from groupsim.wording.times import duration

_DO = (
    Remedy(
        "make the rebalance listener short: it runs in poll(), and the rebalance waits for it; what it needs must stay"
        " below max.poll.interval.ms",
        ("max.poll.interval.ms",),
        brief="make the listener short",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    gaps = listener_gaps(log)
    fenced = [d for d in log.departures if d.going is Going.NOT_RECONCILED]
    if not gaps and not fenced:
        return None
    who = names([str(begin.client) for begin, _, _ in gaps] or [d.who for d in fenced])
    said = [line for begin, end, _ in gaps for line in (begin, end)] + [d.first for d in fenced]
    longest = max((ms for _, _, ms in gaps), default=0)
    return Finding(
        code=Code.SLOW_CALLBACK,
        certainty=Certainty.LIKELY if gaps else Certainty.POSSIBLE,
        what=_sentence(log.called(who), longest, len(gaps))
        if gaps
        else f"{log.called(who)[0]} did not give up its partitions in time (a slow listener or batch), and was removed",
        members=who,
        times=max(1, len(gaps) + len(fenced)),
        evidence=evidence_of(said),
        do=_DO,
        confirm="times in the listener itself",
        harm_ms=sum(ms for _, _, ms in gaps) + 8_000 * len(fenced),
    )


def _sentence(who: tuple[str, ...], longest: int, times: int) -> str:
    took = f"took {duration(longest)}" if times == 1 else f"ran{often(times)} for up to {duration(longest)}"
    listener = "the rebalance listeners" if len(who) > 1 else "the rebalance listener"
    return f"{listener} of {one_or_many(who)} {took}, and the others waited for {'them' if len(who) > 1 else 'it'}"


CAUSE = Cause(
    code=Code.SLOW_CALLBACK,
    title="Slow rebalance listener",
    means="A member's listener for revoked or assigned partitions takes long. It runs before the member can rejoin, so"
    " everybody waits for it.",
    seen=(
        Message("Java", "a gap between `Revoke previously assigned partitions` and `(Re-)joining group` of one member"),
        Message("Broker, consumer protocol", "Member … fenced … it failed to transition from epoch … within 10000ms"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a rebalance takes long",),
)
