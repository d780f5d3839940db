"""Known defects of clients in Python and Ruby."""

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.known.defect import Defect, Signature
from groupsim.incidents.logs.row_kinds import RowKind

DEFECTS = (
    Defect(
        id="aiokafka#727",
        library="aiokafka",
        versions="before 0.7.1",
        fixed="0.7.1",
        what="a refused commit resets generation and member id during a join, and the group rebalances again and again",
        link="https://github.com/aio-libs/aiokafka/issues/727",
        code=Code.COMMIT_FAILED,
        signature=Signature((RowKind.SYNCED,), r"^generation=-1\b"),
    ),
    Defect(
        id="ruby-kafka#941",
        library="ruby-kafka",
        versions=None,
        fixed=None,
        what="a join waits for a shorter time than the rebalance timeout, and is sent again and again",
        link="https://github.com/zendesk/ruby-kafka/issues/941",
        code=Code.WRONG_COORDINATOR_CLIENT,
        signature=Signature(
            (RowKind.REQUEST_TIMED_OUT,),
            r"\[join_group\] Timed out while waiting for response",
            least=3,
            reset=(RowKind.JOINED, RowKind.SYNCED),
        ),
    ),
)
