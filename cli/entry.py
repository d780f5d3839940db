"""The entry point: a signal that comes while the program is still loading ends it in one sentence, too."""

from __future__ import annotations

import signal

from groupsim.cli.signals import ended_by


def main() -> None:
    """Load the program and run it; loading takes half a second, in which nothing is begun that could be lost."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, ended_by)
    from groupsim.cli.main import main as program

    program()


if __name__ == "__main__":
    main()
