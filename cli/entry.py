"""The entry point: a signal that comes while the program is still loading ends it in one sentence, too."""

from __future__ import annotations

import os
import signal
from contextlib import suppress


def main() -> None:
    """Load the program and run it; loading takes half a second, in which nothing is begun that could be lost."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, ended_by)
    from groupsim.cli.main import main as program

    program()


def ended_by(number: int, _: object) -> None:
    """End at once, with one sentence and the status that shells report for this signal."""
    with suppress(OSError):
        os.write(2, b"groupsim: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    main()
