"""`python -m recorders.recommendations advise|record|again|page [...]`.

advise: what is recommended, to tests/golden/recommendations/advice.json; record: plays it (Java 17 and Maven, a
quarter of an hour); again: what today's code recommends, to today.json; page: docs/recommendations.md.
"""

from __future__ import annotations

import signal
import sys

import msgspec

from groupsim.events.errors import GroupsimError
from recorders.recommendations import page, played
from recorders.recommendations.recommended import FOLDER, INCIDENTS, recommend

STEPS = ("advise", "record", "again", "page")


def main() -> None:
    """Run the steps that are named, in their order."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if unknown := [name for name in sys.argv[1:] if name not in STEPS]:
        raise SystemExit(f"no step {unknown[0]!r}; there are {', '.join(STEPS)}")
    try:
        for name in (step for step in STEPS if step in (sys.argv[1:] or STEPS)):
            _run(name)
    except GroupsimError as error:
        raise SystemExit(f"groupsim: {error}") from None


def _run(name: str) -> None:
    if name in ("advise", "again"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        advice = msgspec.json.encode([recommend(incident) for incident in INCIDENTS])
        file = FOLDER / (played.ADVICE if name == "advise" else played.TODAY)
        file.write_bytes(msgspec.json.format(advice, indent=1) + b"\n")
    elif name == "record":
        played.record(lambda line: print(line, file=sys.stderr, flush=True))
    else:
        page.PAGE.write_text(page.page(), "utf-8")


if __name__ == "__main__":
    main()
