"""Assignors: pure functions from a problem to an assignment; those of consumer groups in ASSIGNORS by Kafka's names.

- `spec`: what an assignor is given (Spec, Member) and returns (Answer)
- `assignor`: one entry of ASSIGNORS: the function, its protocols, source, drawback and promised properties
- `properties`: the promises as checks, and the trial that a user's own assignor has to pass
- `metrics`: balance, partitions kept and moved, wrong assignments and their numbers
- `history`: several rounds of one group: what members report from call to call, cooperative follow-ups
- `problem_files`: problems as JSON Lines and their answers (`groupsim assign`)
- `problem`: a Spec checked and prepared for the algorithms: members in Java's order, partitions as integers
- `partition_array`: partitions as 64-bit integers, and the list that makes TopicPartitions on demand
- `errors`: what an assignor may raise
- `java/`: the order in which Java iterates over hash maps
- `kafka/`: Kafka's assignors, equal to the partition
- `extra/`: assignors that Kafka never shipped
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from groupsim.assignors.assignor import BASIC, CLIENT, SERVER, Assignor, Property
from groupsim.assignors.extra.constrained_sticky import constrained_cooperative_sticky
from groupsim.assignors.extra.fairest_sticky import fairest_sticky
from groupsim.assignors.extra.kafkajs_round_robin import kafkajs_round_robin
from groupsim.assignors.extra.optimal_sticky import optimal_sticky
from groupsim.assignors.extra.stream_join import sticky_stream_join
from groupsim.assignors.kafka.by_range import by_range
from groupsim.assignors.kafka.client_sticky import client_sticky
from groupsim.assignors.kafka.client_tasks import ClientAnswer, ClientProblem
from groupsim.assignors.kafka.connect import connect_eager, connect_incremental
from groupsim.assignors.kafka.high_availability import high_availability
from groupsim.assignors.kafka.round_robin import round_robin
from groupsim.assignors.kafka.server_range import server_range
from groupsim.assignors.kafka.share_simple import share_simple
from groupsim.assignors.kafka.sticky import cooperative_sticky, sticky
from groupsim.assignors.kafka.streams_sticky import MemberTasks, StreamsProblem, streams_sticky
from groupsim.assignors.kafka.uniform import uniform, uniform_4_1
from groupsim.assignors.properties import NotAdmitted, admit
from groupsim.assignors.spec import COOPERATIVE, EAGER, Answer, Assign, Spec
from groupsim.events.types import TopicPartition

_FAIR = (*BASIC, Property.BALANCED_WHEN_EQUAL)
_STICKY = (*_FAIR, Property.BALANCED, Property.STICKY)

JAVA_CLASSES = {
    "range": "org.apache.kafka.clients.consumer.RangeAssignor",
    "roundrobin": "org.apache.kafka.clients.consumer.RoundRobinAssignor",
    "sticky": "org.apache.kafka.clients.consumer.StickyAssignor",
    "cooperative-sticky": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
}
"""What a Java client's partition.assignment.strategy calls those that Kafka ships."""

