"""groupsim: which partitions of a Kafka group were unavailable, for how long, and why?

The public interface: everything that the commands do, as functions that give objects. Everything else is imported from
the package it lives in: `from groupsim.assignors import ASSIGNORS`.

    import groupsim
    run = groupsim.run("rolling_restart", seed=7)
    print(run.answer)
    run.unavailable()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groupsim.analysis import compare, sensitivity
    from groupsim.api.advising import Advice, advise
    from groupsim.api.asking import WhatIf
    from groupsim.api.assigning import Assignment, assign
    from groupsim.api.checking import Check, check
    from groupsim.api.examples import example
    from groupsim.api.explaining import Explanation, explain
    from groupsim.api.importing import import_logs
    from groupsim.api.run import Run, load
    from groupsim.api.running import run
    from groupsim.api.sweeping import Sweep, sweep
    from groupsim.events.errors import GroupsimError
    from groupsim.scenarios.dsl import Application, Script, World, hours, minutes, scenario, seconds
    from groupsim.storage import open_store

__all__ = [
    "Advice",
    "Application",
    "Assignment",
    "Check",
    "Explanation",
    "GroupsimError",
    "Run",
    "Script",
    "Sweep",
    "WhatIf",
    "World",
    "advise",
    "assign",
    "check",
    "compare",
    "example",
    "explain",
    "hours",
    "import_logs",
    "load",
    "minutes",
    "open_store",
    "run",
    "scenario",
    "seconds",
    "sensitivity",
    "sweep",
]

_HOMES = {
    "analysis": ("compare", "sensitivity"),
    "api.advising": ("Advice", "advise"),
    "api.asking": ("WhatIf",),
    "api.assigning": ("Assignment", "assign"),
    "api.checking": ("Check", "check"),
    "api.examples": ("example",),
    "api.explaining": ("Explanation", "explain"),
    "api.importing": ("import_logs",),
    "api.run": ("Run", "load"),
    "api.running": ("run",),
    "api.sweeping": ("Sweep", "sweep"),
    "events.errors": ("GroupsimError",),
    "scenarios.dsl": ("Application", "Script", "World", "hours", "minutes", "scenario", "seconds"),
    "storage": ("open_store",),
}


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first asked for: pandas and SimPy take a second to load."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for completion."""
    return __all__
