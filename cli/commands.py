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

_SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "From logs": {
        "explain": ("explain", "Say what happened, why, and what to change."),
        "import": ("incident", "Turn logs into a run: figures, reports, what-ifs."),
        "whatif": ("whatif", "Simulate an incident again with other choices."),
        "advise": ("advise", "Find the best of several settings."),
        "read": ("incident_read", "Show what each line of a log says."),
        "record": ("record", "Record what a cluster keeps of its groups."),
    },
    "Look at runs": {
        "report": ("report", "Write an HTML report of one or more runs."),
        "blame": ("blame", "Show what partitions waited for."),
        "unavailable": ("read", "Show which partitions had no reader, and when."),
        "timeline": ("read", "Show who owned each partition, and when."),
        "rebalances": ("read", "List the rebalances: cause, length, cost."),
        "lag": ("lag", "Show how far commits were behind."),
        "compare": ("compare", "Compare runs side by side."),
        "plot": ("plot", "Draw a picture of a run."),
        "show": ("runs", "Show the stored facts of a run."),
        "replay": ("replay", "Fold the stored facts of a run again."),
    },
    "Simulate": {
        "run": ("run", "Simulate a scenario, and store its facts."),
        "scenarios": ("scenarios", "List the built-in scenarios."),
        "new": ("new", "Write a scenario file to start from."),
        "sweep": ("sweep", "Simulate many settings and seeds on Spark."),
        "sweep-report": ("sweep", "Show the best choices of a sweep."),
        "fuzz": ("fuzz", "Look for a seed that breaks an invariant."),
        "check": ("check", "Hold settings and manifests to limits, in CI."),
        "assign": ("assign", "Ask assignors who gets which partitions."),
        "assignors": ("assign", "List the assignors and their drawbacks."),
    },
    "Store": {
        "runs": ("runs", "List the stored runs."),
        "export": ("runs", "Write runs to Parquet or JSON Lines."),
        "load": ("load", "Put exported runs into a store."),
        "verify": ("verify", "Check that a run is stored as it was written."),
    },
    "Help": {
        "tour": ("tour", "See the main commands in five minutes."),
        "doctor": ("doctor", "Check that everything needed is installed."),
    },
}
"""By heading of `groupsim --help`: a command's name, its module, and what it does in a sentence that fits a line.

A module's `app` is a group of commands.
"""
_NOT_LISTED = {"conformance": "conformance", "incident": "incident"}
"""For who works on groupsim; and `import`, `whatif`, `read` and `record`, as these were called before."""
MODULES = {name: module for section in _SECTIONS.values() for name, (module, _) in section.items()} | _NOT_LISTED
"""By command, the module in `groupsim.cli` that is loaded for it."""
_NAMED_OTHERWISE = {"import": "import_"}
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
            with formatter.section(heading):
                formatter.write_dl([(name, summary) for name, (_, summary) in section.items()])


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
