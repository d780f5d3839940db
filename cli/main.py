"""The program: the options of every command, and how errors become one sentence and an exit status."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer._click.exceptions import (  # typer bundles a private copy of click
    ClickException,
    NoArgsIsHelpError,
    NoSuchOption,
)

from groupsim.cli.commands import Program
from groupsim.cli.errors import Interrupted
from groupsim.cli.existing_store import warnings_noted
from groupsim.cli.missing_arguments import logs_first, what_there_is
from groupsim.cli.output import be_quiet, error
from groupsim.cli.signals import leave_to_the_system, listening, signalled_status, was_signalled
from groupsim.events.errors import GroupsimError
from groupsim.events.extras import missing

TRACEBACK = "GROUPSIM_TRACEBACK"
"""The variable that makes an unexpected error a traceback."""
_UNKNOWN = re.compile(r"No such command '([^']{1,100})'\.$")
_CTRL_C = 130
"""The status of typer for any KeyboardInterrupt."""
ABOUT = """Which partitions of a Kafka group were unavailable, for how long, and why?

\b
groupsim explain app.log               what happened, why, and what to change
groupsim import broker.log app.log     the same with figures, kept for reports and what-ifs
groupsim run rolling_restart           simulate a rolling restart
groupsim tour                          see the main commands in five minutes

The help of each command has an example. In tables, `—` means none or unknown. NO_COLOR switches colours off.
"""

app = typer.Typer(
    name="groupsim",
    cls=Program,
    help=ABOUT,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version  # a tenth of a second that only this needs

        print(f"groupsim {version('groupsim')}")
        raise typer.Exit


@app.callback()
def every_command(
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print no notes and no progress; works in any position.")
    ] = False,
    shown: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """The options that every command accepts."""


def main(arguments: list[str] | None = None) -> None:
    """Run the program. Status: 0 done, 1 the answer is a failure, 2 the request is wrong, 130 and 143 interrupted."""
    make_output_usable()
    try:
        ended = status(arguments)
        leave_to_the_system()
    except KeyboardInterrupt:  # it came between two sentences
        error("groupsim: interrupted")
        ended = signalled_status()
        leave_to_the_system()
    exec("")  # Python ends by SIGINT, not with our status, if the last text that it evaluated was interrupted
    sys.exit(ended)


def status(arguments: list[str] | None = None) -> int:
    """The exit status of one call; never a traceback for a wrong request."""
    with listening():
        return _status(sys.argv[1:] if arguments is None else arguments)


def _status(arguments: list[str]) -> int:
    program: Any = None
    try:
        program = typer.main.get_command(app)
        given = _without_quiet(arguments)
        with warnings_noted():
            result = program.main(given, "groupsim", standalone_mode=False)
        sys.stdout.flush()
    except NoArgsIsHelpError as shown:
        print(shown.format_message(), file=sys.stderr)
        return 2
    except ClickException as wrong:
        hint = "; JSON is --format json" if isinstance(wrong, NoSuchOption) and wrong.option_name == "--json" else ""
        said, more = with_near_command(wrong.format_message(), program), f"{hint}{what_there_is(wrong)}"
        error(f"groupsim: {said.removesuffix('.') if more else said}{more}")
        return 2
    except Interrupted as ended:
        error(f"groupsim: {ended}")
        return signalled_status()
    except GroupsimError as wrong:
        error(f"groupsim: {wrong}{logs_first(wrong, arguments)}")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        result = _CTRL_C
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # the reader of our output has closed it, as `head` does
            close_output()
            return 0
        return unexpected(ended)
    except BrokenPipeError:
        close_output()
        return 0
    except OSError as wrong:
        close_output()
        error(f"groupsim: {wrong.filename or 'the output'} can't be used: {wrong.strerror or wrong}")
        return 2
    except ModuleNotFoundError as wrong:
        if (sentence := missing(wrong)) is None:
            return unexpected(wrong)
        error(f"groupsim: {sentence}")
        return 2
    except Exception as wrong:
        if not was_signalled():  # a library may have made an error of its own out of a KeyboardInterrupt
            return unexpected(wrong)
        result = _CTRL_C
    if result == _CTRL_C:
        error("groupsim: interrupted")
        return signalled_status()
    return result if isinstance(result, int) else 0


def _without_quiet(arguments: list[str]) -> list[str]:
    """The arguments without `--quiet`, which is accepted in any position and applied here."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    asked = [word for word in arguments[:end] if word in ("--quiet", "-q")]
    be_quiet(bool(asked))
    return [word for word in arguments[:end] if word not in asked] + arguments[end:]


def make_output_usable() -> None:
    """Give stdout and stderr a place if they are closed; what their encoding lacks is printed as an escape.

    What is printed to a stdout that is closed is an error, as if it were full.
    """
    for name, kind in (("stdout", _Closed), ("stderr", io.TextIOWrapper)):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, kind(open(os.devnull, "wb"), encoding="utf-8"))  # noqa: SIM115  to the end of the program
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


class _Closed(io.TextIOWrapper):
    """Takes nothing; it has a file all the same, so that no other one gets its number."""

    def write(self, text: str, /) -> int:
        """Raises OSError."""
        raise OSError(errno.EBADF, "it is closed")


def close_output() -> None:
    """Send what is still to be printed nowhere: its place is gone, and Python would try again at its end."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def unexpected(wrong: BaseException) -> int:
    """One sentence about an error that nobody expected, and status 2. Raises it again if the user wants to see more."""
    if os.environ.get(TRACEBACK):
        raise wrong
    said = (str(wrong).strip().splitlines() or ["no reason is known"])[0][:500]
    error(f"groupsim: unexpected {type(wrong).__name__}: {said}; an error of groupsim or of the data ({TRACEBACK}=1)")
    return 2


def with_near_command(message: str, program: Any) -> str:
    """The message of a usage error; if it names a command that does not exist, with commands of a near name."""
    unknown = _UNKNOWN.match(message)
    if unknown is None:
        return message
    known = [(path[-1], " ".join(path)) for path in _paths(program)]
    near = get_close_matches(unknown[1], [name for name, _ in known], n=2)
    found = [f"`groupsim {path}`" for name, path in known if name in near]
    return f"{message} Did you mean {' or '.join(found)}?" if found else message


def _paths(command: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, each in getattr(command, "commands", {}).items():
        if name == "incident":  # its commands have shorter names of their own
            continue
        if getattr(each, "commands", None):
            yield from _paths(each, (*above, name))
        else:
            yield (*above, name)


if __name__ == "__main__":
    main()
