"""Is a stored run what its scenario, seed and settings give? The first fact that differs, otherwise."""

from __future__ import annotations

from itertools import zip_longest

import msgspec

from groupsim.cli.errors import BadRequest
from groupsim.cli.progress import progress
from groupsim.events.base import Recorded
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import EventStore, RunInfo


def verified(store: EventStore, info: RunInfo) -> str | None:
    """None if the run can be had again to the byte; else a sentence. Raises BadRequest for a recorded run."""
    from groupsim.scenarios import catalogue
    from groupsim.simulation.run import run

    if info.source != "simulated":
        raise BadRequest(f"run {info.id} was recorded, not simulated: it can't be run again; leave --verify out")
    if info.status in ("running", "interrupted"):
        raise BadRequest(f"run {info.id} did not run to its end ({info.status}): there is nothing to compare")
    again = MemoryStore()
    told = catalogue.find(info.scenario_path or info.name)
    settings = dict(info.params)
    with progress(f"playing {told.name} again") as bar:
        result = run(told, again, seed=info.seed, settings=settings, record=info.record, progress=bar)
    if result.info.digest == info.digest == store.digest(info.id):
        return None
    pairs = zip_longest(store.read(info.id), again.read(result.info.id))
    for was, now in pairs:
        if was is None or now is None or _differ(was, now):
            return f"run {info.id} differs from the scenario run again: {_told(was)} was stored, {_told(now)} came now"
    return f"run {info.id}: its facts are those of the scenario run again, but the digest stored with them is not"


def _differ(was: Recorded, now: Recorded) -> bool:
    return msgspec.structs.replace(was, run="") != msgspec.structs.replace(now, run="")


def _told(fact: Recorded | None) -> str:
    if fact is None:
        return "no further fact"
    return f"fact {fact.seq} at {fact.at_ms:,} ms in {fact.stream} ({fact.event})"
