"""The program: commands by their names, and errors as sentences."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated, Any

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError  # typer carries its own click, and hides it

from groupsim.cli import (
    assign,
    blame,
    compare,
    conformance,
    doctor,
    fuzz,
    incident,
    new,
    plot,
    read,
    report,
    run,
    runs,
    scenarios,
    store,
    sweep,
    tour,
)
from groupsim.cli.options import INTERRUPTED
from groupsim.cli.output import be_quiet, error
from groupsim.events.errors import GroupSimError

ABOUT = """How long would which partitions have stood still, and why? A simulator of Kafka's consumer groups.

\b
groupsim run rolling_restart                   a deploy, and what it costs
groupsim incident import broker.log app.log    what your own logs tell
groupsim tour                                  five minutes of everything

Each command's --help has an example. Colours follow the terminal and NO_COLOR.
"""

app = typer.Typer(
    name="groupsim",
    help=ABOUT,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(run.run)
app.command()(read.unavailable)
app.command()(read.timeline)
app.command()(read.rebalances)
app.command()(read.replay)
app.command()(blame.blame)
app.command()(compare.compare)
app.command()(report.report)
app.command()(plot.plot)
app.command()(runs.runs)
app.command()(runs.show)
app.command()(runs.export)
app.command()(store.verify)
app.command("import")(store.import_)
app.command()(fuzz.fuzz)
app.command()(scenarios.scenarios)
app.command()(sweep.sweep)
app.command()(sweep.sweep_report)
app.command()(assign.assign)
app.command()(assign.assignors)
app.command()(new.new)
app.command()(doctor.doctor)
app.command()(tour.tour)
app.add_typer(incident.app, name="incident")
app.add_typer(conformance.app, name="conformance")


@app.callback()
def every_command(
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No notes and no progress, anywhere on the line.")
    ] = False,
) -> None:
    """What may stand with every command."""


def main(arguments: list[str] | None = None) -> None:
    """Run the program. Exit status: 0 done, 1 the answer is a failure, 2 the request is wrong."""
    sys.exit(status(arguments))


def status(arguments: list[str] | None = None) -> int:
    """The exit status of one call; never a traceback for a wrong request."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends a run as Ctrl-C does: marked, with its facts
    try:
        program = typer.main.get_command(app)
        _keep_examples(program)
        result = program.main(
            _without_quiet(sys.argv[1:] if arguments is None else arguments), "groupsim", standalone_mode=False
        )
    except NoArgsIsHelpError as shown:
        print(shown.format_message(), file=sys.stderr)
        return 2
    except ClickException as wrong:
        error(f"groupsim: {wrong.format_message()}")
        return 2
    except GroupSimError as wrong:
        error(f"groupsim: {wrong}")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        error("groupsim: interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result if isinstance(result, int) else 0


def _keep_examples(command: Any) -> None:
    """Let help show examples as they are written: a command that is folded can't be copied."""
    if command.help:
        command.help = command.help.replace("\n\nExample", "\n\n\b\nExample")
    for each in getattr(command, "commands", {}).values():
        _keep_examples(each)


def _without_quiet(arguments: list[str]) -> list[str]:
    """The arguments without `--quiet`, which may stand anywhere and holds for this call."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    asked = [word for word in arguments[:end] if word in ("--quiet", "-q")]
    be_quiet(bool(asked))
    return [word for word in arguments[:end] if word not in asked] + arguments[end:]


if __name__ == "__main__":
    main()
