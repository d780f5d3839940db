"""How client libraries differ as members of a group: one record each, by the group's protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import COOPERATIVE
from groupsim.simulation.clients.config import (
    AIOKAFKA,
    CLASSIC,
    CONSUMER,
    JAVA,
    KAFKA_PYTHON,
    KAFKAJS,
    LIBRDKAFKA,
    NATIVE,
    SARAMA,
    ConsumerConfig,
)
from groupsim.simulation.errors import BadScenario

_EAGER = ("range", "roundrobin", "sticky")
_COOPERATIVE = "cooperative-sticky"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """How a library differs from others; the defaults are what most of them do.

    `defaults`: its own defaults of Kafka settings, by Kafka name. `assignors`: those that it ships with and that are
    simulated; without cooperative-sticky all its rebalances are eager. `own_assignors`: applications may bring others.

    `library_thread`: a thread of the library keeps the membership, and only callbacks wait for the application to poll;
    else poll() does it. `session_clock`: it loses its partitions when its session is over by its own clock; else it
    looks for the coordinator again and works on. `naps`: while the application works, its heartbeat thread looks every
    retry.backoff.ms; else at once. `expires_at_heartbeats`: it notices that max.poll.interval.ms is over when a
    heartbeat is due; else at once. `heartbeats_from_sync`: the heartbeat interval starts at the answer to SyncGroup;
    else to JoinGroup.

    `fetches_ahead`: one fetch is in flight while the application works, and poll() returns what that one brings, before
    it reads anything else from the network; else poll() returns all that has arrived.

    `commits_after_revoking`: the auto-commit of revoked partitions follows the callback, and the timer of periodic ones
    runs from the consumer's start; else it precedes the callback, and an assignment starts the timer anew.
    `commits_while_joining`: a commit is sent in every state but UNJOINED, and one that is refused for an old generation
    while JoinGroup is in flight means nothing (since librdkafka 2.10); else the consumer itself refuses it.
    `sends_reasons`: JoinGroup and LeaveGroup carry a reason (KIP-800); `sends_rack`: JoinGroup carries `client.rack`
    (KIP-881, since librdkafka 2.2).

    `follows_polls`: what is to be given up, and all that is to be committed before, waits for a poll() of which the
    library's thread is informed, and while records wait one poll() in two informs it; else a target is followed at
    once. `close_waits_ms`: after this time close() runs the revoked callback.

    `callbacks_at_polls`: what the library's thread asks of the application waits for the end of the wait inside poll();
    else it interrupts that wait, and a new target is followed at once. `announces_empty`: the first target of a
    membership is announced to the listener even if it is empty; else a target that is held already needs no callback.

    `first_metadata_ms`: how long after its start a consumer knows no topic, so that a leader assigns nothing; None:
    it waits for metadata before it joins. `revokes_nothing`: the listener is called with an empty set before a first
    join. `awaits_metadata`: a leader that assigns topics it has not subscribed to asks for their metadata first.
    `sticky_from_the_end`: cooperative-sticky goes through a topic's partitions from the highest to the lowest.
    `rebootstraps`: a consumer that reaches no broker at all forgets its metadata (KIP-899, the default since KIP-1102).
    `reconnect_backoff_ms`: it then waits before it connects again, at first and at most.
    `returns_user_data`: the user data that members send for a sticky assignor come back to them with the assignment, so
    that the group cannot be upgraded online.

    `poll_limit`: it leaves when the application has not polled for max.poll.interval.ms; else that setting is nothing
    but the rebalance timeout of its JoinGroup. `rebalances_within_session`: its rebalance timeout is the session
    timeout. `beats_beside_work`: heartbeats are sent while the application works; else only between two batches.
    `fetch_wait_ms`: a fetch ends with a record, or after so long. Until the one under way has ended,
    `beats_after_fetches`: no heartbeat is sent, `revokes_after_fetches`: nothing is revoked, `leaves_after_fetches`:
    close() sends no LeaveGroup.
    `beats_at_once`: the first heartbeat of a generation is sent with the assignment. `callbacks_beside_work`: the
    listener runs while the application waits within its own work, and a member that is too slow revokes then, not when
    it polls. `says_lost`: lost partitions are announced as lost; else as revoked. `rejoins_after_ms`: how long it waits
    when another rebalance interrupts its join. `orders_as_text`: round robin goes through partitions by their names
    (`orders-10` before `orders-2`).
    """

    defaults: Mapping[str, object] = field(default_factory=dict)
    assignors: tuple[str, ...] = (*_EAGER, _COOPERATIVE)
    own_assignors: bool = True
    library_thread: bool = False
    session_clock: bool = False
    naps: bool = False
    expires_at_heartbeats: bool = False
    heartbeats_from_sync: bool = True
    fetches_ahead: bool = False
    commits_after_revoking: bool = False
    commits_while_joining: bool = False
    sends_reasons: bool = True
    sends_rack: bool = True
    first_metadata_ms: int | None = None
    revokes_nothing: bool = False
    awaits_metadata: bool = False
    sticky_from_the_end: bool = False
    rebootstraps: bool = False
    reconnect_backoff_ms: tuple[int, int] = (50, 1_000)
    returns_user_data: bool = False
    callbacks_at_polls: bool = False
    follows_polls: bool = False
    close_waits_ms: int = 0
    announces_empty: bool = False
    poll_limit: bool = True
    rebalances_within_session: bool = False
    beats_beside_work: bool = True
    fetch_wait_ms: int = 0
    beats_after_fetches: bool = False
    revokes_after_fetches: bool = False
    leaves_after_fetches: bool = False
    beats_at_once: bool = False
    callbacks_beside_work: bool = False
    says_lost: bool = True
    rejoins_after_ms: int = 0
    orders_as_text: bool = False


TRAITS: dict[str, Traits] = {
    # ConsumerPartitionAssignor and the classes that implement it
    JAVA: Traits(naps=True, heartbeats_from_sync=False, fetches_ahead=True, awaits_metadata=True, rebootstraps=True),
    # rdkafka_assignor.c: rd_kafka_assignors_init
    LIBRDKAFKA: Traits(
        defaults={"partition.assignment.strategy": ("range", "roundrobin")},
        assignors=("range", "roundrobin", _COOPERATIVE),
        own_assignors=False,
        library_thread=True,
        session_clock=True,
        commits_after_revoking=True,
        commits_while_joining=True,
        sends_reasons=False,
        sticky_from_the_end=True,
        reconnect_backoff_ms=(100, 10_000),
        returns_user_data=True,
    ),
    # kafka/coordinator/assignors
    KAFKA_PYTHON: Traits(
        expires_at_heartbeats=True,
        sends_rack=False,
        first_metadata_ms=100,
        revokes_nothing=True,
        reconnect_backoff_ms=(50, 30_000),
    ),
    # runner.js: fetch, stop, scheduleFetchManager; consumerGroup.js: heartbeat, joinAndSync; assigners/index.js
    KAFKAJS: Traits(
        defaults={
            "partition.assignment.strategy": ("RoundRobinAssigner",),
            "session.timeout.ms": 30_000,
            "max.poll.interval.ms": 60_000,
        },
        assignors=("RoundRobinAssigner",),
        poll_limit=False,
        beats_beside_work=False,
        fetch_wait_ms=5_000,
        beats_after_fetches=True,
        leaves_after_fetches=True,
        beats_at_once=True,
        rejoins_after_ms=300,
        sends_reasons=False,
        sends_rack=False,
        reconnect_backoff_ms=(300, 30_000),
    ),
    # consumer_group.go: joinSync, retryJoinSync; consumer_group_session.go: heartbeatLoop, release; consumer.go:
    # responseFeeder; balance_strategy.go, without its cooperative strategy
    SARAMA: Traits(
        defaults={
            "partition.assignment.strategy": ("range",),
            "session.timeout.ms": 10_000,
            "max.poll.interval.ms": 60_000,
            "auto.commit.interval.ms": 1_000,
        },
        assignors=_EAGER,
        poll_limit=False,
        beats_at_once=True,
        says_lost=False,
        fetch_wait_ms=500,
        revokes_after_fetches=True,
        rejoins_after_ms=2_000,
        orders_as_text=True,
        sends_rack=False,
        reconnect_backoff_ms=(250, 250),
    ),
    # consumer/group_coordinator.py: GroupCoordinator, CoordinatorGroupRebalance; coordinator/assignors
    AIOKAFKA: Traits(
        defaults={"partition.assignment.strategy": ("roundrobin",), "session.timeout.ms": 10_000},
        assignors=_EAGER,
        library_thread=True,
        rebalances_within_session=True,
        callbacks_beside_work=True,
        says_lost=False,
        revokes_nothing=True,
        sends_reasons=False,
        sends_rack=False,
        reconnect_backoff_ms=(100, 100),
    ),
}
"""By library: Java's consumer 4.4, librdkafka 2.16, kafka-python 3.0, KafkaJS 2.2.4, Sarama 1.61.1, aiokafka 0.14.0, as
recorded."""
CONSUMER_TRAITS: dict[str, Traits] = {
    JAVA: Traits(
        library_thread=True, fetches_ahead=True, callbacks_at_polls=True, follows_polls=True, announces_empty=True
    ),
    LIBRDKAFKA: Traits(library_thread=True, commits_after_revoking=True, reconnect_backoff_ms=(100, 10_000)),
}
"""The same for members of the consumer protocol (KIP-848): Java's consumer 4.4, librdkafka 2.16, as recorded."""
RELEASES: dict[tuple[str, str, str], Traits] = {
    (JAVA, "4.0", CLASSIC): replace(TRAITS[JAVA], rebootstraps=False),
    (JAVA, "4.0", CONSUMER): replace(CONSUMER_TRAITS[JAVA], follows_polls=False, close_waits_ms=100),
}
"""Older releases that differ, by library, release and group.protocol, as recorded."""


