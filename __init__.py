"""groupsim: which partitions of a Kafka group were unavailable, for how long, and why?

The public interface. Everything else is imported from the package it lives in:
`from groupsim.assignors import ASSIGNORS`.

    import groupsim
    run = groupsim.load("groupsim.db", run="latest")
    print(run.unavailable())
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groupsim.analysis import compare, load, sensitivity
    from groupsim.scenarios.dsl import Application, minutes, scenario, seconds
    from groupsim.storage import open_store

__all__ = [
    "Application",
    "compare",
    "load",
    "minutes",
    "open_store",
    "scenario",
    "seconds",
    "sensitivity",
]

_HOMES = {
    "analysis": ("compare", "load", "sensitivity"),
    "scenarios.dsl": ("Application", "minutes", "scenario", "seconds"),
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
