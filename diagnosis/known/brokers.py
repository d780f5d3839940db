"""Known defects of Apache Kafka's brokers, and of those that speak its protocol."""

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.known.defect import Defect, Signature
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

_LONGER_THAN_A_REBALANCE_MS = 1_800_000
"""Six times the default of max.poll.interval.ms: a broker without the defect removes a member before."""
_SESSION_MS = 60_000

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
        affected=(("2.3.0", "2.3.1"),),
        program=Program.BROKER,
        reproduced="Kafka 2.3.0 and kafka-python 1.4.7, not with Kafka 2.3.1",
    ),
    Defect(
        id="KAFKA-12890",
        library="Kafka brokers",
        versions=None,
        fixed="the branches trunk and 2.8 after 2.8.0",
        what="heartbeats of a member whose SyncGroup never comes keep the group in CompletingRebalance, without end",
        link="https://github.com/apache/kafka/pull/10863",
        code=Code.SLOW_REJOIN,
        signature=Signature(
            (RowKind.STABILIZED,), "", not_then=RowKind.ASSIGNMENT_RECEIVED, later_ms=_LONGER_THAN_A_REBALANCE_MS
        ),
        alone="the group waited for an assignment that never came, and the broker let it wait",
        also=(Code.SESSION_EXPIRED, Code.RESTART, Code.ROLLING_RESTART),
        program=Program.BROKER,
    ),
    Defect(
        id="KAFKA-14422",
        library="Kafka brokers",
        versions=None,
        fixed="the branches trunk, 3.3 and 3.2 (November 2022)",
        what="with a static member in the group and a leader that is older than Kafka 2.3, the answer to the leader's"
        " JoinGroup can't be written, and the rebalance never ends",
        link="https://github.com/apache/kafka/pull/12909",
        code=Code.UNSUPPORTED,
        signature=Signature((RowKind.ERROR_NAMED,), r"Attempted to write a non-default groupInstanceId at version"),
    ),
    Defect(
        id="KAFKA-9801",
        library="Kafka brokers",
        versions=None,
        fixed="the branches trunk and 2.5 (April 2020)",
        what="a static member that comes back between the join and the assignment gets no partitions: the rebalance is"
        " not started again for its new member id",
        link="https://github.com/apache/kafka/pull/8405",
        code=Code.IDLE_MEMBERS,
        signature=Signature(
            (RowKind.STATIC_MEMBER_REPLACED,),
            "",
            after=RowKind.STABILIZED,
            then=RowKind.ASSIGNMENT_RECEIVED,
            within_ms=_SESSION_MS,
        ),
        alone="a static member came back while the group waited for its assignment, and may have got no partitions",
        also=(Code.RESTART, Code.ROLLING_RESTART),
        program=Program.BROKER,
    ),
    Defect(
        id="KAFKA-10284",
        library="Kafka brokers",
        versions=None,
        fixed="trunk (late 2020)",
        what="the new member id of a static member that came back is not stored: the next coordinator of the group"
        " loads the old one, and fences the member",
        link="https://github.com/apache/kafka/pull/9270",
        code=Code.STATIC_FENCED,
        signature=Signature((RowKind.BROKER_FENCED,), "", after=RowKind.GROUP_LOADED, within_ms=_SESSION_MS),
        also=(Code.COORDINATOR_MOVED,),
        program=Program.BROKER,
    ),
    Defect(
        id="KAFKA-20115",
        library="Kafka brokers",
        versions="4.0.1, 4.1.0, 4.1.1",
        fixed="the branches trunk, 4.1 and 4.0 (February 2026)",
        what="a broker that loses a partition of __consumer_offsets while a write is pending can't unload its groups,"
        " and never answers their pending joins",
        link="https://issues.apache.org/jira/browse/KAFKA-20115",
        code=Code.COORDINATOR_MOVED,
        signature=Signature(
            (RowKind.EXCEPTION,),
            r"Failed to unload metadata for __consumer_offsets-.*(?:NotLeaderOrFollower|NOT_LEADER_OR_FOLLOWER)",
        ),
        alone="the old coordinator could not unload its groups, and answers none of their pending requests",
        also=(Code.SESSION_EXPIRED, Code.CONNECTION_LOST),
        affected=(("4.0.1", "4.0.2"), ("4.1.0", "4.1.2")),
        program=Program.BROKER,
    ),
    Defect(
        id="KAFKA-19862",
        library="Kafka brokers",
        versions=None,
        fixed="the branches trunk, 4.1 and 4.0 (December 2025)",
        what="compaction of __consumer_offsets while a broker loads it hides that a partition was unassigned, and the"
        " coordinator fails to load all groups of that partition",
        link="https://github.com/apache/kafka/pull/20907",
        code=Code.COORDINATOR_MOVED,
        signature=Signature(
            (RowKind.EXCEPTION,),
            r"Failed to load metadata from __consumer_offsets-.*Replaying record"
            r" CoordinatorRecord\(key=(?:Consumer|Streams)GroupCurrentMemberAssignmentKey.*failed",
        ),
        alone="the coordinator could not load its groups, and serves none of them",
        also=(Code.SESSION_EXPIRED, Code.CONNECTION_LOST),
        program=Program.BROKER,
    ),
    Defect(
        id="automq#978",
        library="AutoMQ brokers",
        versions=None,
        fixed=None,
        what="the new group coordinator can't read AutoMQ's own log segments, and fails to load the groups",
        link="https://github.com/AutoMQ/automq/issues/978",
        code=Code.COORDINATOR_MOVED,
        signature=Signature(
            (RowKind.EXCEPTION,),
            r"Failed to load metadata from __consumer_offsets-.*MatchError: kafka\.log\.streamaspect",
        ),
        alone="the coordinator could not load its groups, and serves none of them",
        also=(Code.SESSION_EXPIRED, Code.CONNECTION_LOST),
        program=Program.BROKER,
    ),
    Defect(
        id="redpanda#3300",
        library="Redpanda",
        versions=None,
        fixed=None,
        what="a group stays in PreparingRebalance though its members are gone",
        link="https://github.com/redpanda-data/redpanda/issues/3300",
        code=Code.WRONG_COORDINATOR_CLIENT,
        signature=Signature((RowKind.EXCEPTION,), r"updating non-joining member"),
        alone="the broker refuses to let a member join again, with an internal error",
        also=(Code.SLOW_REJOIN, Code.SESSION_EXPIRED),
        program=Program.BROKER,
    ),
)
