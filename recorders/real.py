"""Compare the simulator with a real Kafka: fetch it, start it, record what it does, write the page.

`python -m recorders.real [STEP...]`: steps are `answers`, `consumer`, `streams-and-share`, `failover`, `assignors`,
`predictions`, `timelines`, `offsets-topic`, `compare` and `page`; without any, all of them. All but the last two need
Java 17 and Maven.
The recordings are in tests/golden/conformance.
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

from groupsim.conformance.scripts import script
from groupsim.conformance.scripts.configs import CONSUMER
from groupsim.conformance.scripts.script import Script
from groupsim.events.errors import GroupsimError
from recorders import offsets_topic as recorded_topic
from recorders.assignors import comparison
from recorders.broker import fetch
from recorders.page import conformance_page as pages
from recorders.page import consumer_section, groups_section
from recorders.scripts import record, record_failovers
from recorders.scripts.classic import failovers, random_scripts
from recorders.scripts.consumer import random_plans
from recorders.scripts.plans import command
from recorders.scripts.plans.record import record as record_plans
from recorders.timelines import comparison as timeline_comparison
from recorders.timelines import predictions, recorder

SEED = 20261121
"""Of the random scripts and of the shifted times while recording."""
RANDOM_SCRIPTS = 520
"""A few more than the 500 that are wanted: those whose answers depend on a few milliseconds are left out."""
PROBLEMS = range(44_000, 46_000)
TIMELINES = pages.GOLDEN / "timelines"
EARLIER = pages.ROOT / "tests" / "golden" / "broker"
"""The scripts of the recordings of Kafka 4.0; only their requests are used."""


def log(line: str) -> None:
    """A line about the progress."""
    print(line, file=sys.stderr, flush=True)


def earlier(family: str) -> list[Script]:
    """The scripts of earlier recordings."""
    return script.read(EARLIER / f"{family}.jsonl.gz")


def random_ones() -> list[Script]:
    """New random scripts, on all processors: each is played many times while it is written."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(partial(random_scripts.draw, SEED), range(RANDOM_SCRIPTS), chunksize=8))


def answers() -> None:
    """Scripts written by hand, the matrix and the random ones: all that a broker is configured for at once."""
    scripts = [*earlier("cases"), *earlier("matrix"), *random_ones()]
    recorded, unstable = record.record(scripts, SEED, log)
    kept = [r for r in recorded if r["family"] != "random" or random_scripts.steady(r)]
    for family in ("cases", "matrix", "random"):
        script.write(pages.GOLDEN / f"{family}.jsonl.gz", [r for r in kept if r["family"] == family])
    _note(unstable={"answers": sorted({*unstable, *(r["name"] for r in recorded)} - {r["name"] for r in kept})})


def consumer() -> None:
    """Random scripts of the consumer protocol."""
    recorded = record_plans(random_plans.plans(SEED), CONSUMER, SEED, log)
    scripts = [each | {"topic_ids": recorded.topic_ids[each["config"]]} for each in recorded.scripts]
    script.write(consumer_section.SCRIPTS, scripts)
    _note(unstable={"consumer": recorded.lost})


def streams_and_share() -> None:
    """Random scripts of streams groups and of share groups."""
    for protocol in command.DRAW:
        recorded = command.new(protocol, pages.GOLDEN / protocol / "random.jsonl.gz", SEED)
        _note(unstable={protocol: recorded.lost})


def failover() -> None:
    """Scripts with a failover, on three brokers."""
    recorded, unstable = record_failovers.record(failovers.scripts(), SEED, log)
    script.write(pages.GOLDEN / "failover.jsonl.gz", recorded)
    _note(unstable={"failover": unstable})


def assignors() -> None:
    """The release's own assignors."""
    _write("assignors.json", comparison.compare(PROBLEMS))


def predicted() -> None:
    """Predictions of the simulator, tried with real clients."""
    _write("stories.json", predictions.check(script.read(pages.GOLDEN / "failover.jsonl.gz"), log))


def timelines() -> None:
    """Real consumers led through scenarios, and our re-enactments of them."""
    recorder.record(TIMELINES, log)
    compared()


def offsets_topic() -> None:
    """The live topic, recorded while groups work."""
    _write("offsets-topic.json", recorded_topic.check(log))


def compared() -> None:
    """The recorded timelines and our re-enactments; the scripts of the consumer protocol."""
    _write("timelines.json", timeline_comparison.compare(recorder.read(TIMELINES)))
    _write(consumer_section.FOUND.name, consumer_section.compared())
    _write(groups_section.FOUND.name, groups_section.compared())


def written() -> None:
    """The page, from what is recorded."""
    pages.PAGE.write_text(pages.page(), "utf-8")


STEPS: dict[str, Callable[[], None]] = {
    "answers": answers,
    "consumer": consumer,
    "streams-and-share": streams_and_share,
    "failover": failover,
    "assignors": assignors,
    "predictions": predicted,
    "timelines": timelines,
    "offsets-topic": offsets_topic,
    "compare": compared,
    "page": written,
}


def _write(name: str, what: Any) -> None:
    pages.GOLDEN.mkdir(parents=True, exist_ok=True)
    (pages.GOLDEN / name).write_text(json.dumps(what, indent=1) + "\n")


def _note(unstable: dict[str, list[str]]) -> None:
    """Note what was recorded, when, and which scripts were left out."""
    file: Path = pages.GOLDEN / "meta.json"
    before = json.loads(file.read_text()) if file.exists() else {"unstable": {}}
    meta = {
        "kafka": fetch.VERSION,
        "recorded": datetime.now(UTC).date().isoformat(),
        "seed": SEED,
        "unstable": {**before["unstable"], **unstable},
    }
    _write("meta.json", meta)


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
        except GroupsimError as error:
            sys.exit(f"{name}: {error}")
        log(f"{name}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
