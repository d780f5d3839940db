"""Labels and causes a second time: `docs/model/availability.md` word by word, without the project's rules.

Each function answers for one partition of one group as it is now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groupsim.events.types import TopicPartition

if TYPE_CHECKING:
    from tests.adversary.naive import Naive, Process
    from tests.adversary.naive_groups import Group


class Said(NamedTuple):
    """What holds of a partition: whether it is available, its label, who is concerned, and what led here."""

    available: bool
    label: str
    sub_label: str | None = None
    member: str | None = None
    cause: str | None = None


def said(world: Naive, name: str, tp: TopicPartition) -> Said:
    """The first of the definition's rules that applies."""
    group = world.groups[name]
    here = {key: process for key, process in sorted(world.processes.items()) if process.group == name}
    serving = [key for key, process in here.items() if world.serves(key, process, tp)]
    entitled = [key for key in serving if world.entitled(here[key], tp)]
    if serving:
        return _served(group, here, serving, entitled)
    return _not_served(world, group, here, tp)


def _served(group: Group, here: dict[str, Process], serving: list[str], entitled: list[str]) -> Said:
    """Somebody serves it."""
    first = (entitled or serving)[0]
    if serving == entitled and len(serving) == 1:
        return Said(True, "OK", None, first, None)
    troubles = [_trouble(key, here[key]) for key in serving if key not in entitled]
    cause = next((trouble for trouble in troubles if trouble), group.cause)
    if len(serving) == 1:
        return Said(False, "ZOMBIE_ONLY", None, first, cause)
    sub_label = {0: "none-entitled", 1: "zombie+owner"}.get(len(entitled), "both-entitled")
    return Said(bool(entitled), "DOUBLE", sub_label, first, cause)


def _not_served(world: Naive, group: Group, here: dict[str, Process], tp: TopicPartition) -> Said:
    """Its owner has it and does not serve it, or nobody has it."""
    member = owner(group, tp)
    key = group.process_of.get(member) if member else None
    if member is None:
        revoking = [
            other
            for other, process in here.items()
            if process.callback == "revoked"
            and tp in process.view
            and not process.gone
            and not process.quit
            and world.may_commit(process)
        ]
        key = revoking[0] if revoking else None
    if key in here and tp in here[key].view and not here[key].gone:
        return _held(world, group, key, here[key], tp)
    if member is not None and key is None:
        return Said(False, "UNKNOWN", "no log of a member", member, group.cause)
    return _nobody_has_it(group, key, None if key is None else here[key], member, tp)


def _held(world: Naive, group: Group, key: str, process: Process, tp: TopicPartition) -> Said:
    """Why the owner, who has it, does not serve it."""
    if process.callback or tp in process.pending:
        return Said(False, "PAUSED_CALLBACK", None, key, group.cause)
    if tp in process.paused:
        return Said(False, "PAUSED_APP", None, key, "paused")
    if process.frozen:
        return Said(False, "OWNER_STALLED", None, key, _trouble(key, process))
    if world.cut_off(key):
        return Said(False, "OWNER_STALLED", "data-cut", key, f"cut {key}")
    return Said(False, "RESTORING", None if tp in process.restoring else "position", key, group.cause)


def _nobody_has_it(
    group: Group, key: str | None, process: Process | None, member: str | None, tp: TopicPartition
) -> Said:
    """The last table of the definition."""
    trouble = None if process is None else _trouble(key or "", process)
    if process is not None and process.gone:
        return Said(False, "OWNER_DEAD", None, key, trouble)
    if process is not None and _will_apply(group, process, tp):
        return Said(False, "GRANT_IN_FLIGHT", None, key, group.cause)
    if group.delayed and member is None and tp not in group.revoked_first:
        return Said(False, "DELAYED", None, None, group.cause)
    if group.rebalancing:
        if group.subscribes(tp.topic):
            return Said(False, "WITHHELD", None, None, group.cause)
    elif group.members and (member is not None or tp in group.revoked_first):
        return Said(False, "WITHHELD", None, None, trouble or group.cause)
    return Said(False, "UNOWNED", None, None, group.cause)


def owner(group: Group, tp: TopicPartition) -> str | None:
    """The member that the last stored assignment gives it; of a consumer group, if two have it, who may use it."""
    given = sorted(member for member in group.members if tp in group.assignment.get(member, ()))
    using = [member for member in given if tp not in group.giving_up.get(member, ())]
    return next(iter(using or given), None)


def _trouble(key: str, process: Process) -> str | None:
    return f"{process.trouble} {key}" if process.trouble else None


def _will_apply(group: Group, process: Process, tp: TopicPartition) -> bool:
    """It has not begun with another generation since, and has not let go of it."""
    over = process.released or process.quit or group.state == "CompletingRebalance"
    return not over and tp not in process.given_up