_ALL = (
    Assignor(
        "range",
        by_range,
        (EAGER,),
        CLIENT,
        "Kafka 0.9; KIP-881 (racks)",
        "the first members get more of every topic: skewed when topics are many and small",
    ),
    Assignor(
        "roundrobin",
        round_robin,
        (EAGER,),
        CLIENT,
        "Kafka 0.9",
        "forgets who owned what: one member more or less moves nearly every partition",
        _FAIR,
    ),
    Assignor(
        "sticky",
        sticky,
        (EAGER,),
        CLIENT,
        "KIP-54, KIP-341",
        "everybody gives up everything in every rebalance, although little moves in the end",
        _STICKY,
    ),
    Assignor(
        "cooperative-sticky",
        cooperative_sticky,
        (COOPERATIVE, EAGER),
        CLIENT,
        "KIP-429",
        "what moves has no owner until a second rebalance gives it to its new one",
        _STICKY,
    ),
    Assignor(
        "constrained-cooperative-sticky",
        constrained_cooperative_sticky,
        (COOPERATIVE, EAGER),
        CLIENT,
        "rejected KIP (became part of cooperative-sticky in 2.5)",
        "refuses groups whose members subscribe to different topics",
        _STICKY,
    ),
    Assignor(
        "sticky-stream-join",
        sticky_stream_join,
        (EAGER,),
        CLIENT,
        "KIP-315 (never shipped)",
        "partitions beyond the smallest topic's count are left to nobody",
        (Property.EXCLUSIVE, Property.SUBSCRIBED_ONLY, Property.DETERMINISTIC, Property.STICKY),
    ),
    Assignor(
        "fairest-sticky",
        fairest_sticky,
        (EAGER,),
        CLIENT,
        "KIP-54, rejected alternative",
        "never gives a new member anything that has an owner: stays unbalanced for long",
        (*BASIC, Property.STICKY),
    ),
    Assignor(
        "optimal-sticky",
        optimal_sticky,
        (EAGER,),
        CLIENT,
        "this project",
        "no Kafka client has it; gives moved partitions away at once, as sticky does",
        _STICKY,
    ),
    Assignor(
        "RoundRobinAssigner",
        kafkajs_round_robin,
        (EAGER,),
        CLIENT,
        "KafkaJS 2.2",
        "gives members what they do not subscribe to, and nobody reads that; forgets who owned what",
        (Property.COMPLETE, Property.EXCLUSIVE, Property.DETERMINISTIC, Property.BALANCED_WHEN_EQUAL),
    ),
    Assignor(
        "uniform",
        uniform,
        (),
        SERVER,
        "KIP-848; Kafka 4.0",
        "who gets one more depends on hash order; moves more than needed when members join",
        _FAIR,
    ),
    Assignor(
        "uniform-4.1",
        uniform_4_1,
        (),
        SERVER,
        "KIP-848; `uniform` of Kafka 4.1 to 4.4 (KAFKA-18688)",
        "a new group's last members in hash order get one more; topics are not spread evenly over members",
        _FAIR,
    ),
    Assignor(
        "server-range",
        server_range,
        (),
        SERVER,
        "KIP-848",
        "not sticky: a member more or less shifts every range",
    ),
)

ASSIGNORS: dict[str, Assignor] = {assignor.name: assignor for assignor in _ALL}

SHARE_ASSIGNORS: dict[str, Assign] = {"simple": share_simple}
"""The group coordinator's assignors for share groups, by Kafka's names: a partition may have several members."""

STREAMS_ASSIGNORS: dict[str, Callable[[StreamsProblem], dict[str, MemberTasks]]] = {"sticky": streams_sticky}
"""The group coordinator's assignors for streams groups, by Kafka's names."""

CLIENT_TASK_ASSIGNORS: dict[str, Callable[[ClientProblem], ClientAnswer]] = {
    "HighAvailabilityTaskAssignor": high_availability,
    "StickyTaskAssignor": client_sticky,
}
"""Kafka Streams' own assignors, which the leader of a classic group runs, by their Java classes."""


def register(assignor: Assignor) -> None:
    """Add a user's own assignor to ASSIGNORS. NotAdmitted if its name is taken or it breaks a promise."""
    if assignor.name in ASSIGNORS:
        raise NotAdmitted(f"there is an assignor {assignor.name!r} already")
    admit(assignor)
    ASSIGNORS[assignor.name] = replace(assignor, assign=_named(assignor.assign))


def _named(assign: Assign) -> Assign:
    """The same function; plain pairs in its answers become TopicPartitions, as everybody else's are."""

    def named(spec: Spec) -> Answer:
        return {member: [TopicPartition(*pair) for pair in assigned] for member, assigned in assign(spec).items()}

    return named


__all__ = [
    "ASSIGNORS",
    "CLIENT_TASK_ASSIGNORS",
    "JAVA_CLASSES",
    "SHARE_ASSIGNORS",
    "STREAMS_ASSIGNORS",
    "Assignor",
    "NotAdmitted",
    "connect_eager",
    "connect_incremental",
    "register",
]
