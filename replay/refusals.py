"""What a record can't answer, what it has already, and what its logs hardly show or do not show at all."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from groupsim.coordinator.config import names
from groupsim.events.connect import DELAY
from groupsim.events.types import TopicPartition
from groupsim.replay.broker_limits import MIN_SESSION
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.even_sequences import MIDDLE
from groupsim.replay.protocols import OF_STREAMS, REMOTE, STRATEGY, protocols
from groupsim.replay.reconstruct.client_library import offered_assignors
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, MAX_POLL, SESSION
from groupsim.replay.reconstruct.streams_program import STANDBYS
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, STREAMS
from groupsim.simulation.clients.connect.cluster import ConnectConfig
from groupsim.simulation.clients.traits import CONSUMER_TRAITS, not_of
from groupsim.wording.lists import listed

MAX_RECORDS = "max.poll.records"
_OF_WORKERS = frozenset(names(ConnectConfig()))


def refusal(incident: Incident, choice: Choice) -> str | None:
    """Why this record can't answer a choice; None if it can."""
    if choice.restart_ms is not None and all(len(member.incarnations) < 2 for member in incident.members):
        return "no member comes back in it, so there is no restart to change"
    if (program := _other_program(incident, choice)) is not None:
        return program
    if choice.protocol == CONSUMER and incident.client not in CONSUMER_TRAITS:
        return f"its members use {incident.client}, which does not speak the consumer protocol (KIP-848)"
    if MAX_RECORDS in choice.settings and not has_already(incident, choice):
        return "the logs do not show how long a batch of another size takes; the replay keeps the recorded ones"
    heartbeat, shortest = str(choice.settings.get(HEARTBEAT, "")), _shortest_session(incident, choice)
    if SESSION not in incident.known_settings and heartbeat.isdigit() and int(heartbeat) >= shortest:
        return (
            f"{SESSION}, which must be longer, may be {shortest} in it; name it with --assume {SESSION}=N,"
            " or change both"
        )
    wanted = [name for name in str(choice.settings.get(STRATEGY, "")).split(",") if name]
    offered = {name for each in incident.incarnations for name in offered_assignors(each, incident.generations)}
    if missing := [name for name in not_of(incident.client, wanted) if name not in offered]:
        return f"its members use {incident.client}, which is not simulated with {missing[0]}"
    return None


def _other_program(incident: Incident, choice: Choice) -> str | None:
    """Why a choice is none for what the members are: consumers, instances of Kafka Streams, or workers of Connect."""
    named = [name for name in choice.settings if name in OF_STREAMS or name.startswith("group.streams.")]
    if incident.connect is not None:
        taken = choice.settings.keys() <= {*_OF_WORKERS, SESSION, HEARTBEAT, MIN_SESSION}
        if taken and choice.static is None and choice.protocol is None:
            return None
        own = listed(sorted(_OF_WORKERS))
        return f"its members are workers of Kafka Connect: they have {own}, and sessions and heartbeats"
    if _OF_WORKERS & choice.settings.keys():
        return f"its members are no workers of Kafka Connect, which {min(_OF_WORKERS & choice.settings.keys())} is for"
    if incident.streams is None:
        named += [f"group.protocol={STREAMS}"] * (choice.protocol == STREAMS)
        return f"its members are consumers, no instances of Kafka Streams, which {named[0]} is for" if named else None
    if choice.protocol == CONSUMER or any(name.startswith("group.consumer.") for name in choice.settings):
        return f"its members are instances of Kafka Streams, which speak the {CLASSIC} or the {STREAMS} protocol"
    if STRATEGY in choice.settings or REMOTE in choice.settings:
        return "its members are instances of Kafka Streams, which has an assignor of its own"
    warmups = [name for name in choice.settings if name in OF_STREAMS and name != STANDBYS]
    if warmups and STREAMS in protocols(incident, choice):
        return f"{warmups[0]} is for the {CLASSIC} protocol: Kafka 4.4 has no warm-ups in the {STREAMS} protocol"
    return None


def _shortest_session(incident: Incident, choice: Choice) -> float:
    """The shortest session (ms) that members may have with a choice; endless if the choice, or the broker, says so."""
    if SESSION in choice.settings or protocols(incident, choice) != {CLASSIC}:
        return inf
    return min([incident.settings[SESSION], *incident.open_settings.get(SESSION, ())])


def has_already(incident: Incident, choice: Choice) -> bool:
    """Whether everything that a choice sets is so in the record, as far as its logs show."""
    if choice.restart_ms is not None or choice == AS_RECORDED:
        return False
    if choice.protocol is not None and any(each.protocol != choice.protocol for each in incident.incarnations):
        return False
    static = choice.static is None or all((member.instance is not None) == choice.static for member in incident.members)
    return static and all(_has(incident, name, str(value)) for name, value in choice.settings.items())


def _has(incident: Incident, name: str, value: str) -> bool:
    if name == DELAY and incident.connect is not None:
        return incident.connect.known and value == str(incident.connect.delay_ms)
    if name == STANDBYS and incident.streams is not None:
        return value == str(incident.streams.standbys)
    if name != STRATEGY:
        return name in incident.known_settings and str(incident.settings[name]) == value
    named = any(generation.protocol for generation in incident.generations)
    wanted = tuple(value.split(","))
    return named and all(offered_assignors(each, incident.generations) == wanted for each in incident.incarnations)


def open_settings(incident: Incident, choices: Sequence[Choice]) -> dict[str, tuple[int, int]]:
    """The settings that the logs do not show and an answer depends on: between what (ms) they are drawn, or assumed.

    The session counts where somebody dies, freezes, or is static and goes without a word, in the record or by a choice.
    """
    between = {name: (likely[0], likely[-1]) for name, likely in sorted(incident.open_settings.items(), reverse=True)}
    static = any(choice.static for choice in choices)
    if SESSION in incident.known_settings or not any(
        _silent(incarnation, static) for incarnation in incident.incarnations
    ):
        between.pop(SESSION, None)
    elif SESSION not in between:
        between = {SESSION: (incident.settings[SESSION],) * 2, **between}
    return between


def _silent(incarnation: Incarnation, static: bool) -> bool:
    froze = any(stall.kind is StallKind.FROZEN for stall in incarnation.stalls)
    left = incarnation.ending is Ending.CLOSE and (static or incarnation.instance is not None)
    return froze or left or incarnation.ending is Ending.KILL


def hardly_shown(incident: Incident, choice: Choice) -> list[str]:
    """What logs do not show and this choice depends on, one sentence each."""
    found = []
    for key, what in ((SESSION, "a process that was stopped"), (MAX_POLL, "a batch")):
        wanted = str(choice.settings.get(key, ""))
        if wanted.isdigit() and int(wanted) < incident.settings[key]:
            found.append(
                f"{choice.name}: {what} for less than {key}={incident.settings[key]} leaves hardly a trace in logs; a"
                " shorter timeout could remove members that the replay keeps"
            )
    return found


def grown_at_ms(incident: Incident) -> dict[TopicPartition, int]:
    """From when on (ms of the record) partitions exist that a topic did not have at first; as in an exact replay."""
    return {
        TopicPartition(growth.topic, number): growth.happened.at(MIDDLE)
        for growth in incident.growths
        for number in range(incident.topics.get(growth.topic, 0), growth.partitions)
    }
