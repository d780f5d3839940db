"""The group has as many members as group.max.size allows."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message
from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.errors import by_error, whose
from groupsim.diagnosis.finding import Remedy

_DO = (
    Remedy(
        "raise group.max.size (group.consumer.max.size) on the brokers, or start fewer members",
        ("group.max.size", "group.consumer.max.size"),
        brief="raise group.max.size",
    ),
)

CAUSE = Cause(
    code=Code.GROUP_FULL,
    title="Group is full",
    means="A member is refused because the group already has as many as `group.max.size` allows.",
    seen=(
        Message("Java", "GroupMaxSizeReachedException: Consumer group … already has the configured maximum number"),
        Message("librdkafka", "Broker: Consumer group has reached maximum size"),
    ),
    do=_DO,
    find=by_error(
        Code.GROUP_FULL,
        r"GROUP_MAX_SIZE_REACHED|GroupMaxSizeReached|reached maximum size|maximum number of members|over capacity",
        lambda log, said: f"{whose(log, said, 'was', 'were')} refused: the group has reached group.max.size",
        _DO,
    ),
)
