"""Access control lists refuse the group, a topic or the transaction."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message
from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.errors import by_error, whose
from groupsim.diagnosis.finding import Remedy

_DO = (
    Remedy(
        "grant the principal READ on the group and on its topics (kafka-acls --add --consumer --group … --topic …)",
        brief="grant READ on the group and its topics",
    ),
)

CAUSE = Cause(
    code=Code.NOT_AUTHORIZED,
    title="Not authorized",
    means="The broker's access control refuses the group or a topic to this client. It cannot join, or gets no data.",
    seen=(
        Message("Java", "GroupAuthorizationException: Not authorized to access group: …"),
        Message("Java", "TopicAuthorizationException: Not authorized to access topics: […]"),
        Message("librdkafka", "Broker: Group authorization failed"),
        Message("kafka-python", "GroupAuthorizationFailedError"),
    ),
    do=_DO,
    find=by_error(
        Code.NOT_AUTHORIZED,
        r"AUTHORIZATION_FAILED|AuthorizationException|AuthorizationFailed|[Nn]ot authorized|authorization failed",
        lambda log, said: f"{whose(log, said, 'is', 'are')} not authorized for the group or one of its topics",
        _DO,
    ),
    symptoms=("a consumer is stuck",),
)
