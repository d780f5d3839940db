"""Known defects of librdkafka and the libraries upon it."""

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.known.defect import Defect, Signature
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program


def _failed_assertion(text: str) -> Signature:
    """librdkafka ends its process with this line."""
    return Signature((RowKind.APP_FAILED,), text)


DEFECTS = (
    Defect(
        id="confluent-kafka-dotnet#1369",
        library="librdkafka",
        versions="1.5.0",
        fixed="1.5.3",
        what="the assignor roundrobin ends the process of the leader with a failed assertion",
        link="https://github.com/confluentinc/confluent-kafka-dotnet/issues/1369",
        code=Code.APP_ERROR,
        signature=_failed_assertion(r"rd_kafka_roundrobin_assignor_assign_cb: Assertion `next < rd_list_cnt"),
        affected=(("1.5.0", "1.5.3"),),
        program=Program.LIBRDKAFKA,
        reproduced="confluent-kafka 1.5.0 and Kafka 4.4.0, not with confluent-kafka 1.6.0",
    ),
    Defect(
        id="librdkafka#3223",
        library="librdkafka",
        versions=None,
        fixed="master by pull request 3678 (January 2022)",
        what="member metadata in the answer to a JoinGroup that can't be read ends the process of the leader",
        link="https://github.com/confluentinc/librdkafka/issues/3223",
        code=Code.APP_ERROR,
        signature=_failed_assertion(r"rd_kafka_group_MemberMetadata_consumer_read: assert: rkbuf->rkbuf_rkb"),
    ),
    Defect(
        id="librdkafka#4308",
        library="librdkafka",
        versions="1.9.2 to 2.2.0, with the assignor cooperative-sticky",
        fixed="master by pull request 4381 (September 2023)",
        what="a consumer that is closed before its first assignment ends its process",
        link="https://github.com/confluentinc/librdkafka/issues/4308",
        code=Code.APP_ERROR,
        signature=_failed_assertion(r"rd_kafka_sticky_assignor_state_destroy: Assertion `assignor_state'"),
    ),
    Defect(
        id="librdkafka#4792",
        library="librdkafka",
        versions="2.5.0",
        fixed=None,
        what="a consumer that is closed while it takes or gives up partitions ends its process",
        link="https://github.com/confluentinc/librdkafka/issues/4792",
        code=Code.APP_ERROR,
        signature=_failed_assertion(r"rd_kafka_cgrp_terminated: assert: !rd_kafka_assignment_in_progress"),
    ),
    Defect(
        id="librdkafka#761",
        library="librdkafka",
        versions=None,
        fixed=None,
        what="many consumers that start at once in one group: some end their process at their first assignment",
        link="https://github.com/confluentinc/librdkafka/issues/761",
        code=Code.APP_ERROR,
        signature=_failed_assertion(r"rd_kafka_cgrp_partitions_fetch_start: assert: rkcg->rkcg_assigned_cnt <="),
    ),
    Defect(
        id="librdkafka#1070",
        library="librdkafka",
        versions="0.9.2 before its release",
        fixed="master (February 2017)",
        what="a partition that is given up while it is assigned anew ends the process",
        link="https://github.com/confluentinc/librdkafka/issues/1070",
        code=Code.APP_ERROR,
        signature=_failed_assertion(r"rd_kafka_cgrp_op_serve: assert: rktp->rktp_assigned"),
    ),
    Defect(
        id="librdkafka#1071",
        library="librdkafka",
        versions="0.9.2",
        fixed="0.9.4",
        what="metadata of the group's topics that arrives on another thread ends the process",
        link="https://github.com/confluentinc/librdkafka/issues/1071",
        code=Code.APP_ERROR,
        signature=_failed_assertion(r"rd_kafka_cgrp_metadata_update_check: assert: thrd_is_current"),
        affected=(("0.9.2", "0.9.4"),),
        program=Program.LIBRDKAFKA,
    ),
    Defect(
        id="librdkafka#445",
        library="librdkafka",
        versions=None,
        fixed="the branch of 0.9.0 (December 2015)",
        what="the first assignment of a consumer of a group ends its process",
        link="https://github.com/confluentinc/librdkafka/issues/445",
        code=Code.APP_ERROR,
        signature=_failed_assertion(r"rd_kafka_q_serve: assert: handled == cnt"),
    ),
    Defect(
        id="librdkafka#1142",
        library="librdkafka",
        versions=None,
        fixed=None,
        what="a commit that is under way when a rebalance ends keeps the consumer from fetching until the next"
        " rebalance",
        link="https://github.com/confluentinc/librdkafka/issues/1142",
        code=Code.WRONG_COORDINATOR_CLIENT,
        signature=Signature(
            (RowKind.FETCHERS,), r"what=not starting fetchers .* waiting for \d+ commit\(s\)", lasts_ms=120_000
        ),
        alone="a consumer has its partitions, but fetches nothing from them: it waits for a commit",
    ),
    Defect(
        id="librdkafka#5569",
        library="librdkafka",
        versions=None,
        fixed=None,
        what="a consumer asks twice for a member id and uses only the second one: the group waits for the first one"
        " until the session timeout is over",
        link="https://github.com/confluentinc/librdkafka/issues/5569",
        code=Code.PENDING_MEMBER,
        signature=Signature(
            (RowKind.MEMBER_ID_CREATED,), r"member=rdkafka-", then=RowKind.MEMBER_ID_CREATED, within_ms=20
        ),
    ),
    Defect(
        id="node-rdkafka#1146",
        library="librdkafka",
        versions="2.12.0 (node-rdkafka 3.6.0 and 3.6.1), with group.protocol=consumer",
        fixed="2.15.0",
        what="commits fail with a stale member epoch whenever members come or go",
        link="https://github.com/Blizzard/node-rdkafka/issues/1146",
        code=Code.STALE_EPOCH,
        signature=Signature((RowKind.COMMIT_FAILED,), r"error=Broker: The member epoch is stale", least=3),
        affected=(("2.12.0", "2.15.0"),),
        program=Program.LIBRDKAFKA,
    ),
    Defect(
        id="ClickHouse#4631",
        library="ClickHouse's Kafka engine",
        versions="19.3, 19.4",
        fixed=None,
        what="after its brokers changed, the consumer of a table fails and does not come back until the table is made"
        " anew",
        link="https://github.com/ClickHouse/ClickHouse/issues/4631",
        code=Code.APP_ERROR,
        signature=Signature(
            (RowKind.APP_FAILED,),
            r"cppkafka::HandleException, e\.what\(\) = Local: Invalid argument or configuration",
        ),
    ),
)
