"""Named streams of chance, and runs that repeat byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groupsim.scenarios.catalogue import find, names
from groupsim.simulation.rng import Rng
from tests.scenarios.shorter import every_scenario
from tests.simulation.finished_run import play
from tests.thinned import some

ROOT = Path(__file__).parent.parent.parent
SCENARIO = "eager_vs_cooperative"

CHILD = """
import json, sys
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
digests = {}
for name, own in json.loads(sys.argv[1]).items():
    digests[name] = run(find(name), MemoryStore(), seed=5, settings=own).info.digest
print(json.dumps(digests))
"""


def test_a_stream_is_the_same_at_every_call_and_goes_on() -> None:
    rng = Rng(7)
    first = [rng.stream("network").random() for _ in range(3)]
    assert len(set(first)) == 3
    again = Rng(7)
    assert [again.stream("network").random() for _ in range(3)] == first


def test_a_draw_in_one_stream_never_shifts_another() -> None:
    disturbed, calm = Rng(7), Rng(7)
    for _ in range(100):
        disturbed.stream("network").random()
        disturbed.uuid("member-ids")
    assert disturbed.stream("swarm").random() == calm.stream("swarm").random()


def test_streams_and_seeds_differ() -> None:
    drawn = {Rng(seed).stream(name).random() for seed in (1, 2) for name in ("a", "b")}
    assert len(drawn) == 4


def test_a_uuid_is_of_version_4() -> None:
    import uuid

    drawn = [uuid.UUID(Rng(seed).uuid("member-ids")) for seed in range(50)]
    assert {(u.version, u.variant) for u in drawn} == {(4, uuid.RFC_4122)}
    assert len(set(drawn)) == 50


def test_equal_seeds_give_equal_runs_and_other_seeds_give_others() -> None:
    one, two = play(find(SCENARIO).story, 200_000, seed=5), play(find(SCENARIO).story, 200_000, seed=5)
    other = play(find(SCENARIO).story, 200_000, seed=6)
    assert one.info.digest == two.info.digest
    assert one.info.id != two.info.id
    assert other.info.digest != one.info.digest


def _digests(hash_seed: str) -> dict[str, str]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", CHILD, json.dumps(dict(some(every_scenario(), 5)))]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=ROOT)
    found: dict[str, str] = json.loads(out.stdout)
    return found


@pytest.mark.slow
def test_the_hash_seed_of_python_changes_nothing() -> None:
    first, second = _digests("1"), _digests("424242")
    assert first == second
    assert sorted(first) == sorted(some(names(), 5))
