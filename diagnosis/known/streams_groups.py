"""Defects of streams groups in Kafka 4.4.0 that its recordings show: docs/model/streams-groups.md has their names.

Nobody has reported them: a link leads to the change that brought them.
"""

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.known.defect import Defect, Signature
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

_LIBRARY = "Kafka brokers (streams groups)"
_ONE_REBALANCE_MS = 45_000
_TWO_HEARTBEATS_MS = 10_000
_REPRODUCED = "4.4.0"

DEFECTS = (
    Defect(
        id="copy-follows-instance-id",
        library=_LIBRARY,
        versions=_REPRODUCED,
        fixed=None,
        what="a second process with a group.instance.id in use is refused, but the member that has it gives all its"
        " tasks up if a rebalance is under way",
        link="https://github.com/apache/kafka/pull/22245",
        code=Code.STATIC_UNRELEASED,
        signature=Signature(
            (RowKind.MEMBER_STATE,),
            r"state=UNREVOKED_TASKS",
            after=RowKind.INSTANCE_ID_UNRELEASED,
            within_ms=_ONE_REBALANCE_MS,
        ),
        affected=(("4.4.0", "4.4.1"),),
        program=Program.BROKER,
    ),
    Defect(
        id="endpoint-without-topics",
        library=_LIBRARY,
        versions="4.3.1, 4.4.0",
        fixed=None,
        what="with an application.server and a source topic that is missing, heartbeats fail with"
        " UNKNOWN_SERVER_ERROR instead of saying which topic",
        link="https://github.com/apache/kafka/pull/21526",
        code=Code.TOPIC_MISSING,
        signature=Signature(
            (RowKind.EXCEPTION,), r"NoSuchElementException.* at=.*EndpointToPartitionsManager\.endpointToPartitions"
        ),
        alone="a source topic of the application is missing, and the broker fails where it should say so",
        also=(Code.START_UP, Code.APP_ERROR),
    ),
    Defect(
        id="shutdown-sticks",
        library=_LIBRARY,
        versions=_REPRODUCED,
        fixed=None,
        what="a member's wish that the application ends stays until the group is empty or its coordinator moves:"
        " who is started meanwhile ends at once",
        link="https://github.com/apache/kafka/pull/19544",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.APP_FAILED,),
            r"requested a shutdown for the entire application",
            after=RowKind.STATE_CHANGE,
            within_ms=_TWO_HEARTBEATS_MS,
            by=Program.JAVA,
        ),
    ),
)
