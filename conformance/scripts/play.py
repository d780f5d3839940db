"""Play a script of any group protocol against the simulated coordinator."""

from __future__ import annotations

from collections.abc import Callable

from groupsim.conformance.scripts.classic import player as classic
from groupsim.conformance.scripts.configs import GroupProtocol, protocol_of
from groupsim.conformance.scripts.consumer import player as consumer
from groupsim.conformance.scripts.script import Script

PLAYERS: dict[GroupProtocol, Callable[[Script], Script]] = {
    GroupProtocol.CLASSIC: classic.play,
    GroupProtocol.CONSUMER: consumer.play,
}


def play(script: Script) -> Script:
    """The script with the simulated answers: `response`, `after` and `t` (ms) of every step. Raises BadScript."""
    return PLAYERS[protocol_of(script)](script)
