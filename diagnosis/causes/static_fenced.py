"""Two processes have one group.instance.id."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message
from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.errors import by_error, whose
from groupsim.diagnosis.finding import Remedy
from groupsim.diagnosis.group_log import GroupLog

_DO = (
    Remedy(
        "give every consumer a group.instance.id of its own, stop the old process before its successor starts, and"
        " start the fenced one again",
        ("group.instance.id",),
        brief="give every consumer its own group.instance.id, and start it again",
    ),
)


def _of(log: GroupLog) -> str:
    return f"of group {log.group} " if log.group else ""


CAUSE = Cause(
    code=Code.STATIC_FENCED,
    title="Fenced by the same instance id",
    means="A second process joined with the same `group.instance.id`; the coordinator fences the first, which"
    " does not recover: it must be started again.",
    seen=(
        Message("Java", "FencedInstanceIdException: The broker rejected this static consumer since another consumer"),
        Message("librdkafka", "FATAL: Broker: Static consumer fenced by other consumer with same group.instance.id"),
        Message("KafkaJS", "FENCED_INSTANCE_ID"),
    ),
    do=_DO,
    find=by_error(
        Code.STATIC_FENCED,
        r"FENCED_INSTANCE_ID|FencedInstanceId|fenced by other consumer|fenced by another|rejected this static consumer",
        lambda log, said: (
            f"{whose(log, said, f'{_of(log)}was', f'{_of(log)}were')} fenced by another consumer with the same"
            " group.instance.id, and does not come back by itself"
        ),
        _DO,
        harm_ms=30_000,
    ),
    symptoms=("a consumer is stuck",),
)
