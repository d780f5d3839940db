"""The commands by what people want to do; each is loaded when it is called or its help is shown.

Loading all of them takes longer than most answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

_SECTIONS: dict[str, dict[str, str]] = {
    "From logs": {
        "explain": "explain",
        "incident": "incident",
        "advise": "advise",
    },
    "Look at runs": {
        "report": "report",
        "blame": "blame",
        "unavailable": "read",
        "timeline": "read",
        "rebalances": "read",
        "lag": "lag",
        "compare": "compare",
        "plot": "plot",
        "show": "runs",
        "replay": "replay",
    },
    "Simulate": {
        "run": "run",
        "scenarios": "scenarios",
        "new": "new",
        "sweep": "sweep",
        "sweep-report": "sweep",
        "fuzz": "fuzz",
        "assign": "assign",
        "assignors": "assign",
    },
    "Store": {
        "runs": "runs",
        "export": "runs",
        "import": "import_runs",
        "verify": "verify",
    },
    "Help": {
        "tour": "tour",
        "doctor": "doctor",
    },
}
"""By heading of `groupsim --help`: a command's name, and its module. A module's `app` is a group of commands."""
_NOT_LISTED = {"conformance": "conformance"}
"""For who works on groupsim."""
MODULES = {name: module for section in (*_SECTIONS.values(), _NOT_LISTED) for name, module in section.items()}
"""By command, the module in `groupsim.cli` that is loaded for it."""
_NAMED_OTHERWISE = {"import": "import_runs"}
"""Functions that cannot have the name of their command."""


class Commands(Mapping[str, Any]):
    """Each command by its name."""

    def __getitem__(self, name: str) -> Any:
        """Loads the command. Raises KeyError."""
        return _loaded(name, MODULES[name])

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


class Program(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Commands()  # type: ignore[assignment]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands below their headings."""
        for heading, section in _SECTIONS.items():
            width = formatter.width - 6 - max(map(len, MODULES))
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(width)) for name in section])


@cache
def _loaded(name: str, module: str) -> Any:
    loaded = import_module(f"groupsim.cli.{module}")
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    if module == name and hasattr(loaded, "app"):
        alone.add_typer(loaded.app, name=name)
        command = typer.main.get_command(alone).commands[name]  # type: ignore[attr-defined]
    else:
        alone.command(name)(getattr(loaded, _NAMED_OTHERWISE.get(name, name.replace("-", "_"))))
        command = typer.main.get_command(alone)
    _keep_examples(command)
    return command


def _keep_examples(command: Any) -> None:
    """Keep line breaks in the examples of the help: a wrapped command can't be copied."""
    if command.help:
        command.help = command.help.replace("\n\nExample", "\n\n\b\nExample")
    for inner in getattr(command, "commands", {}).values():
        _keep_examples(inner)
