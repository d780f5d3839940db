"""`drawn_settings`: the settings of one seed; each seed draws those that the record leaves open."""

from __future__ import annotations

from collections.abc import Callable

from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION


def drawn_settings(incident: Incident, draw: Callable[[], float]) -> dict[str, int]:
    """The settings in ms, for any choice of one seed; those that the record leaves open are drawn.

    `draw` gives numbers from 0 to 1, for each of them one.
    """
    drawn = {name: likely[int(draw() * len(likely))] for name, likely in sorted(incident.open_settings.items())}
    settings = {**incident.settings, **drawn}
    if settings[HEARTBEAT] >= settings[SESSION]:
        settings[HEARTBEAT] = max(1, settings[SESSION] // 3)
    return settings
