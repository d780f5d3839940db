"""Static ids change with each rollout, so the old ones wait for their session."""

from __future__ import annotations

import re

from groupsim.diagnosis.cause import Cause, Message, evidence_of, names
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Departure, Going

_RANDOM = re.compile(r"^(.{2,200}?)-(?:[a-f0-9]{8,10}-[a-z0-9]{5}|[0-9a-f]{8}-[0-9a-f-]{27}|[a-z0-9]{5,10})$")
_DO = (
    Remedy(
        "take group.instance.id from a name that stays (a StatefulSet's pod name, an ordinal), not from a name that"
        " changes"
        " with each rollout",
        ("group.instance.id",),
        brief="use names that stay",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    gone = [d for d in log.departures if d.going is Going.EXPIRED and _instance(d) and log.came_back(d) is None]
    new = [a for a in log.joins if a.said.row.detail.get("instance")]
    pairs = [(d, a) for d in gone for a in new if _same_set(str(_instance(d)), str(a.said.row.detail["instance"]))]
    if not pairs:
        return None
    said = [line for d, a in pairs for line in (d.first, a.said)]
    who = names(str(_instance(d)) for d, _ in pairs)
    return Finding(
        code=Code.STATIC_NAME_CHANGES,
        certainty=Certainty.LIKELY,
        what=f"new processes have other group.instance.ids than the old ones, so {who[0]} was waited for until its"
        " session ended",
        members=who,
        times=len(who),
        evidence=evidence_of(said),
        do=_DO,
        harm_ms=15_000,
    )


def _instance(departure: Departure) -> object:
    return next((i for line in departure.said if (i := line.row.detail.get("instance"))), None)


def _same_set(old: str, new: str) -> bool:
    """Whether both are names of one set of pods with another random end."""
    before, after = _RANDOM.match(old), _RANDOM.match(new)
    return old != new and before is not None and after is not None and before[1] == after[1]


CAUSE = Cause(
    code=Code.STATIC_NAME_CHANGES,
    title="Instance ids change with each rollout",
    means="`group.instance.id` is taken from a name that changes (a pod of a Deployment). Each rollout adds new static"
    " members, and the old ones keep their partitions until their session ends.",
    seen=(Message("Broker", "new instance ids join, and members with old ones expire"),),
    do=_DO,
    find=_find,
    symptoms=("partitions without owner after a deploy",),
)
