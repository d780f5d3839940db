"""`groupsim tour`: five minutes on built-in data, one command after the other."""

from __future__ import annotations

import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from groupsim.cli.output import console, note

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "incidents"


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of the tour: what to look at, and the command that shows it (`{…}` are filled in)."""

    text: str
    command: str


STOPS = (
    Stop(
        "A deploy. Two equal groups of four consumers restart one after another; the headline says how long partitions "
        "stood still, and the labels why. WITHHELD: nobody has the partition, because a rebalance is under way.",
        "run eager_vs_cooperative",
    ),
    Stop(
        "Surprised? Cooperative rebalancing costs more partition time here: what moves waits for a second rebalance. "
        "The same seconds again, by group and label, without the start-up, which waits for the initial delay:",
        "unavailable latest --by group,label --between 6033 60000",
    ),
    Stop(
        "Whom did the partitions wait for? A dash is nobody: the initial delay. `--paths` tells it step by step, and "
        "`groupsim report latest` draws all of it into one HTML file for people without a terminal.",
        "blame latest --by member",
    ),
    Stop(
        "Every rebalance: what began it, how long it took, how many partitions moved, and who kept the others waiting.",
        "rebalances latest",
    ),
    Stop(
        "Any setting can be changed by its Kafka name. A shorter session timeout does nothing for a tidy restart:",
        "run rolling_restart --set session.timeout.ms=10000 --set assignor=range",
    ),
    Stop(
        "Every fact is kept. This is the group in the middle of the run, folded from the log and not run again:",
        "replay latest --at 55000",
    ),
    Stop(
        "And these are the turning points around that instant:",
        "show latest --around 54000 --type RebalanceStarted --type JoinPhaseCompleted",
    ),
    Stop(
        "The same seed gives the same bytes, on any machine: play it again and compare.",
        "replay latest --verify --at 0",
    ),
)
INCIDENT = (
    Stop(
        "Now a real one: the logs of a Kafka broker and of three Java consumers, one of them killed with kill -9. "
        "Logs become the same facts as a simulation.",
        "incident import {examples}/kill9-range/*.log.gz --name kill9",
    ),
    Stop("Which partitions, and why:", "unavailable latest --by label"),
    Stop(
        "And who is to blame? m2 was gone, and its session had to time out first:",
        "blame latest --by configuration,member",
    ),
)
LEAVING = (
    "That was it. `groupsim new deploy` writes a story of your own, `groupsim scenarios` lists the built-in ones, "
    "`groupsim --help` the rest."
)


def tour(
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for Enter between the stops.")] = True,
) -> None:
    """A guided tour of five minutes, on built-in data; its store is thrown away at the end.

    Example: groupsim tour
    """
    from groupsim.cli.main import status

    stops = STOPS + (INCIDENT if EXAMPLES.is_dir() else ())
    with tempfile.TemporaryDirectory(prefix="groupsim-tour-") as folder:
        for i, stop in enumerate(stops, start=1):
            console().print(Text(f"\n{i} of {len(stops)}.  {stop.text}", style="bold"))
            console().print(Text(f"$ groupsim {stop.command.format(examples='examples/incidents')}", style="dim"))
            if wait and sys.stdin.isatty():
                input("  [Enter] ")
            if failed := status([*_arguments(stop), "--store", str(Path(folder, "tour.db"))]):
                raise typer.Exit(failed)
    if not EXAMPLES.is_dir():
        note("the part on recorded incidents needs examples/incidents of the source tree")
    console().print(Text(f"\n{LEAVING}", style="bold"))


def _arguments(stop: Stop) -> list[str]:
    """The command's words, with its file patterns written out as a shell would."""
    words = shlex.split(stop.command.format(examples="{examples}"))
    return [name for word in words for name in _files(word)]


def _files(word: str) -> list[str]:
    if not word.startswith("{examples}/"):
        return [word]
    return [str(path) for path in sorted(EXAMPLES.glob(word.removeprefix("{examples}/")))]
