"""Kafka settings by name: whether they exist and are legal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupsim.coordinator.config import BadSetting, Configs, concerning, names, near, with_settings
from groupsim.simulation.clients.config import BOUNDS, ConsumerConfig
from groupsim.simulation.load import NAMES, load_of

Settings = Mapping[str, int | float | str | bool]


def check_settings(settings: Settings, also: Iterable[str] = ()) -> None:
    """Raises BadSetting for a name that is neither Kafka's nor the load's nor one of `also` (a scenario's own)."""
    known = [*Configs().names(), *names(ConsumerConfig()), *NAMES, *also]
    for name in settings:
        if name not in known:
            raise BadSetting(f"unknown setting {name!r}{near(name, known)}")
    Configs().with_settings(Configs().among(settings))
    with_settings(ConsumerConfig(), concerning(ConsumerConfig(), settings), BOUNDS)
    load_of(settings)
