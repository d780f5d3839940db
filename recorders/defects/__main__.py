"""`python -m recorders.defects [ID...]`: record known defects into tests/golden/defects/, all without an id.

It needs Java 17, Maven and Python 3.8 (on the path, else uv fetches one), and takes five minutes.
"""

from __future__ import annotations

import datetime
import signal
import sys
from pathlib import Path

from groupsim.events.errors import GroupsimError
from recorders.defects.play import record
from recorders.defects.stories import STORIES, Played

FOLDER = Path(__file__).parents[2] / "tests" / "golden" / "defects"
_README = """# {defect}

{what} All are killed after {end_s:g} s. `python -m recorders.defects {defect}`, {day}:

- `broken/`: {broken}
- `fixed/`: {fixed}

`broker.log` has the broker's lines about the group, the others are the logs of the members{dropped}.
"""


def main() -> None:
    """Record the stories of these defects, each with the version that has it and with one that has not."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    wanted = sys.argv[1:] or [story.defect for story in STORIES]
    if unknown := set(wanted) - {story.defect for story in STORIES}:
        raise SystemExit(f"no story of {', '.join(sorted(unknown))}")
    try:
        for story in STORIES:
            if story.defect in wanted:
                _record(story)
    except GroupsimError as error:
        raise SystemExit(f"groupsim: {error}") from None


def _record(story: Played) -> None:
    folder = FOLDER / story.folder
    for name, versions in (("broken", story.broken), ("fixed", story.fixed)):
        print(f"{story.defect}: {versions}", file=sys.stderr, flush=True)
        record(story, versions, folder / name)
    dropped = f" without the lines that `{story.drop}` finds" if story.drop != Played._field_defaults["drop"] else ""
    day = datetime.datetime.now(datetime.UTC).date()
    text = _README.format(**story._asdict(), day=day, dropped=dropped)
    (folder / "README.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
