"""When nothing else has caught it: an output that is closed or full, and errors that nobody expected."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from groupsim.cli.output import error

TRACEBACK = "GROUPSIM_TRACEBACK"


def make_output_usable() -> None:
    """Give stdout and stderr a place if they are closed; what their encoding lacks is printed as an escape."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  to the end of the program
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


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
