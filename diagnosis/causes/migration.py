"""A group changes between the classic and the consumer protocol."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message, evidence_of
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind

_DO = (
    Remedy(
        "move all members to group.protocol=consumer in one roll; until then classic members go on with their settings",
        ("group.protocol",),
        brief="nothing is wrong",
    ),
)


def _find(log: GroupLog) -> Finding | None:
    said = log.of(RowKind.GROUP_CONVERTED)
    changed = _changed_clients(log)
    if not said and not changed:
        return None
    to = str(said[-1].row.detail.get("to") or "consumer") if said else None
    lines = said or changed
    return Finding(
        code=Code.MIGRATION,
        certainty=Certainty.SHOWN if said else Certainty.LIKELY,
        what=f"the group was converted to the {to} protocol"
        if said
        else f"{changed[0].client} was started again with another group protocol",
        times=len(said) or 1,
        evidence=evidence_of(lines),
        do=_DO,
        harm_ms=2_000,
    )


def _changed_clients(log: GroupLog) -> list[Said]:
    """The first line of the other protocol, of clients whose log has both."""
    found = []
    for incarnations in log.incarnations.values():
        protocols = [_speaks(incarnation.said) for incarnation in incarnations]
        for before, (number, now) in zip(protocols, list(enumerate(protocols))[1:], strict=False):
            if before is not None and now is not None and before != now:
                found.append(incarnations[number].said[0])
    return found


def _speaks(said: list[Said]) -> str | None:
    kinds = {line.row.kind for line in said}
    if kinds & {RowKind.STATE_CHANGE, RowKind.CONSUMER_HEARTBEAT, RowKind.CONSUMER_HEARTBEAT_INTERVAL}:
        return "consumer"
    return "classic" if kinds & {RowKind.JOINING, RowKind.JOINED, RowKind.SYNCED} else None


CAUSE = Cause(
    code=Code.MIGRATION,
    title="Change of the group protocol",
    means="A group is converted between the classic and the consumer protocol, online, by members of the other kind.",
    seen=(
        Message("Broker", "Converted the classic group … to a consumer group"),
        Message("Broker", "Cannot upgrade classic group … to consumer group"),
        Message("Broker", "Preparing to rebalance group … (reason: Downgrade group …)"),
    ),
    do=_DO,
    find=_find,
)
