"""Which group protocol each replayed member speaks, and what that makes of the settings (KIP-848, KIP-1071).

With the consumer and the streams protocol session and heartbeat are the broker's, for the whole group, and so is the
assignor. A choice of another protocol keeps the recorded times: what an administrator would set for the group to
compare like with like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupsim.coordinator.config import BadSetting, Configs, names
from groupsim.coordinator.modern.group_config import ASSIGNMENT_INTERVAL, HEARTBEAT_INTERVAL, SESSION_TIMEOUT
from groupsim.replay.choice import Choice
from groupsim.replay.reconstruct.client_library import offered_assignors
from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import (
    HEARTBEAT,
    INITIAL_DELAY,
    MAX_POLL,
    METADATA_AGE,
    SESSION,
)
from groupsim.replay.reconstruct.streams_program import STANDBYS
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, NATIVE, REFUSED, STREAMS, ConsumerConfig
from groupsim.simulation.clients.streams.config import StreamsConfig

PROTOCOL, STRATEGY, REMOTE = "group.protocol", "partition.assignment.strategy", "group.remote.assignor"
ASSIGNORS = "group.consumer.assignors"
SERVER_ASSIGNORS = ("uniform", "range")
"""Those that a broker offers by default; the first is its default."""
_REPLACES = {SESSION_TIMEOUT: SESSION, HEARTBEAT_INTERVAL: HEARTBEAT, ASSIGNMENT_INTERVAL: ""}
"""By a group's own setting, without its type: the classic member's that it replaces."""
OF_STREAMS = frozenset(names(StreamsConfig()))
"""Settings of Kafka Streams that count with the classic protocol; with its own the broker decides."""
_DEFAULT_AGE_MS = ConsumerConfig().metadata_max_age_ms
_BROKERS = tuple(f"group.{kind}.{stem}" for kind in NATIVE for stem in _REPLACES)


def protocol_of(incarnation: Incarnation, choice: Choice) -> str:
    """The protocol that an incarnation speaks in a replay with this choice."""
    return choice.protocol or incarnation.protocol


def native(incident: Incident) -> str:
    """The protocol that its members speak where the broker decides: of Kafka Streams, or of consumers."""
    return CONSUMER if incident.streams is None else STREAMS


def protocols(incident: Incident, choice: Choice) -> set[str]:
    """The protocols that members of the incident speak in a replay with this choice."""
    return {protocol_of(each, choice) for each in incident.incarnations}


def check(incident: Incident, choice: Choice) -> None:
    """Raises BadSetting, in the words of Kafka's client, for settings that the members' protocol does not take."""
    used = protocols(incident, choice)
    if len(used) > 1:  # each member takes what concerns it
        return
    (protocol,) = used
    refused = [name for name in REFUSED[protocol] if name in choice.settings]
    if refused:
        instead = [f"group.{protocol}.{stem}" for stem, classic in _REPLACES.items() if classic in refused]
        hint = f"; the broker decides: {', '.join(instead)}" if instead else ""
        if STRATEGY in refused and protocol == CONSUMER:
            hint = f"; the broker assigns: {REMOTE}={' or '.join(SERVER_ASSIGNORS)}"
        raise BadSetting(f"{', '.join(refused)} cannot be set when group.protocol={protocol.upper()}{hint}")


def run_settings(incident: Incident, choice: Choice) -> dict[str, int | str]:
    """The settings of all members, and of the broker: those that no protocol refuses."""
    special = {name for refused in REFUSED.values() for name in refused}
    if protocols(incident, choice) == {CLASSIC}:
        special = {REMOTE}
    elif incident.streams is not None:
        special |= OF_STREAMS
    if incident.connect is not None:
        special |= {MAX_POLL}  # workers have rebalance.timeout.ms instead
    known = {key: value for key, value in incident.settings.items() if key != INITIAL_DELAY}
    if incident.metadata_age_ms is not None and in_own_time(incident, choice):
        known[METADATA_AGE] = incident.metadata_age_ms  # else they notice as recorded, whatever their age
    every: dict[str, int | str] = {**known, **choice.settings}
    return {key: value for key, value in every.items() if key not in (*special, PROTOCOL, *_BROKERS)}


def metadata_age_ms(incident: Incident, choice: Choice) -> int:
    """metadata.max.age.ms: as chosen, as given or printed, or Kafka's default."""
    chosen = str(choice.settings.get(METADATA_AGE, ""))
    if chosen.isdigit():
        return int(chosen)
    return _DEFAULT_AGE_MS if incident.metadata_age_ms is None else incident.metadata_age_ms


