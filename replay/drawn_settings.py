"""`drawn_settings`: the settings of one seed; each seed draws those that the record leaves open."""

from __future__ import annotations

from random import Random

from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION


def drawn_settings(incident: Incident, seed: int) -> dict[str, int]:
    """The settings in ms, for any choice of this seed; those that the record leaves open are drawn."""
    drawn = {name: Random(f"{seed} {name}").choice(likely) for name, likely in sorted(incident.open_settings.items())}
    settings = {**incident.settings, **drawn}
    if settings[HEARTBEAT] >= settings[SESSION]:
        settings[HEARTBEAT] = max(1, settings[SESSION] // 3)
    return settings
