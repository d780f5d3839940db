"""A request with an old epoch is refused, and nothing before it explains why."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message
from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.errors import by_error, whose
from groupsim.diagnosis.finding import Remedy

_DO = (
    Remedy(
        "update the client: it sends requests with an epoch that it should have left behind",
        ("version",),
        brief="update the client",
    ),
)

CAUSE = Cause(
    code=Code.STALE_EPOCH,
    title="Stale member epoch",
    means="Under the consumer protocol a commit or heartbeat came with an old member epoch. Alone it is often a"
    " client's"
    " defect; mostly it follows from a member that was away.",
    seen=(
        Message("Java", "StaleMemberEpochException / STALE_MEMBER_EPOCH at a commit"),
        Message("librdkafka", "Broker: The member epoch is stale"),
    ),
    do=_DO,
    find=by_error(
        Code.STALE_EPOCH,
        r"STALE_MEMBER_EPOCH|StaleMemberEpoch|epoch is stale|stale member epoch",
        lambda log, said: f"a request of {whose(log, said)} was refused because its member epoch was old",
        _DO,
        certainty=Certainty.LIKELY,
        harm_ms=2_000,
    ),
    not_in=frozenset({GroupType.CLASSIC, GroupType.CONNECT}),
)
