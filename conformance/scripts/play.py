"""Play a script of any group protocol against the simulated coordinator."""

from __future__ import annotations

from collections.abc import Callable

from groupsim.conformance.scripts.classic import player
from groupsim.conformance.scripts.configs import GroupProtocol, config_of
from groupsim.conformance.scripts.script import Script

PLAYERS: dict[GroupProtocol, Callable[[Script], Script]] = {GroupProtocol.CLASSIC: player.play}


def play(script: Script) -> Script:
    """The script with the simulated answers: `response`, `after` and `t` (ms) of every step. Raises BadScript."""
    return PLAYERS[config_of(script).protocol](script)
