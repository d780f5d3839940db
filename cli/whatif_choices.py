"""The choices of `groupsim incident whatif`: what --set, --assignor and --protocol mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from groupsim.cli.errors import BadRequest
from groupsim.cli.options import key_values

if TYPE_CHECKING:
    from groupsim.replay.player import Choice

MEMBERSHIP, RESTART = "membership", "restart.ms"
STRATEGY = "partition.assignment.strategy"
STATIC, DYNAMIC = "static", "dynamic"
KIP_848 = "--protocol consumer: the consumer protocol (KIP-848) is not simulated, so it has no result"
_NEXT_KEY = re.compile(r",(?=[A-Za-z][\w.]*=)")


def choices(assignors: Sequence[str], sets: Sequence[str], protocols: Sequence[str]) -> list[Choice]:
    """The choices in order: one for each --assignor, one for each --set (`a=1,b=2` sets both).

    Raises BadRequest, BadSetting.
    """
    for protocol in protocols:
        if protocol == "consumer":
            raise BadRequest(KIP_848)
        if protocol != "classic":
            raise BadRequest(f"--protocol must be classic or consumer, not {protocol!r}")
    found = [_assignor(name) for name in assignors] + [_set(text) for text in sets]
    names = [choice.name for choice in found]
    for name in names:
        if names.count(name) > 1:
            raise BadRequest(f"the choice {name} is given twice")
    return found


def _assignor(names: str) -> Choice:
    from groupsim.assignors import ASSIGNORS
    from groupsim.coordinator.config import near
    from groupsim.replay.player import Choice

    clients = sorted(name for name, assignor in ASSIGNORS.items() if assignor.side == "client")
    for name in names.split(","):
        if name not in clients:
            why = "is a server-side assignor, which only KIP-848 uses" if name in ASSIGNORS else "is unknown"
            raise BadRequest(f"--assignor {name!r} {why}{near(name, clients)}; known: {', '.join(clients)}")
    return Choice(name=names, settings={STRATEGY: names})


def _set(text: str) -> Choice:
    from groupsim.coordinator.config import Configs, near
    from groupsim.coordinator.config import names as setting_names
    from groupsim.replay.player import Choice
    from groupsim.simulation.clients.config import ConsumerConfig

    given = key_values(_NEXT_KEY.split(text), "--set")
    membership, restart = given.pop(MEMBERSHIP, None), given.pop(RESTART, None)
    if membership not in (None, STATIC, DYNAMIC):
        raise BadRequest(f"--set {MEMBERSHIP}={membership}: must be {STATIC} or {DYNAMIC}")
    if restart is not None and not (restart.isascii() and restart.isdigit()):
        raise BadRequest(f"--set {RESTART}={restart}: must be a whole number of milliseconds")
    known = [*Configs().names(), *setting_names(ConsumerConfig()), MEMBERSHIP, RESTART]
    for key in given:
        if key not in known:
            raise BadRequest(f"--set {key}: unknown setting{near(key, known)}")
    return Choice(
        name=text,
        settings=given,
        static=None if membership is None else membership == STATIC,
        restart_ms=None if restart is None else int(restart),
    )
