"""The group that is replayed: consumers, instances of an application of Kafka Streams, or workers of Kafka Connect."""

from __future__ import annotations

from collections.abc import Mapping

from groupsim.replay.choice import Choice
from groupsim.replay.protocols import PROTOCOL
from groupsim.replay.reconstruct.connect_program import ConnectProgram
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.reconstruct.streams_program import STANDBYS
from groupsim.replay.replayed_topics import ReplayedTopics
from groupsim.simulation.clients.config import STREAMS
from groupsim.simulation.clients.streams.application import Part
from groupsim.simulation.connect_group import ConnectHandle
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
    if incident.connect is not None:
        return _cluster(world, incident, incident.connect)
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


def _cluster(world: World, incident: Incident, program: ConnectProgram) -> ConnectHandle:
    """With those connectors that were there before the record; settings of the choice are those of the run."""
    config = {SESSION: incident.settings[SESSION], HEARTBEAT: incident.settings[HEARTBEAT]}
    return world.connect(
        GROUP, program.at_first, delay=program.delay_ms, protocol=program.protocol, times=program.times, config=config
    )
