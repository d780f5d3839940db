"""Settings that are worth asking about: an example for an incident or a scenario, where the user names none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groupsim.advice.replays import Replayed
from groupsim.assignors import ASSIGNORS
from groupsim.coordinator.config import Configs
from groupsim.events.connect import DELAY
from groupsim.events.errors import GroupsimError
from groupsim.replay.broker_limits import MIN_SESSION
from groupsim.replay.choice import AS_RECORDED
from groupsim.replay.protocols import SERVER_ASSIGNORS, protocols
from groupsim.replay.reconstruct.incarnation import Ending
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.reconstruct.streams_program import STANDBYS
from groupsim.replay.replayable import ReplayableRun
from groupsim.simulation.clients.config import CONSUMER

SHORTER = 3
"""A heartbeat so many times as often is asked about."""
DOUBLE = 2
"""Sessions so many times as short and as long are, where somebody was killed: they are waited for."""
SHORTEST_HEARTBEAT_MS, SHORTEST_SESSION_MS = 100, Configs().classic.group_min_session_timeout_ms


def of_incident(incident: ReplayableRun) -> list[str]:
    """`KEY=V1,V2` of settings that matter for the protocol of its members, and that the record can answer."""
    recorded = incident.incident
    if recorded is None:
        return []
    of = Replayed(recorded, incident.window, 0)
    wanted = _of(recorded)
    return [f"{key}={','.join(values)}" for key, values in wanted.items() if _answers(of, key, values)]


def _of(recorded: Incident) -> dict[str, list[str]]:
    if recorded.connect is not None:
        return {DELAY: list(dict.fromkeys(["0", str(recorded.connect.delay_ms)]))}
    if recorded.streams is not None:
        return _of_streams(recorded)
    return _of_consumers(recorded) if protocols(recorded, AS_RECORDED) == {CONSUMER} else _of_classic(recorded)


def _of_classic(recorded: Incident) -> dict[str, list[str]]:
    heartbeat, session = recorded.settings[HEARTBEAT], recorded.settings[SESSION]
    wanted = {
        "assignor": ["range", "cooperative-sticky"],
        HEARTBEAT: [_digits(max(heartbeat // SHORTER, SHORTEST_HEARTBEAT_MS)), str(heartbeat)],
    }
    if any(each.ending is Ending.KILL for each in recorded.incarnations):
        wanted[SESSION] = [str(ms) for ms in (session // DOUBLE, session, session * DOUBLE) if ms > heartbeat]
    if any(len(member.incarnations) > 1 for member in recorded.members):
        wanted["static"] = ["true", "false"]
    return {key: list(dict.fromkeys(values)) for key, values in wanted.items()}


def _of_streams(recorded: Incident) -> dict[str, list[str]]:
    wanted = {STANDBYS: ["0", "1"]}
    if any(len(member.incarnations) > 1 for member in recorded.members):
        wanted["static"] = ["true", "false"]
    return wanted


def _of_consumers(recorded: Incident) -> dict[str, list[str]]:
    heartbeat = recorded.settings[HEARTBEAT]
    other = _digits(heartbeat // SHORTER if heartbeat > SHORTER * 1_000 else heartbeat * SHORTER)
    return {
        "assignor": list(SERVER_ASSIGNORS),
        "group.consumer.heartbeat.interval.ms": sorted((other, str(heartbeat)), key=int),
    }


def limits(varied: Sequence[str]) -> str:
    """What the brokers must allow for such an example; nothing where they do by default."""
    sessions = [values.split(",") for key, _, values in (each.partition("=") for each in varied) if key == SESSION]
    least = min((int(value) for values in sessions for value in values), default=SHORTEST_SESSION_MS)
    if least >= SHORTEST_SESSION_MS:
        return ""
    return f"{SESSION}={least} needs {MIN_SESSION}={least} or less on the brokers ({SHORTEST_SESSION_MS} by default)"


def _digits(number: int) -> str:
    """With two digits that are not 0: nobody sets 333 ms."""
    return str(int(float(f"{number:.1e}")))


def _answers(of: Replayed, key: str, values: Sequence[str]) -> bool:
    try:
        return len(values) > 1 and all(of.refusal({key: value}) is None for value in values)
    except GroupsimError:
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
