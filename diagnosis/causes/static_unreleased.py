"""Under the consumer protocol a new process is refused because the old one holds its instance id."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of, lines_with, names
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.incidents.logs.row_kinds import RowKind

_DO = (
    Remedy(
        "wait until the old member's session is over (group.consumer.session.timeout.ms), and start the new process"
        " only after the old one was closed",
        ("group.consumer.session.timeout.ms", "session.timeout.ms", "group.instance.id"),
        brief="wait until the old session is over",
    ),
    Remedy("let the client retry on UnreleasedInstanceIdException: it is fatal in Java clients"),
)


def _find(log: GroupLog) -> Finding | None:
    said = log.of(RowKind.INSTANCE_ID_UNRELEASED) + lines_with(log, ("unreleased instance", "UNRELEASED_INSTANCE"))
    if not said:
        return None
    who = names(str(line.row.detail.get("instance") or line.client or "a member") for line in said)
    return Finding(
        code=Code.STATIC_UNRELEASED,
        certainty=Certainty.SHOWN,
        what=f"a new process of {log.called(who)[0]} was refused: its old member still held the group.instance.id",
        members=who,
        times=len(said),
        evidence=evidence_of(said),
        do=_DO,
        harm_ms=11_000,
    )


CAUSE = Cause(
    code=Code.STATIC_UNRELEASED,
    title="Instance id still held",
    means="Under the consumer protocol (KIP-848) a process with a `group.instance.id` is refused as long as its former"
    " member has not left temporarily (epoch -2) or expired.",
    seen=(
        Message(
            "Broker", "Static member … with instance id … cannot join the group because the instance id is owned by"
        ),
        Message("Java", "due to unreleased instance id"),
    ),
    do=_DO,
    find=_find,
    symptoms=("a consumer is stuck",),
)
