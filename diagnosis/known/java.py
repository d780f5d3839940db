"""Known defects of Apache Kafka's broker and Java clients."""

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.known.defect import Defect, Signature
from groupsim.incidents.logs.row_kinds import RowKind

DEFECTS = (
    Defect(
        id="KAFKA-8653",
        library="Kafka brokers",
        versions="2.3.0",
        fixed="the branches trunk and 2.3 after 2.3.0",
        what="a client that sends JoinGroup version 0 gets a rebalance timeout of 0: each rebalance ends at once and"
        " removes all other members, which join again",
        link="https://github.com/apache/kafka/pull/7072",
        code=Code.WRONG_COORDINATOR_CLIENT,
        signature=Signature(
            (RowKind.REBALANCE_START,),
            r"reason=Adding new member \S+ with group instanceid None",
            least=4,
            reset=(RowKind.GROUP_EMPTY, RowKind.MEMBER_LEFT, RowKind.MEMBER_FAILED, RowKind.GROUP_LOADED),
            then=RowKind.STABILIZED,
            within_ms=50,
        ),
        alone="the broker ends each rebalance as soon as it begins, without waiting for the members",
    ),
)
