"""Play a script of any group protocol against the simulated coordinator."""

from __future__ import annotations

from groupsim.conformance.scripts.classic import player as classic
from groupsim.conformance.scripts.configs import CLASSIC, brokers_of
from groupsim.conformance.scripts.groups import player as groups
from groupsim.conformance.scripts.script import Script


def play(script: Script) -> Script:
    """The script with the simulated answers: `response`, `after` and `t` (ms) of every step. Raises BadScript."""
    return classic.play(script) if brokers_of(script) is CLASSIC else groups.play(script)
