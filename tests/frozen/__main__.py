"""`python -m tests.frozen write|check [PREFIX]... [--jobs N]`: freeze what may not change, or compare with it."""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import sys
from contextlib import closing
from pathlib import Path

from tests.frozen.items import Parts, compute, items

FILE = Path(__file__).parent / "frozen.json.gz"


def frozen() -> dict[str, Parts]:
    """What was written, by item."""
    return json.loads(gzip.decompress(FILE.read_bytes())) if FILE.exists() else {}


def differences(was: Parts, now: Parts) -> list[str]:
    """The parts of an item that are not as they were frozen."""
    return sorted(part for part in was.keys() | now.keys() if was.get(part) != now.get(part))


def _write(found: dict[str, Parts]) -> None:
    text = json.dumps(dict(sorted({**frozen(), **found}.items())), indent=0)
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))


def main() -> int:
    """Exit status 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["write", "check"])
    parser.add_argument("prefixes", nargs="*", help="only the items whose names begin so: run/, example/, …")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only each N-th item")
    given = parser.parse_args()
    wanted = [n for n in items() if not given.prefixes or n.startswith(tuple(given.prefixes))][:: given.every]
    was, found, differing = frozen(), {}, 0
    pool = multiprocessing.get_context("spawn").Pool(given.jobs, maxtasksperchild=20)
    with closing(pool):
        for name, parts in pool.imap(compute, wanted, chunksize=1):
            found[name] = parts
            if "error" in parts:
                print(name, parts["error"], flush=True)
            if given.what == "check" and (changed := differences(was.get(name, {}), parts)):
                differing += 1
                print(f"{name}: {', '.join(changed)}", flush=True)
    pool.join()
    if given.what == "write":
        _write(found)
    print(f"{len(found)} items {'frozen' if given.what == 'write' else f'compared, {differing} differ'}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
