"""Members joined a group that was already working."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, names, places, span
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.membership import membership
from groupsim.diagnosis.story import Story

_DO = (
    Remedy(
        "nothing is wrong; start several members at once, and use cooperative-sticky or group.protocol=consumer so that"
        " only what moves stops",
        ("partition.assignment.strategy", "group.protocol"),
        brief="nothing is wrong",
    ),
)


def _find(story: Story) -> Finding | None:
    new = membership(story).new
    if not new:
        return None
    who = names(a.who for a in new)
    said = [a.said for a in new]
    first, last = span(said)
    name = who[0] if len(who) == 1 else f"{len(who)} members"
    return Finding(
        code=Code.SCALE_OUT,
        certainty=Certainty.LIKELY,
        what=f"{name} joined the group while it was working",
        members=who,
        times=len(new),
        first_ms=first,
        last_ms=last,
        evidence=places(said),
        do=_DO,
        harm_ms=900 * len(new),
    )


CAUSE = Cause(
    code=Code.SCALE_OUT,
    title="Members joined",
    means="New members join a group that is already working, and get their share of the partitions.",
    seen=(
        Message("Broker", "Preparing to rebalance group … in state PreparingRebalance (reason: Adding new member …)"),
        Message("Broker, consumer protocol", "Member … joins the consumer group"),
    ),
    do=_DO,
    find=_find,
)
