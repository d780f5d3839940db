"""A process was frozen, or reached nothing, and stayed a member: its partitions waited for it."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Evidence, Finding, Place, Remedy
from groupsim.diagnosis.from_facts import RUN
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Going
from groupsim.diagnosis.silences import meanwhile
from groupsim.diagnosis.waits_in_run import How, Wait
from groupsim.wording.numbers import counted, often
from groupsim.wording.times import duration

_LITTLE_MS = 1_000
"""Partitions that waited for less altogether are no cause of anything."""
_SOONER = Remedy(
    "or use a shorter session.timeout.ms (at least three heartbeats): others get its partitions sooner, by a rebalance",
    ("session.timeout.ms", "heartbeat.interval.ms"),
    brief="use a shorter session.timeout.ms",
)
_NETWORK = (
    "see why it did not reach the brokers of its partitions; heartbeats go to its coordinator, so no session ends"
)
_DO = {
    How.FROZEN: (
        Remedy(
            "find what stops the process (CPU limits, garbage collection, a machine that sleeps)",
            brief="find what stops the process",
        ),
        _SOONER,
    ),
    How.CUT: (Remedy(_NETWORK, brief="look at the network between it and the brokers"),),
    How.NO_BROKER: (
        Remedy("see why it reached no broker at all", brief="look at the network between it and the brokers"),
        _SOONER,
    ),
    How.PAUSED: (
        Remedy(
            "see why the application paused its partitions (pause()), and when it resumes them",
            brief="see why the application paused them",
        ),
    ),
}


def _find(log: GroupLog) -> Finding | None:
    """Only where most of the unavailable time waited for such processes, and no session ended over it."""
    gone = [d for d in log.departures if d.going is Going.EXPIRED]
    waits = [wait for wait in log.waits or () if wait.partitions and not any(meanwhile(wait, d) for d in gone)]
    by_how = {how: sum(wait.partition_ms for wait in waits if wait.how is how) for how in How}
    how = max(How, key=by_how.__getitem__)
    if by_how[how] < _LITTLE_MS or 2 * by_how[how] < (log.waited_ms or 0):
        return None
    waits = [wait for wait in waits if wait.how is how]
    places = dict.fromkeys(Place(RUN, number) for wait in waits for number in wait.facts)
    return Finding(
        code=Code.STALLED,
        certainty=Certainty.SHOWN,
        what=_sentence(log, how, waits),
        members=names(wait.client for wait in waits),
        times=len(waits),
        evidence=Evidence(min(w.from_ms for w in waits), max(w.to_ms for w in waits), tuple(places)[:4]),
        do=_DO[how],
        harm_ms=sum(wait.to_ms - wait.from_ms for wait in waits),
    )


def _sentence(log: GroupLog, how: How, waits: list[Wait]) -> str:
    who = log.called(wait.client for wait in waits)
    longest = max(waits, key=lambda wait: wait.to_ms - wait.from_ms)
    long = duration(longest.to_ms - longest.from_ms)
    at_most = (
        f"up to {long} at a time" if len(waits) > 1 else long if longest.ended else f"{long}, to the end of the run"
    )
    was, it = ("were", "each of them") if len(who) > 1 else ("was", "it")
    again = often(len(waits)) if len(waits) > len(who) else ""
    partitions = counted(max(wait.partitions for wait in waits), "partition")
    up_to = "up to " if len({wait.partitions for wait in waits}) > 1 else ""
    return f"{one_or_many(who)} {was} {how}{again} for {at_most}, and {up_to}{partitions} waited for {it}"


CAUSE = Cause(
    code=Code.STALLED,
    title="A member was frozen, and stayed a member",
    means="A process was frozen, cut off from its data, or had paused its partitions, for less than its session: the"
    " coordinator noticed nothing, and its partitions waited. A frozen process writes no line, so this is found in"
    " simulated runs, whose facts show it.",
    seen=(),
    do=(*_DO[How.FROZEN], *_DO[How.CUT]),
    find=_find,
    confirm="The records of each partition: lag grows in those of one member while others go on.",
    symptoms=("a consumer is stuck",),
)
