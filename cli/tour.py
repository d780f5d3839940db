"""`groupsim tour`: the main commands on built-in data, one after the other."""

from __future__ import annotations

import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from groupsim.cli.output import console, note

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "incidents"


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of the tour: an explanation and its command, in which `{examples}` is replaced."""

    text: str
    command: str


STOPS = (
    Stop(
        "A rolling restart. Two equal groups of four consumers restart one member after another. The first lines show "
        "how long partitions were unavailable, and why. WITHHELD: no member has the partition, because of a rebalance.",
        "run eager_vs_cooperative",
    ),
    Stop(
        "Cooperative rebalancing costs more partition time here: partitions that move wait for a second rebalance. "
        "The same time by group and label. Start-up, which waits for the initial rebalance delay, stands beside it:",
        "unavailable latest --by group,label",
    ),
    Stop(
        "Which members did the partitions wait for? `—` means none. `--paths` shows every "
        "step of a rebalance, and `groupsim report latest` writes all of this into one HTML file.",
        "blame latest --by member",
    ),
    Stop(
        "Every rebalance: its cause, its duration, how many partitions moved, and the slowest member.",
        "rebalances latest",
    ),
    Stop(
        "Any setting can be changed by its Kafka name. A shorter session timeout does not help when members leave:",
        "run rolling_restart --set session.timeout.ms=10000 --set assignor=range",
    ),
    Stop(
        "Every fact is stored. This is the group in the middle of the run, computed from the stored facts alone:",
        "replay latest --at 55000",
    ),
    Stop(
        "These are the rebalances around that time:",
        "show latest --around 54000 --type RebalanceStarted --type JoinPhaseCompleted",
    ),
    Stop(
        "The same seed gives the same bytes on any machine. Run it again and compare:",
        "replay latest --verify --at 0",
    ),
)
INCIDENT = (
    Stop(
        "Now a real incident: the logs of a Kafka broker and of three Java consumers, one of them killed with kill -9. "
        "Logs become the same facts as a simulation.",
        "incident import {examples}/kill9-range/*.log.gz --name kill9",
    ),
    Stop("How long were partitions unavailable, and why?", "unavailable latest --by label"),
    Stop(
        "Which setting and member caused it? m2 was killed, and its session had to time out first:",
        "blame latest --by configuration,member",
    ),
)
CLOSING = (
    "End of the tour. `groupsim new deploy` writes a scenario of your own, `groupsim scenarios` lists the built-in "
    "ones, and `groupsim --help` lists all commands."
)


def tour(
    context: typer.Context,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for Enter after each step.")] = True,
) -> None:
    """Show the main commands on built-in data, in five minutes. The store of the tour is deleted at the end.

    Example: groupsim tour
    """
    program: Any = context.find_root().command
    stops = STOPS + (INCIDENT if EXAMPLES.is_dir() else ())
    with tempfile.TemporaryDirectory(prefix="groupsim-tour-") as folder:
        for i, stop in enumerate(stops, start=1):
            console().print(Text(f"\n{i} of {len(stops)}.  {stop.text}", style="bold"))
            console().print(Text(f"$ groupsim {stop.command.format(examples='examples/incidents')}", style="dim"))
            if wait and sys.stdin.isatty():
                input("  [Enter] ")
            arguments = [*_arguments(stop), "--store", str(Path(folder, "tour.db"))]
            if failed := program.main(arguments, "groupsim", standalone_mode=False):
                raise typer.Exit(failed)
    if not EXAMPLES.is_dir():
        note("the part about recorded incidents was omitted; it needs examples/incidents of the source tree")
    console().print(Text(f"\n{CLOSING}", style="bold"))


def _arguments(stop: Stop) -> list[str]:
    """The words of the command; file patterns are expanded as in a shell."""
    words = shlex.split(stop.command.format(examples="{examples}"))
    return [name for word in words for name in _files(word)]


def _files(word: str) -> list[str]:
    if not word.startswith("{examples}/"):
        return [word]
    return [str(path) for path in sorted(EXAMPLES.glob(word.removeprefix("{examples}/")))]
