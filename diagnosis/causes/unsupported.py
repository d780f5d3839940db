"""The broker or the client lacks a protocol or a version."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message
from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.errors import by_error, whose
from groupsim.diagnosis.finding import Remedy

_DO = (
    Remedy(
        "upgrade the side that lacks it, or go back to group.protocol=classic: the consumer protocol needs brokers"
        " of 4.0",
        ("group.protocol", "version"),
        brief="upgrade, or use group.protocol=classic",
    ),
)

CAUSE = Cause(
    code=Code.UNSUPPORTED,
    title="Unsupported version or protocol",
    means="The broker or the client does not know a request, a version of it, or the group protocol.",
    seen=(
        Message("Java", "UnsupportedVersionException: The cluster does not support the new CONSUMER group protocol"),
        Message("librdkafka", "Broker: API version not supported / Local: Required feature not supported by broker"),
        Message("Broker", "Cannot upgrade classic group … to consumer group"),
    ),
    do=_DO,
    find=by_error(
        Code.UNSUPPORTED,
        r"UNSUPPORTED_VERSION|UnsupportedVersion|does not support|not supported by broker|version not supported",
        lambda log, said: f"{whose(log, said)} and the broker have no version of a request in common",
        _DO,
    ),
    symptoms=("a consumer is stuck",),
)
