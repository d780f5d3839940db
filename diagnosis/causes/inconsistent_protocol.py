"""Members share no assignor or protocol type, or a group can't be converted because of what a member uses."""

from __future__ import annotations

from groupsim.diagnosis.cause import Cause, Message
from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.errors import by_error, whose
from groupsim.diagnosis.finding import Remedy

_DO = (
    Remedy(
        "change partition.assignment.strategy in two rolls: first add the new assignor beside the old one"
        " everywhere, then"
        " remove the old one; and give other kinds of clients (Connect, Streams) a group.id of their own",
        ("partition.assignment.strategy", "group.id"),
        brief="change assignors in two rolls",
    ),
)

CAUSE = Cause(
    code=Code.INCONSISTENT_PROTOCOL,
    title="No assignor in common",
    means="A member is refused because it shares no assignor, or no protocol type, with those that are in the group;"
    " or a"
    " classic group cannot be converted because of an assignor with data of its own.",
    seen=(
        Message("Java", "InconsistentGroupProtocolException: The group member's supported protocols are incompatible"),
        Message("librdkafka", "Broker: Inconsistent group protocol"),
        Message("Broker", "Cannot upgrade classic group … to consumer group: userData from a custom assignor"),
    ),
    do=_DO,
    find=by_error(
        Code.INCONSISTENT_PROTOCOL,
        r"INCONSISTENT_GROUP_PROTOCOL|InconsistentGroupProtocol|nconsistent group protocol|supported protocols are"
        r" incompatible|Cannot upgrade classic group",
        lambda log, said: (
            f"{whose(log, said, 'has', 'have')} no assignor or protocol in common with the rest of the group"
        ),
        _DO,
    ),
    symptoms=("a consumer is stuck",),
)
