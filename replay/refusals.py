"""What a record can't answer, and what its logs hardly show: the reasons, in words."""

from __future__ import annotations

from groupsim.events.types import TopicPartition
from groupsim.replay.choice import Choice
from groupsim.replay.even_draws import MIDDLE
from groupsim.replay.protocols import STRATEGY
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import MAX_POLL, SESSION
from groupsim.simulation.clients.config import CONSUMER, LIBRDKAFKA
from groupsim.simulation.clients.traits import CONSUMER_TRAITS

_OF_LIBRDKAFKA = ("range", "roundrobin", "cooperative-sticky")


def refusal(incident: Incident, choice: Choice) -> str | None:
    """Why this record can't answer a choice; None if it can."""
    if choice.restart_ms is not None and all(len(member.incarnations) < 2 for member in incident.members):
        return "no member comes back in it, so there is no restart to change"
    if choice.protocol == CONSUMER and incident.client not in CONSUMER_TRAITS:
        return f"its members use {incident.client}, which does not speak the consumer protocol (KIP-848)"
    wanted = str(choice.settings.get(STRATEGY, "")).split(",")
    missing = [name for name in wanted if name and name not in _OF_LIBRDKAFKA]
    if incident.client == LIBRDKAFKA and missing:
        return f"its members use librdkafka, which has no {missing[0]}"
    return None


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
        for number in range(incident.topics[growth.topic], growth.partitions)
    }
