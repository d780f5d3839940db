"""The pytest plugin, as a project that installed groupsim uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

import groupsim
from groupsim.api.values import ms_of_duration

pytest_plugins = ["pytester"]
ITS_TESTS = '''
import groupsim
from datetime import timedelta

@groupsim.scenario(lasts=groupsim.minutes(2))
def lost_member(world, partitions: int = 6):
    """Two members; one is killed."""
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing")
    alice, bob = group.join("alice", "bob", topics=[orders])
    yield group.stable(members=2)
    bob.kill()
    yield group.stable(members=1, within=groupsim.minutes(1))

def test_short_sessions_help(groupsim_run):
    runs = groupsim_run(lost_member, settings={"session.timeout.ms": 6_000}, seeds=range(3))
    runs.assert_outage(at_most="20 s", share_of_seeds=0.6)
    runs.assert_longest_outage(at_most=timedelta(seconds=20))
    runs.assert_partition_seconds(at_most=100)
    assert len(runs.to_frame()) == len(runs) == 3

def test_long_sessions_do_not(groupsim_run):
    runs = groupsim_run(lost_member, settings={"session.timeout.ms": 30_000}, seeds=range(3))
    runs.assert_outage(at_most="20 s", share_of_seeds=0.6)
'''


def test_a_limit_that_is_broken_names_the_worst_seed_and_how_to_repeat_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_deploy=ITS_TESTS)
    plugin = ["-p", "groupsim.api.pytest_plugin"] if "groupsim" not in _installed() else []
    done = pytester.runpytest_subprocess(*plugin, "-p", "no:xdist", "--groupsim-reports", "out")
    done.assert_outcomes(passed=1, failed=1)
    text = done.stdout.str()
    assert "after_start_outage_ms is at most 20.0 s in 0 of 3 seeds; 60% of the seeds have to" in text
    assert "bob died without close()" in text
    (report,) = (pytester.path / "out").glob("*.html")
    seed = report.stem.rpartition("-")[2]
    assert report.name == f"test_long_sessions_do_not-seed-{seed}.html"
    again = f"groupsim run {pytester.path}/test_deploy.py::lost_member --seed {seed} --set session.timeout.ms=30000"
    assert again in text
    worst = groupsim.run(f"{pytester.path}/test_deploy.py::lost_member", seed=int(seed))
    assert worst.ok


def _installed() -> set[str]:
    from importlib.metadata import entry_points

    return {each.name for each in entry_points(group="pytest11")}


def test_loading_the_plugin_loads_neither_pandas_nor_simpy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_light="""
        import sys
        def test_light(request):
            assert not {"pandas", "simpy", "sqlalchemy"} & set(sys.modules)
        """
    )
    done = pytester.runpytest_subprocess(
        "-p", "groupsim.api.pytest_plugin", "-p", "no:hypothesispytest", "-p", "no:groupsim"
    )
    done.assert_outcomes(passed=1)


def test_a_measure_that_there_is_not_is_named() -> None:
    from groupsim.api.testing import runs_of

    runs = runs_of("steady_state", seeds=[1])
    with pytest.raises(groupsim.GroupsimError, match="no measure 'outage'"):
        runs.assert_measure("outage", at_most=3)
    with pytest.raises(groupsim.GroupsimError, match="share_of_seeds"):
        runs.assert_outage(at_most=3, share_of_seeds=0)
    assert ms_of_duration("1 min 30 s") == 90_000
    with pytest.raises(groupsim.GroupsimError, match="no duration"):
        ms_of_duration("soon")


def test_a_scenario_that_fails_is_no_limit_that_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from groupsim.api.testing import runs_of

    monkeypatch.chdir(tmp_path)

    @groupsim.scenario(lasts=1_000)
    def fails(world: groupsim.World) -> groupsim.Script:
        yield world.sleep(10)
        world.check(False, "it never works")

    run = groupsim.run(fails)
    assert not run.ok
    assert not groupsim.load(run.store).ok  # of a stored run only its status is known, not why
    with pytest.raises(AssertionError, match="it never works"):
        runs_of(fails, seeds=[1]).assert_outage(at_most="1 h")
