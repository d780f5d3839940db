"""`groupsim fuzz`: counts what went well, and says how to repeat what did not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call

STORY = '''
import os

from groupsim.scenarios.dsl import scenario, seconds

@scenario(seed=1, lasts=seconds(20))
def unlucky(world, limit=3):
    """Fails under one seed in ten, by its own claim, or by a bug."""
    drawn = world.rng.stream("luck").randrange(10)
    group = world.group("billing")
    group.join(1, topics=[world.topic("orders", partitions=1)])
    yield world.sleep(seconds(1))
    if limit == -98:
        os._exit(9)
    if limit < 0:
        raise KeyError("a bug")
    world.check(drawn >= limit, f"{drawn} is enough")
'''

ENDLESS = '''
from contextlib import suppress

from groupsim.scenarios.dsl import scenario, seconds

@scenario(seed=1, lasts=seconds(20))
def endless(world):
    """Goes round for ever."""
    yield world.sleep(seconds(1))
    with suppress(Exception):
        while True:
            pass
    while True:
        pass
'''


@pytest.fixture
def story(tmp_path: Path) -> str:
    (tmp_path / "unlucky.py").write_text(STORY)
    return "unlucky.py"


def test_when_nothing_breaks_the_seeds_are_counted(call: Call) -> None:
    done = call("fuzz", "swarm", "--seeds", "0:5")
    assert (done.status, done.err) == (0, "")
    assert done.out == "ok    swarm: 5 seeds (0:5), no failure\n"


def test_the_first_seed_that_fails_is_named_with_the_sentence_that_repeats_it(call: Call, story: str) -> None:
    done = call("fuzz", story, "--seeds", "0:200", "--format", "json")
    assert done.status == 1
    failed = done.json["failed"]
    assert failed["invariant"] == "story"
    assert done.json["runs"] == failed["seed"] + 1
    assert failed["again"] == f"groupsim run unlucky.py --seed {failed['seed']}"
    again = call(*failed["again"].split()[1:])
    assert again.status == 1
    assert failed["sentence"] in again.err
    assert call("fuzz", story, "--seeds", f"0:{failed['seed']}").status == 0


def test_several_processes_find_the_same_seed(call: Call, story: str) -> None:
    alone, together = (call("fuzz", story, "--seeds", "0:40", "--jobs", jobs) for jobs in ("1", "2"))
    assert alone.status == together.status == 1
    assert alone.out == together.out


def test_a_process_that_dies_is_one_sentence(call: Call, story: str) -> None:
    """`fuzz` waited for ever for what it was to compute."""
    died = call("fuzz", story, "--seeds", "0:9", "--jobs", "2", "--set", "limit=-98")
    assert (died.status, died.out) == (2, "")
    assert died.err == "groupsim: a process that simulated was killed, or had not enough memory\n"


def test_settings_reach_every_run_and_the_sentence(call: Call, story: str) -> None:
    assert call("fuzz", story, "--seeds", "0:30", "--set", "limit=0").status == 0
    failed = call("fuzz", story, "--seeds", "5:6", "--set", "limit=10")
    assert failed.status == 1
    assert "repeat with: groupsim run unlucky.py --seed 5 --set limit=10" in failed.out


def test_an_exception_of_a_run_is_a_finding_and_no_traceback(call: Call, story: str) -> None:
    done = call("fuzz", story, "--seeds", "3:4", "--set", "limit=-1")
    assert done.status == 1
    assert "FAIL  bug  seed 3  unlucky.py, line 16: KeyError: 'a bug'" in done.out
    assert "Traceback" not in done.out + done.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["swarm", "--seeds", "5"], None),
        (["swarm", "--seeds", "9:3"], "the range is empty; A must be less than B"),
        (["swarm", "--seeds", "a:b"], "expected A:B, two whole numbers"),
        (["swarn", "--seeds", "0:3"], "unknown scenario 'swarn'; near names: swarm"),
        (["swarm", "--seeds", "0:3", "--set", "falts=3"], "unknown setting 'falts'; near names: faults"),
        (["swarm", "--seeds", "0:3", "--set", "faults=many"], "parameter faults must be int, not 'many'"),
        (["swarm", "--seeds", "0:3", "--jobs", "0"], "greater than or equal to 1"),
    ],
)
def test_a_wrong_request_is_one_sentence(call: Call, arguments: list[str], sentence: str | None) -> None:
    done = call("fuzz", *arguments)
    if sentence is None:
        assert done.status == 0
        return
    assert done.status == 2
    assert sentence in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_a_story_that_never_ends_is_a_finding_though_it_catches_the_first_alarm(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groupsim.cli.fuzz.TIMEOUT_S", 0.3)
    monkeypatch.setattr("groupsim.cli.fuzz._AGAIN_S", 0.3)
    (tmp_path / "endless.py").write_text(ENDLESS)
    found = call("fuzz", "endless.py", "--seeds", "0:1", "--format", "json")
    assert found.status == 1
    assert found.json["failed"]["sentence"].endswith("not finished after 0.3 s of wall time")
