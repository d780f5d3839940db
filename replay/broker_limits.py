"""What a choice needs of the brokers: their limits, where it is outside the usual ones.

A broker refuses a classic member whose session is not within group.min and group.max.session.timeout.ms, and a setting
of a group that is not within group.consumer.min and group.consumer.max.* (Kafka: GroupCoordinatorConfig, GroupConfig).
"""

from __future__ import annotations

from collections.abc import Mapping

from groupsim.coordinator.config import Configs, names
from groupsim.replay import protocols
from groupsim.replay.choice import Choice
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import SESSION
from groupsim.simulation.clients.config import CLASSIC, NATIVE

MIN_SESSION, MAX_SESSION = "group.min.session.timeout.ms", "group.max.session.timeout.ms"


def session_limits(incident: Incident, choice: Choice) -> dict[str, int]:
    """The limits of a classic session that are wider than by default, so that the choice is possible.

    Those that the choice names stay as they are.
    """
    wanted = str(choice.settings.get(SESSION, ""))
    if CLASSIC not in protocols.protocols(incident, choice) or not wanted.isdigit():
        return {}
    ms, defaults = int(wanted), _defaults()
    wider = {MIN_SESSION: ms < defaults[MIN_SESSION], MAX_SESSION: ms > defaults[MAX_SESSION]}
    return {key: ms for key, is_wider in wider.items() if is_wider and key not in choice.settings}


def needs(incident: Incident, choice: Choice) -> tuple[str, ...]:
    """What the brokers must allow for a choice, each with the default; nothing that the record shows to be allowed."""
    bounds = session_limits(incident, choice)
    recorded = protocols.protocols(incident, Choice(name=""))
    if protocols.native(incident) in protocols.protocols(incident, choice):
        set_ = protocols.group_settings(incident, choice)
        if protocols.native(incident) in recorded:  # what the choice does not name the brokers took
            set_ = {key: ms for key, ms in set_.items() if protocols.broker_name(key) in choice.settings}
        bounds |= {key: ms for key, ms in protocols.broker_bounds(set_, choice.settings).items() if _is_limit(key)}
    defaults = _defaults()
    return tuple(
        f"{key}={ms} or {'less' if '.min.' in key else 'more'} on the brokers ({defaults[key]} by default)"
        for key, ms in sorted(bounds.items())
        if not _allowed(incident, key, ms, recorded)
    )


def _is_limit(key: str) -> bool:
    return ".min." in key or ".max." in key


def _allowed(incident: Incident, key: str, ms: int, recorded: set[str]) -> bool:
    """Whether the record has a value that is as far outside."""
    protocol = next((kind for kind in NATIVE if key.startswith(f"group.{kind}.")), CLASSIC)
    stem = key.removeprefix("group.").removeprefix(f"{protocol}.").removeprefix("min.").removeprefix("max.")
    shown = stem in incident.known_settings and recorded == {protocol}
    own = incident.settings.get(stem, ms)
    return shown and (own <= ms if ".min." in key else own >= ms)


def _defaults() -> Mapping[str, int]:
    parts = (Configs().classic, Configs().consumer, Configs().streams)
    return {name: getattr(part, name.replace(".", "_")) for part in parts for name in names(part) if _is_limit(name)}
