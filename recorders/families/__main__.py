"""Record families of stories, or list what was recorded.

`python -m recorders.families record FOLDER [--family NAME...]` needs Java 17 and Maven; with `--taken` the consumers
also tell when each record came and when they took it, and the families for that are recorded if none is named;
`python -m recorders.families readme FOLDER` writes FOLDER/README.md.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from groupsim.events.errors import GroupsimError
from recorders.families import contents, recorder
from recorders.families.catalogue import FAMILIES
from recorders.families.family import Family
from recorders.families.for_delays import FAMILIES as FOR_DELAYS

TAKEN_EVERY_MS = 50
"""Records that come so often show delays to about as many milliseconds."""


def _wanted(names: Sequence[str], every: Sequence[Family]) -> list[Family]:
    known = {family.name: family for family in (*FAMILIES, *FOR_DELAYS)}
    for name in names:
        if name not in known:
            raise SystemExit(f"no family {name!r}; there are {', '.join(known)}")
    return [known[name] for name in names] if names else list(every)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m recorders.families")
    parser.add_argument("command", choices=("record", "readme"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--family", nargs="+", default=(), metavar="NAME", help="f01, f02, …; all without it")
    parser.add_argument("--repetitions", type=int, default=recorder.REPETITIONS, metavar="N")
    parser.add_argument("--taken", action="store_true", help="also write when each record came and was taken")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if given.command == "record":
            families = _wanted(given.family, FOR_DELAYS if given.taken else FAMILIES)
            if given.taken:
                families = [replace(family, every_ms=TAKEN_EVERY_MS) for family in families]
            recorder.record(given.folder, families, _log, given.repetitions, given.taken)
        else:
            (given.folder / "README.md").write_text(contents.readme(given.folder), "utf-8")
    except GroupsimError as error:
        raise SystemExit(f"groupsim: {error}") from None


def _log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
