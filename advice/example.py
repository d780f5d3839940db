"""Settings that are worth asking about: an example for an incident or a scenario, where the user names none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groupsim.advice.replays import Replayed
from groupsim.assignors import ASSIGNORS
from groupsim.events.errors import GroupSimError
from groupsim.replay.choice import AS_RECORDED
from groupsim.replay.protocols import SERVER_ASSIGNORS, protocols
from groupsim.replay.reconstruct.incarnation import Ending
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.replayable import ReplayableRun
from groupsim.simulation.clients.config import CONSUMER

SHORTER = 3
"""A heartbeat so many times as often, and a session as short, are asked about."""
SHORTEST_SESSION_MS, SHORTEST_HEARTBEAT_MS = 6_000, 100
"""Brokers take no shorter session by default."""


def of_incident(incident: ReplayableRun) -> list[str]:
    """`KEY=V1,V2` of settings that matter for the protocol of its members, and that the record can answer."""
    recorded = incident.incident
    if recorded is None:
        return []
    of = Replayed(recorded, incident.window, 0)
    wanted = _of_consumers(recorded) if protocols(recorded, AS_RECORDED) == {CONSUMER} else _of_classic(recorded)
    return [f"{key}={','.join(values)}" for key, values in wanted.items() if _answers(of, key, values)]


def _of_classic(recorded: Incident) -> dict[str, list[str]]:
    heartbeat, session = recorded.settings[HEARTBEAT], recorded.settings[SESSION]
    wanted = {
        "assignor": ["range", "cooperative-sticky"],
        HEARTBEAT: [_digits(max(heartbeat // SHORTER, SHORTEST_HEARTBEAT_MS)), str(heartbeat)],
    }
    if any(each.ending is Ending.KILL for each in recorded.incarnations):
        wanted[SESSION] = [str(max(session // SHORTER, SHORTEST_SESSION_MS)), str(max(session, 10_000))]
    if any(len(member.incarnations) > 1 for member in recorded.members):
        wanted["static"] = ["true", "false"]
    return {key: list(dict.fromkeys(values)) for key, values in wanted.items()}


def _of_consumers(recorded: Incident) -> dict[str, list[str]]:
    heartbeat = recorded.settings[HEARTBEAT]
    return {
        "assignor": list(SERVER_ASSIGNORS),
        "group.consumer.heartbeat.interval.ms": [_digits(max(heartbeat // SHORTER, 1_000)), str(heartbeat)],
    }


def _digits(number: int) -> str:
    """With two digits that are not 0: nobody sets 333 ms."""
    return str(int(float(f"{number:.1e}")))


def _answers(of: Replayed, key: str, values: Sequence[str]) -> bool:
    try:
        return len(values) > 1 and all(of.refusal({key: value}) is None for value in values)
    except GroupSimError:
        return False


def of_scenario(params: Mapping[str, int | float | str | bool]) -> list[str]:
    """`KEY=V1,V2` of a parameter or two that settings of a group are made of; else of the heartbeat interval."""
    found = []
    for key, value in params.items():
        if isinstance(value, bool):
            found.append(f"{key}=true,false")
        elif isinstance(value, str) and value in ASSIGNORS:
            found.append(f"{key}={value},{'range' if value != 'range' else 'cooperative-sticky'}")
    return found[:2] or [f"{HEARTBEAT}=1000,3000"]
