"""Record random scripts of streams groups or share groups, or play recorded ones again.

`python -m recorders.scripts.plans.command record streams-groups FILE --seed N` writes scripts and their index;
`... again streams-groups FILE...` prints how many recorded scripts a broker answers as before.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

from groupsim.conformance.scripts import script
from groupsim.conformance.scripts.configs import STREAMS_AND_SHARE
from groupsim.events.errors import GroupsimError
from recorders.broker import fetch
from recorders.scripts.plans import again
from recorders.scripts.plans.record import Recorded, record
from recorders.scripts.share_groups import random_plans as share
from recorders.scripts.streams_groups import random_plans as streams

DRAW = {"streams-groups": streams.plans, "share-groups": share.plans}


def log(line: str) -> None:
    """A line about the progress."""
    print(line, file=sys.stderr, flush=True)


def write(file: Path, recorded: Recorded) -> None:
    """The scripts, and in the index beside them what the ids of topics were in this run, which has the file's name."""
    run = file.name.removesuffix(".jsonl.gz")
    script.write(file, [{**each, "run": run} for each in recorded.scripts])
    place = file.with_name("index.json")
    index = json.loads(place.read_text()) if place.exists() else {"topic_ids": {}}
    index["topic_ids"][run] = recorded.topic_ids
    counts = {"scripts": len(recorded.scripts), "steps": sum(len(each["steps"]) for each in recorded.scripts)}
    index.setdefault("runs", {})[run] = {"kafka": fetch.VERSION, **counts, "left_out": recorded.lost}
    place.write_text(json.dumps(index, indent=1) + "\n")


def new(protocol: str, file: Path, seed: int, name: str = "", every: int = 1) -> Recorded:
    """Record random plans: those whose names begin so, or only every so many of them."""
    plans = [plan for plan in DRAW[protocol](seed) if plan["name"].startswith(name)]
    recorded = record(plans[::every], STREAMS_AND_SHARE, seed, log)
    write(file, recorded)
    return recorded


def replay(protocol: str, files: list[Path], name: str, every: int) -> None:
    """Play recorded scripts again and report what differs."""
    scripts = [each for file in files for each in script.read(file) if each["name"].startswith(name)][::every]
    recorded = record([again.plan_of(each) for each in scripts], STREAMS_AND_SHARE, 0, log)
    for line in again.report(scripts, recorded.scripts):
        print(line)


def main() -> None:
    """Read the arguments."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that nothing is left behind
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("record", "again"))
    parser.add_argument("protocol", choices=sorted(DRAW))
    parser.add_argument("files", nargs="+", type=Path, help="where to write, or what to play again: .jsonl.gz files")
    parser.add_argument("--seed", type=int, default=1, help="of the random plans")
    parser.add_argument("--every", type=int, default=1, help="only every so many plans or scripts")
    parser.add_argument("--name", default="", help="only plans or scripts whose names begin so")
    arguments = parser.parse_args()
    try:
        if arguments.what == "record":
            new(arguments.protocol, arguments.files[0], arguments.seed, arguments.name, arguments.every)
        else:
            replay(arguments.protocol, arguments.files, arguments.name, arguments.every)
    except GroupsimError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