def in_own_time(incident: Incident, choice: Choice) -> bool:
    """Whether members look for new partitions when their metadata are old, not when the record's members noticed them.

    Another metadata.max.age.ms is chosen; or it was the coordinator of a consumer group that noticed, and classic
    members have to do it now.
    """
    looked = any(growth.by_coordinator for growth in incident.growths)
    return METADATA_AGE in choice.settings or (looked and choice.protocol == CLASSIC)


def group_settings(incident: Incident, choice: Choice) -> dict[str, int]:
    """What is set for the group alone (`kafka-configs --group`): session and heartbeat as recorded, if not chosen."""
    found: dict[str, int] = {}
    kind = native(incident)
    for stem, classic in _REPLACES.items():
        name, brokers = f"{kind}.{stem}", f"group.{kind}.{stem}"
        chosen = str(choice.settings.get(brokers, ""))
        if chosen and not chosen.isdigit():
            raise BadSetting(f"{brokers}={chosen}: must be a whole number of milliseconds")
        if chosen:
            found[name] = int(chosen)
        elif classic:
            found[name] = incident.settings[classic]
    if incident.streams is not None:
        of_broker = choice.settings.get(f"group.{kind}.{STANDBYS}", incident.streams.standbys)
        wanted = str(choice.settings.get(STANDBYS, of_broker))
        if not wanted.isdigit():
            raise BadSetting(f"{STANDBYS}={wanted}: must be a whole number")
        found[f"{kind}.{STANDBYS}"] = int(wanted)
    return found


def session_ms(incident: Incident, choice: Choice) -> int:
    """The session of a group whose broker decides it."""
    return group_settings(incident, choice)[f"{native(incident)}.{SESSION_TIMEOUT}"]


def heartbeats_ms(incident: Incident, choice: Choice) -> int:
    """What passes between two heartbeats of a group whose broker decides it, and between two of its targets."""
    group, kind = group_settings(incident, choice), native(incident)
    return group[f"{kind}.{HEARTBEAT_INTERVAL}"] + group.get(f"{kind}.{ASSIGNMENT_INTERVAL}", 0)


def broker_name(of_group: str) -> str:
    """The broker's default for a setting of a group."""
    return f"group.{of_group}"


def broker_bounds(group: Mapping[str, int], settings: Mapping[str, str]) -> dict[str, int]:
    """The broker's bounds, so wide that it takes the group's settings; those that the choice names stay as they are."""
    defaults = {CONSUMER: Configs().consumer, STREAMS: Configs().streams}
    found: dict[str, int] = {}
    for name, value in group.items():
        kind, _, stem = name.partition(".")
        bounds = {"min": min, "max": max}
        for part in bounds:
            key = f"group.{kind}.{part}.{stem.removeprefix('num.')}"
            usual = getattr(defaults[kind], key.replace(".", "_"), value)
            if key not in settings and bounds[part](usual, value) != usual:
                found[key] = value
        usual = getattr(defaults[kind], f"group.{name}".replace(".", "_"))
        if not found.get(f"group.{kind}.min.{stem}", usual) <= usual <= found.get(f"group.{kind}.max.{stem}", usual):
            found[f"group.{name}"] = value
    return found


