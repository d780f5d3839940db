"""Known defects of librdkafka and the libraries upon it."""

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.known.defect import Defect, Signature
from groupsim.incidents.logs.row_kinds import RowKind

DEFECTS = (
    Defect(
        id="confluent-kafka-dotnet#1369",
        library="librdkafka",
        versions="1.5.0",
        fixed="1.5.3",
        what="the assignor roundrobin ends the process of the leader with a failed assertion",
        link="https://github.com/confluentinc/confluent-kafka-dotnet/issues/1369",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.APP_FAILED,), r"rd_kafka_roundrobin_assignor_assign_cb: Assertion `next < rd_list_cnt"
        ),
    ),
)
