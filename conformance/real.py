"""Hold the simulator against a real Kafka: fetch it, start it, record what it does, write the page.

`python -m groupsim.conformance.real [STEP...]`: steps are `answers`, `failover`, `assignors`, `stories`, `timelines`,
`compare` and `page`; without any, all of them. All but the last two need Java 17 and Maven. What is recorded lies in
tests/golden/conformance.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from groupsim.conformance import java_assignors
from groupsim.conformance.broker import fetch
from groupsim.conformance.broker.driver import Script
from groupsim.conformance.page import conformance_page as pages
from groupsim.conformance.scripts import failover_record, failovers, random_scripts, record, stories
from groupsim.conformance.timelines import comparison, recorder
from groupsim.events.errors import GroupSimError

SEED = 20261121
"""Of the random scripts and of what is shaken while recording."""
RANDOM_SCRIPTS = 520
"""A few more than the 500 that are wanted: some hang on a hair, and are left out."""
PROBLEMS = range(44_000, 46_000)
TIMELINES = pages.GOLDEN / "timelines"
ASKED = pages.ROOT / "tests" / "golden" / "broker"
"""The scripts written for an earlier broker; what that one answered is not looked at."""


def say(line: str) -> None:
    """To whoever watches."""
    print(line, file=sys.stderr, flush=True)


def asked(family: str) -> list[Script]:
    """The questions of earlier recordings."""
    return record.read(ASKED / f"{family}.jsonl.gz")


def drawn() -> list[Script]:
    """Fresh random scripts, on all processors: each is drawn beside our machine, many times over."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(partial(random_scripts.draw, SEED), range(RANDOM_SCRIPTS), chunksize=8))


def answers() -> None:
    """Scripts written by hand, the matrix and the random ones: all that a broker is configured for at once."""
    scripts = [*asked("cases"), *asked("matrix"), *drawn()]
    found, unstable = record.record(scripts, SEED, say)
    kept = [r for r in found if r["family"] != "random" or random_scripts.steady(r)]
    for family in ("cases", "matrix", "random"):
        record.write(pages.GOLDEN / f"{family}.jsonl.gz", [r for r in kept if r["family"] == family])
    _note(unstable={"answers": sorted({*unstable, *(r["name"] for r in found)} - {r["name"] for r in kept})})


def moved() -> None:
    """Scripts with a failover, on three brokers."""
    found, unstable = failover_record.record(failovers.scripts(), SEED, say)
    record.write(pages.GOLDEN / "failover.jsonl.gz", found)
    _note(unstable={"failover": unstable})


def assignors() -> None:
    """The release's own assignors."""
    _write("assignors.json", java_assignors.compare(PROBLEMS))


def told() -> None:
    """Stories that the simulator told first."""
    _write("stories.json", stories.tell(record.read(pages.GOLDEN / "failover.jsonl.gz"), say))


def timelines_() -> None:
    """Real consumers led through plots, and our re-enactments beside them."""
    recorder.record(TIMELINES, say)
    compared()


def compared() -> None:
    """Re-enactments beside the recorded timelines."""
    _write("timelines.json", comparison.compare(recorder.read(TIMELINES)))


def written() -> None:
    """The page, from what is recorded."""
    pages.PAGE.write_text(pages.page(), "utf-8")


STEPS: dict[str, Callable[[], None]] = {
    "answers": answers,
    "failover": moved,
    "assignors": assignors,
    "stories": told,
    "timelines": timelines_,
    "compare": compared,
    "page": written,
}


def _write(name: str, what: Any) -> None:
    pages.GOLDEN.mkdir(parents=True, exist_ok=True)
    (pages.GOLDEN / name).write_text(json.dumps(what, indent=1) + "\n")


def _note(unstable: dict[str, list[str]]) -> None:
    """Write down what was recorded, when, and what was left out."""
    file: Path = pages.GOLDEN / "meta.json"
    before = json.loads(file.read_text()) if file.exists() else {"unstable": {}}
    told_ = {
        "kafka": fetch.VERSION,
        "recorded": datetime.now(UTC).date().isoformat(),
        "seed": SEED,
        "unstable": {**before["unstable"], **unstable},
    }
    _write("meta.json", told_)


def main() -> None:
    """Run the steps named, in their order."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that nothing is left behind
    wanted = sys.argv[1:] or [*STEPS]
    unknown = [name for name in wanted if name not in STEPS]
    if unknown:
        sys.exit(f"no step {unknown[0]!r}; there are {', '.join(STEPS)}")
    for name in (step for step in STEPS if step in wanted):
        began = time.monotonic()
        try:
            STEPS[name]()
        except GroupSimError as error:
            sys.exit(f"{name}: {error}")
        say(f"{name}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
