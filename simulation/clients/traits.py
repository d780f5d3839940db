"""How client libraries differ as members of a classic group: one record each (spec 5.12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a library does differently from others; the defaults are what most of them do.

    `defaults`: its own defaults of Kafka settings, by Kafka name (spec 7.4).

    `background`: a thread of its own keeps the membership, and only callbacks wait for the application to poll; else
    the membership is looked after inside poll(). `session_clock`: it gives everything up as lost when its session is
    over by its own clock; else it looks for the coordinator again and works on. `naps`: while the application works,
    its heartbeat thread looks every retry.backoff.ms; else at once. `expires_at_beats`: that max.poll.interval.ms is
    over is found when a heartbeat is due; else at once. `beats_from_sync`: heartbeats are counted from the answer to
    SyncGroup; else from JoinGroup's.

    `commits_after_revoking`: the auto-commit of what is given up follows the callback, and the timer of periodic ones
    runs from the consumer's start; else it precedes the callback, and an assignment starts the timer anew.
    `commits_while_joining`: a commit is sent in every state but UNJOINED, and one refused as of an old generation while
    JoinGroup is under way means nothing (since librdkafka 2.10); else it is refused by the consumer itself.
    `tells_reasons`: JoinGroup and LeaveGroup say why (KIP-800).

    `first_metadata_ms`: how long after its start a consumer knows no topic, so that a leader assigns nothing; None:
    it waits for metadata before it joins. `revokes_nothing`: the listener is told of an empty set before a first join.
    `awaits_metadata`: a leader that assigns topics it has not subscribed to asks for their metadata first.
    `sticky_from_the_end`: cooperative-sticky goes through a topic's partitions from the highest to the lowest.
    """

    defaults: Mapping[str, object] = field(default_factory=dict)
    background: bool = False
    session_clock: bool = False
    naps: bool = False
    expires_at_beats: bool = False
    beats_from_sync: bool = True
    commits_after_revoking: bool = False
    commits_while_joining: bool = False
    tells_reasons: bool = True
    first_metadata_ms: int | None = None
    revokes_nothing: bool = False
    awaits_metadata: bool = False
    sticky_from_the_end: bool = False


TRAITS: dict[str, Traits] = {
    JAVA: Traits(naps=True, beats_from_sync=False, awaits_metadata=True),
    LIBRDKAFKA: Traits(
        defaults={"partition.assignment.strategy": ("range", "roundrobin")},
        background=True,
        session_clock=True,
        commits_after_revoking=True,
        commits_while_joining=True,
        tells_reasons=False,
        sticky_from_the_end=True,
    ),
    KAFKA_PYTHON: Traits(expires_at_beats=True, first_metadata_ms=100, revokes_nothing=True),
}
"""By library: Java's consumer 4.0, librdkafka 2.16, kafka-python 3.0, as recorded."""