def not_of(library: str, assignors: Iterable[str]) -> list[str]:
    """Those of the assignors that no member of this library has; the application may bring what nobody ships."""
    traits = TRAITS[library]
    shipped = {name for each in TRAITS.values() for name in each.assignors}
    eager_only = _COOPERATIVE not in traits.assignors

    def brought(name: str) -> bool:
        cooperative = name in ASSIGNORS and COOPERATIVE in ASSIGNORS[name].protocols
        return traits.own_assignors and name not in shipped and not (eager_only and cooperative)

    return [name for name in assignors if name not in traits.assignors and not brought(name)]


def check_client(library: str, config: ConsumerConfig, *, as_recorded: bool) -> None:
    """Raises BadScenario where a member of this library cannot have the protocol, or, but for recorded ones, the
    assignors."""
    if config.group_protocol in NATIVE:
        if library not in CONSUMER_TRAITS:
            has = ", ".join(CONSUMER_TRAITS)
            raise BadScenario(
                f"client '{library}' has no group.protocol={config.group_protocol}; clients with it: {has}"
            )
    elif not as_recorded and (missing := not_of(library, config.partition_assignment_strategy)):
        has = ", ".join(TRAITS[library].assignors)
        raise BadScenario(f"client '{library}' can't be simulated with assignor {missing[0]!r}; its assignors: {has}")
