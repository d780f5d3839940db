"""The order of the tests, that none is timed, that Ctrl-C is not ignored, and how the Java that they start is set."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
from _pytest.nodeid import NodeId
from xdist.scheduler import LoadGroupScheduling

from tests import ctrl_c
from tests.thinned import ALL, examples

# No test is timed: a busy machine is slow.
hypothesis.settings.register_profile("untimed", deadline=None, max_examples=examples(30, 100))
hypothesis.settings.load_profile("untimed")
# Tests run little code for a short time: optimising it would take more processor time than it saves.
FAST_START = "-XX:TieredStopAtLevel=1"
os.environ.setdefault("SPARK_SUBMIT_OPTS", f"{FAST_START} -Dspark.executor.extraJavaOptions={FAST_START}")


@pytest.fixture(scope="session", autouse=True)
def interruptions_work_in_the_background_too() -> Iterator[None]:
    with ctrl_c.not_ignored():
        yield


class ByFile(LoadGroupScheduling):  # type: ignore[misc]  # xdist has no types
    """The tests of a file go to one process, which makes their set-up once; groups and pages go by themselves."""

    def _split_scope(self, nodeid: str) -> str:
        file, scope = nodeid.partition("::")[0], super()._split_scope(nodeid)
        return scope if scope != nodeid or file == "tests/test_docs.py" else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    config.option.loadscopereorder = False  # xdist would begin with the files that have most tests
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the one Spark session come first and run in one process: two sessions would start twice. Then the slow
    ones, so that none of them is the last that everybody waits for. Those of the night are left out by day."""
    left_out = [] if ALL else [item for item in items if item.get_closest_marker("nightly")]
    if left_out:
        left_out[0].config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    for item in items:
        if item.get_closest_marker("spark"):
            item.add_marker(pytest.mark.xdist_group("spark"))
        group = item.get_closest_marker("xdist_group")
        if group is not None and "PYTEST_XDIST_WORKER" in os.environ:
            # xdist 3.8 does the same with `_nodeid`, which pytest 9.2 no longer reads: then `--dist loadgroup` sees no
            # groups, and each worker starts a Spark session of its own.
            item._id = NodeId.parse(f"{item.nodeid}@{group.args[0]}")
    items.sort(key=lambda item: 0 if item.get_closest_marker("spark") else 1 if item.get_closest_marker("slow") else 2)