def member_config(incident: Incident, choice: Choice, incarnation: Incarnation) -> dict[str, object]:
    """The settings of one incarnation that only its protocol takes."""
    if not incident.of_consumers:
        return {}
    if protocol_of(incarnation, choice) == CONSUMER:
        return {PROTOCOL: CONSUMER, REMOTE: _remote(incident, choice, incarnation)}
    own: dict[str, object] = {
        PROTOCOL: CLASSIC,
        STRATEGY: choice.settings.get(STRATEGY) or offered_assignors(incarnation, incident.generations),
    }
    if protocols(incident, choice) != {CLASSIC}:
        own |= {name: choice.settings.get(name, incident.settings[name]) for name in (SESSION, HEARTBEAT)}
    return own


def _remote(incident: Incident, choice: Choice, incarnation: Incarnation) -> str:
    """The assignor that it votes for: the recorded one, where that is a server's, else none (the broker's default)."""
    if REMOTE in choice.settings:
        return str(choice.settings[REMOTE])
    if incarnation.protocol != CONSUMER:
        return ""
    used = [g.protocol for g in incident.generations if g.protocol in SERVER_ASSIGNORS]
    return used[-1] if used and used[-1] != SERVER_ASSIGNORS[0] else ""


def assignor_meant(incident: Incident, choice: Choice) -> str | None:
    """The assignor that a choice of a protocol means without naming it, and why; None where that is as recorded."""
    if not incident.of_consumers:
        return None
    if choice.protocol == CLASSIC:
        return _classic_assignor_meant(incident, choice)
    if choice.protocol != CONSUMER or REMOTE in choice.settings:
        return None
    votes = sorted({_remote(incident, choice, each) for each in incident.incarnations} - {""})
    if votes:
        return f"{' or '.join(votes)} as recorded"
    offered = str(choice.settings.get(ASSIGNORS, SERVER_ASSIGNORS[0]))
    return f"{offered.split(',')[0].strip()} by default"


def _classic_assignor_meant(incident: Incident, choice: Choice) -> str | None:
    recorded = {incarnation.protocol for incarnation in incident.incarnations}
    if STRATEGY in choice.settings or recorded == {CLASSIC}:
        return None
    offered = dict.fromkeys(
        offered_assignors(incarnation, incident.generations)[0] for incarnation in incident.incarnations
    )
    return f"{' or '.join(offered)} {'as recorded' if CLASSIC in recorded else 'by default'}"


def notes(incident: Incident, choices: Iterable[Choice]) -> list[str]:
    """What a change of the protocol assumes, one sentence for each choice that makes one."""
    sentences = []
    recorded = {incarnation.protocol for incarnation in incident.incarnations}
    for choice in choices:
        if choice.protocol is None or recorded == {choice.protocol}:
            continue
        if incident.streams is not None and choice.protocol == CONSUMER:
            continue
        session, heartbeat = incident.settings[SESSION], incident.settings[HEARTBEAT]
        if choice.protocol == CLASSIC:
            sentences.append(
                f"{choice.name}: each member's own {SESSION}={session} and {HEARTBEAT}={heartbeat} take the place of"
                " the group's"
            )
            if in_own_time(incident, choice):
                assumed = (
                    f" (Kafka's default; no log shows it, and a shorter one costs less: --assume {METADATA_AGE}=N)"
                )
                known = incident.metadata_age_ms is not None or METADATA_AGE in choice.settings
                sentences.append(
                    f"{choice.name}: members look for new topics and partitions themselves, every"
                    f" {METADATA_AGE}={metadata_age_ms(incident, choice)}{'' if known else assumed};"
                    " the coordinator did it in the record"
                )
            continue
        group = group_settings(incident, choice)
        needed = [f"{name}={value}" for name, value in sorted(broker_bounds(group, choice.settings).items())]
        bounds = f"; the broker must allow it: {', '.join(n for n in needed if '.min.' in n or '.max.' in n)}"
        sentences.append(
            f"{choice.name}: session and heartbeat are the broker's, taken as recorded: kafka-configs --group with"
            f" {', '.join(f'{name}={value}' for name, value in group.items())}{bounds if needed else ''}"
        )
    return sentences
