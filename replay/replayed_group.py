"""The group that is replayed: of consumers, or the application of Kafka Streams whose instances are its members."""

from __future__ import annotations

from collections.abc import Mapping

from groupsim.replay.choice import Choice
from groupsim.replay.protocols import PROTOCOL
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.streams_program import STANDBYS
from groupsim.replay.replayed_topics import ReplayedTopics
from groupsim.simulation.clients.config import STREAMS
from groupsim.simulation.clients.streams.application import Part
from groupsim.simulation.group import GroupHandle
from groupsim.simulation.world import World

GROUP = "g"
STREAMS_DELAY = "group.streams.initial.rebalance.delay.ms"


def declared(
    world: World,
    incident: Incident,
    choice: Choice,
    topics: ReplayedTopics,
    group_config: Mapping[str, int],
    disks: Mapping[str, str | None],
) -> GroupHandle:
    """Declare it. `group_config`: what is set for the group; `disks`: process ids of Kafka Streams by member's name."""
    program = incident.streams
    if program is None:
        return world.group(GROUP, group_config=group_config)
    protocol = choice.protocol or program.protocol
    parts = [Part((topic,), program.store) for topic in topics.subscribed(())]
    processes = {label: disk for label, disk in disks.items() if disk is not None}
    if protocol == STREAMS:
        return world.streams(GROUP, *parts, config={PROTOCOL: protocol}, group_config=group_config, processes=processes)
    config: dict[str, int | str] = {PROTOCOL: protocol, STANDBYS: program.standbys, **program.config}
    return world.streams(GROUP, *parts, config=config, processes=processes)
