"""`groupsim check`, as CI calls it: exit status, sentences, JUnit XML, Markdown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import groupsim
from tests.checking.test_kubernetes import manifest
from tests.cli.conftest import Call

PROGRAM = Path(sys.executable).parent / "groupsim"
TINY = '''
import groupsim

@groupsim.scenario(lasts=groupsim.minutes(2))
def lost_member(world, partitions: int = 6):
    """Two members; one is killed."""
    world.host("ideal")
    group = world.group("billing")
    alice, bob = group.join("alice", "bob", topics=[world.topic("orders", partitions=partitions)])
    yield group.stable(members=2)
    bob.kill()
    yield group.stable(members=1, within=groupsim.minutes(1))
'''
PLAN = """
scenario = "lost.py"
seeds = 2

[limits]
outage = "15 s"
partition_seconds = 100

[before]
"session.timeout.ms" = 30000

[after]
"session.timeout.ms" = 10000
"""


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call the program in a folder."""
    env = {**os.environ, "COLUMNS": "200", "PYTHONWARNINGS": ""}
    return subprocess.run(
        [PROGRAM, "check", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lost.py").write_text(TINY)
    (tmp_path / "check.toml").write_text(PLAN)
    return tmp_path


def test_limits_that_hold_are_status_0_and_a_table(folder: Path) -> None:
    done = check(folder, "check.toml", "--junit", "check.xml", "--markdown", "check.md")
    assert (done.returncode, done.stderr) == (0, "")
    answer, head, first, *_ = done.stdout.splitlines()
    assert answer.startswith("All limits hold: outage ")
    assert " instead of " in answer
    assert len(answer.split()) <= 30
    assert head.split() == ["measure", "before", "after", "limit", "kept"]
    assert first.split() == ["outage", "30.0", "s", "12.0", "s", "15.0", "s", "2", "of", "2"]
    suite = ElementTree.parse(folder / "check.xml").getroot()[0]
    assert suite.get("failures") == "0"
    assert {case.get("name") for case in suite} >= {"check.toml: outage", "check.toml: no-grace"}
    assert "| outage |" in (folder / "check.md").read_text()


def test_a_limit_that_is_broken_is_status_1_with_the_worst_seed(folder: Path) -> None:
    (folder / "check.toml").write_text(PLAN.replace('"15 s"', '"5 s"'))
    done = check(folder, "check.toml", "--junit", "check.xml", "--reports", "out")
    assert done.returncode == 1
    assert done.stdout.startswith("Limit broken: outage at most 5.0 s in 0 of 2 seeds.\n")
    assert "repeat it: groupsim run lost.py --seed " in done.stdout
    failure = ElementTree.parse(folder / "check.xml").getroot().find(".//failure")
    assert failure is not None
    assert "after_start_outage_ms is at most 5.0 s in 0 of 2 seeds" in failure.get("message", "")
    assert len(list((folder / "out").glob("check-seed-*.html"))) == 1
    shared = check(folder, "check.toml", "--format", "json")
    assert (shared.returncode, json.loads(shared.stdout)["ok"]) == (1, False)
    assert shared.stderr.startswith("Limit broken")


def test_the_limits_are_those_of_the_pytest_plugin(folder: Path) -> None:
    from groupsim.api.testing import runs_of

    checked = groupsim.check(folder / "check.toml")
    runs = runs_of(folder / "lost.py", settings={"session.timeout.ms": 10_000}, seeds=range(2))
    assert checked.verdicts["outage"].kept == runs.verdict("after_start_outage_ms", at_most=15_000).kept == 2
    assert len(checked.to_frame()) == 4
    assert "All limits hold" in checked._repr_html_()
    runs.assert_outage(at_most="15 s")


def test_json_is_what_python_gives(folder: Path) -> None:
    printed = json.loads(check(folder, "check.toml", "--format", "json").stdout)
    given = groupsim.check(folder / "check.toml").to_dict()
    for each in (printed, given):
        for limit in each["limits"]:
            limit.pop("repeat")  # a path below the folder of the call
        each.pop("file")
    assert printed == given


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("limts = {}", "check.toml: unknown key 'limts'; near names: limits"),
        ("seeds = 'a'", "check.toml: seeds must be a whole number, not 'a'"),
        ("seeds = true", "check.toml: seeds must be a whole number"),
        ("seeds = 0", "check.toml: seeds must be from 1 to"),
        ("share_of_seeds = 2", "check.toml: share_of_seeds must be above 0"),
        ("seeds = ", "check.toml is no TOML"),
        ("limits = {outag = 3}", "check.toml: limits: there is no measure 'outag'; near names: outage"),
        ("limits = {outage = '40'}", "check.toml: limits: outage: '40' is no duration"),
        ("limits = {outage = '-1 s'}", "must not be negative"),
        ("accept = ['no-grac']", "check.toml: accept: there is no rule 'no-grac'; near names: no-grace"),
        ("limits = {outage = '1 s'}", "check.toml: limits need a scenario"),
        ("before = {}", "check.toml: before and after need a scenario"),
        ("scenario = 'steady_stat'", "check.toml: scenario: unknown scenario 'steady_stat'; near names: steady_state"),
        ("scenario = 'steady_state'\nsettings = {sesion = {timeout = {ms = 3}}}", "'sesion.timeout.ms'; near names"),
        ("files = ['no.yaml']", "no.yaml can't be read"),
        ("files = ['check.toml']", "check.toml ends neither in"),
    ],
)
def test_bad_input_is_status_2_and_one_sentence(text: str, sentence: str, folder: Path, call: Call) -> None:
    (folder / "check.toml").write_text(text)
    done = call("check", "check.toml")
    assert (done.status, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_a_manifest_before_and_after_is_simulated(folder: Path) -> None:
    for name, strategy in (
        ("old", "{type: Recreate}"),
        ("new", "{rollingUpdate: {maxSurge: 100%, maxUnavailable: 0}}"),
    ):
        spec = f"replicas: 2\nstrategy: {strategy}"
        (folder / f"{name}.yaml").write_text(manifest(spec=spec))
    (folder / "check.toml").write_text(
        'seeds = 1\npartitions = 4\n[limits]\noutage = "30 s"\n[settings]\n"duration.ms" = 120000\n'
        '[before]\nfiles = ["old.yaml"]\n[after]\nfiles = ["new.yaml"]\n'
    )
    done = check(folder, "check.toml", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["settings"]["before"]["max_unavailable"] == "100%"
    assert found["settings"]["after"]["max_surge"] == "100%"
    (outage,) = (each for each in found["measures"] if each["measure"] == "after_start_outage_ms")
    assert outage["after"]["median"] < outage["before"]["median"]


def test_another_file_can_be_what_is_compared_with(folder: Path) -> None:
    (folder / "base").mkdir()
    (folder / "base" / "lost.py").write_text(TINY)
    (folder / "base" / "check.toml").write_text(PLAN.replace("= 10000", "= 20000"))
    done = check(folder, "check.toml", "--before", "base/check.toml", "--format", "json")
    assert json.loads(done.stdout)["settings"]["before"] == {"session.timeout.ms": "20000"}


def test_what_is_wrong_with_files_is_status_1_unless_it_is_accepted(folder: Path) -> None:
    (folder / "deploy.yaml").write_text(manifest(pod="terminationGracePeriodSeconds: 0"))
    (folder / "client.properties").write_text("group.id=g\nmax.poll.interval.ms=60000\n")
    done = check(folder, "deploy.yaml", "client.properties", "--junit", "check.xml")
    assert done.returncode == 1
    answer, finding, source = done.stdout.splitlines()
    assert answer == "The grace period is 0: pods are killed at once, and no consumer leaves its group."
    assert finding.startswith("wrong no-grace  Deployment billing: ")
    assert "strimzi/strimzi-kafka-operator/pull/2134" in source
    plan = 'files = ["deploy.yaml", "client.properties"]\n'
    (folder / "check.toml").write_text(f'{plan}accept = ["no-grace"]\n')
    accepted = check(folder, "check.toml", "--junit", "check.xml")
    assert (accepted.returncode, accepted.stdout) == (
        0,
        "Nothing contradicts itself: 2 settings and 1 workload in 2 files.\n",
    )
    assert len(ElementTree.parse(folder / "check.xml").getroot().findall(".//skipped")) == 1


def test_settings_that_a_consumer_refuses_are_not_simulated(folder: Path) -> None:
    (folder / "client.properties").write_text("heartbeat.interval.ms=10000\nsession.timeout.ms=10000\n")
    (folder / "check.toml").write_text(
        'files = ["client.properties"]\nscenario = "lost.py"\nlimits = {outage = "1 s"}\n'
    )
    done = check(folder, "check.toml")
    assert done.returncode == 1
    assert done.stdout.startswith("heartbeat.interval.ms is not below session.timeout.ms: the consumer does not start.")


def test_a_setting_that_can_not_be_simulated_is_noted(folder: Path) -> None:
    (folder / "client.properties").write_text(
        "partition.assignment.strategy=com.example.Own\nauto.offset.reset=none\nsession.timeout.ms=10000\n"
    )
    (folder / "check.toml").write_text('files = ["client.properties"]\nscenario = "lost.py"\nseeds = 1\n')
    done = check(folder, "check.toml")
    assert done.returncode == 0
    assert "not simulated: the assignor com.example.Own (client.properties" in done.stderr
    assert "not simulated: auto.offset.reset" in done.stderr
    (folder / "client.properties").write_text("session.timeout.ms=soon\n")
    assert "client.properties: session.timeout.ms" in check(folder, "check.toml").stderr


def test_names_of_strangers_are_no_markup_and_no_xml(folder: Path) -> None:
    odd = "a|<b>&`\\u001b[31m"
    (folder / "deploy.yaml").write_text(manifest(pod="terminationGracePeriodSeconds: 0").replace("billing", f'"{odd}"'))
    (folder / "client.properties").write_text("group.id=g\n")
    done = check(folder, "deploy.yaml", "client.properties", "--junit", "check.xml", "--markdown", "check.md")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    ElementTree.parse(folder / "check.xml")
    assert "\\<b\\>" in (folder / "check.md").read_text()
    assert "\x1b" not in (folder / "check.md").read_text()
