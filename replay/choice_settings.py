"""`choice_of`: settings by name, as a user writes them, as a choice that can be replayed."""

from __future__ import annotations

from collections.abc import Mapping

from groupsim.coordinator.config import BadSetting, Configs, near
from groupsim.coordinator.config import names as setting_names
from groupsim.replay.choice import Choice
from groupsim.replay.protocols import PROTOCOL, REMOTE, SERVER_ASSIGNORS, STRATEGY
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, STREAMS, ConsumerConfig
from groupsim.simulation.clients.connect.cluster import ConnectConfig
from groupsim.simulation.clients.streams.config import StreamsConfig
from groupsim.wording.lists import either

MEMBERSHIP, RESTART = "membership", "restart.ms"
STATIC, DYNAMIC = "static", "dynamic"
ASSIGNOR = "assignor"
PROTOCOLS = (CLASSIC, CONSUMER, STREAMS)
_WORDS = {"static": MEMBERSHIP, "protocol": PROTOCOL, "restart_ms": RESTART}
"""Short words for some of the keys."""
_TRUTH = {"true": STATIC, "false": DYNAMIC}


def choice_of(given: Mapping[str, str], name: str, option: str, recorded: str | None = None) -> Choice:
    """The choice `name` with these settings: Kafka's, `membership`, `restart.ms`, `assignor`; `option` named them.

    `recorded`: the protocol of the record's members; it tells whose assignor is meant. Raises BadSetting.
    """
    settings = {_WORDS.get(key, key): value for key, value in given.items()}
    if len(settings) < len(given):
        raise BadSetting(f"{option} {name}: a setting is given twice")
    membership, restart = settings.pop(MEMBERSHIP, None), settings.pop(RESTART, None)
    membership = _TRUTH.get(membership or "", membership)
    if membership not in (None, STATIC, DYNAMIC):
        raise BadSetting(f"{option} {MEMBERSHIP}={membership}: must be {STATIC} or {DYNAMIC}")
    if restart is not None and not (restart.isascii() and restart.isdigit()):
        raise BadSetting(f"{option} {RESTART}={restart}: must be a whole number of milliseconds")
    protocol = settings.pop(PROTOCOL, None)
    if protocol not in (None, *PROTOCOLS):
        raise BadSetting(f"{option} {PROTOCOL}={protocol}: must be {either(PROTOCOLS)}")
    if (assignor := settings.pop(ASSIGNOR, None)) is not None:
        settings[_whose(assignor, protocol or recorded, option)] = assignor
    clients = (*setting_names(ConsumerConfig()), *setting_names(StreamsConfig()), *setting_names(ConnectConfig()))
    known = [*Configs().names(), *clients, MEMBERSHIP, RESTART]
    for key in settings:
        if key not in known:
            raise BadSetting(f"{option} {key}: unknown setting{near(key, known)}")
    return Choice(
        name=name,
        settings=settings,
        static=None if membership is None else membership == STATIC,
        protocol=protocol,
        restart_ms=None if restart is None else int(restart),
    )


def _whose(assignor: str, protocol: str | None, option: str) -> str:
    """The setting that names this assignor: a broker's, where members speak the consumer protocol."""
    if protocol != CONSUMER:
        return STRATEGY
    if assignor not in SERVER_ASSIGNORS:
        raise BadSetting(
            f"{option} {ASSIGNOR}={assignor}: with the consumer protocol the broker assigns, by"
            f" {' or '.join(SERVER_ASSIGNORS)}"
        )
    return REMOTE
