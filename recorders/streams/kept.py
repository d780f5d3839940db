"""Keep of recordings what tests read: `python -m recorders.streams.kept INTO FOLDER...` writes `INTO/<id>.json.gz`."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

LEFT_OUT = ("events", "broker", "member_ids", "restoring", "two_live_owners")
"""What they are made of is beside them in the folder of a recording, and not kept."""


def kept(recording: Path, into: Path) -> Path:
    """The file of one recording, with what tests read of it."""
    recorded = json.loads((recording / "recording.json").read_text())
    small = {key: value for key, value in recorded.items() if key not in LEFT_OUT}
    file = into / f"{recorded['id']}.json.gz"
    into.mkdir(parents=True, exist_ok=True)
    # without a time of its own, so that the same recording has the same bytes
    file.write_bytes(gzip.compress(json.dumps(small, separators=(",", ":")).encode(), 9, mtime=0))
    return file


if __name__ == "__main__":
    target, *folders = map(Path, sys.argv[1:])
    for folder in folders:
        print(kept(folder, target))
