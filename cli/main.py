"""The program: commands by their names, and errors as sentences."""

from __future__ import annotations

import os
import signal
import sys

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError  # typer carries its own click, and hides it

from cli import assign, conformance, fuzz, incident, read, run, runs, scenarios
from cli.options import INTERRUPTED
from cli.output import note
from events.errors import GroupSimError

app = typer.Typer(
    name="groupsim",
    help="How long would which partitions have stood still, and why? A simulator of Kafka's consumer groups.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(run.run)
app.command()(read.unavailable)
app.command()(read.timeline)
app.command()(read.rebalances)
app.command()(read.replay)
app.command()(runs.runs)
app.command()(runs.show)
app.command()(runs.export)
app.command()(fuzz.fuzz)
app.command()(scenarios.scenarios)
app.command()(assign.assign)
app.command()(assign.assignors)
app.add_typer(incident.app, name="incident")
app.add_typer(conformance.app, name="conformance")


def main(arguments: list[str] | None = None) -> None:
    """Run the program. Exit status: 0 done, 1 the answer is a failure, 2 the request is wrong."""
    sys.exit(status(arguments))


def status(arguments: list[str] | None = None) -> int:
    """The exit status of one call; never a traceback for a wrong request."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends a run as Ctrl-C does: marked, with its facts
    try:
        result = app(args=arguments, standalone_mode=False)
    except NoArgsIsHelpError as shown:
        print(shown.format_message(), file=sys.stderr)
        return 2
    except ClickException as error:
        note(f"groupsim: {error.format_message()}")
        return 2
    except GroupSimError as error:
        note(f"groupsim: {error}")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        note("groupsim: interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    main()
