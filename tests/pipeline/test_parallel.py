"""One function over many arguments, here, side by side and on Spark; kept results are not computed again."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path

import pytest

from groupsim.events.errors import GroupsimError
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.parallel import RESULTS, here, keeping, on_spark, processes, streamed
from groupsim.pipeline.session import spark_session
from tests.adversary.processes import below, gone

Work = tuple[dict[str, str], int]
WORKS: list[Work] = [({"a": str(n % 3)}, n) for n in range(7)]


def counted(log: str, work: Work) -> dict[str, float]:
    """Twice the number, and a line in a file for each call. Raises GroupsimError for 99, and dies for 98."""
    if work[1] == 99:
        raise GroupsimError("99 is too much")
    if work[1] == 98:
        os._exit(9)
    with Path(log).open("a") as file:
        file.write(f"{work[1]}\n")
    return {"twice": 2.0 * work[1]}


def backwards(work: Work) -> dict[str, float]:
    """Keys that are not in the order of the alphabet."""
    return {"b": 1.0, "a": 2.0}


def calls(log: Path) -> list[int]:
    return sorted(map(int, log.read_text().split()))


TWICE = [{"twice": 2.0 * n} for n in range(7)]


def test_processes_give_results_in_order_and_raise_what_the_function_raises(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with processes(2) as spread:
        assert list(spread(partial(counted, str(log)), WORKS)) == TWICE
        with pytest.raises(GroupsimError, match="99 is too much"):
            list(spread(partial(counted, str(log)), [({}, 99)]))
    assert calls(log) == list(range(7))


def test_an_error_ends_what_still_waits_without_a_word(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    many: list[Work] = [({}, 99), *[({}, 0)] * 500]  # none that dies: the other process may be quicker than the error
    with pytest.raises(GroupsimError, match="99 is too much"), processes(2) as spread:
        list(spread(partial(counted, str(tmp_path / "log")), many))
    assert capfd.readouterr() == ("", "")


def test_a_process_that_dies_ends_the_work_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="was killed, or had not enough memory"), processes(2) as spread:
        list(spread(partial(counted, str(tmp_path / "log")), [*WORKS, ({}, 98)]))


def test_results_come_in_order_while_they_are_read_and_the_processes_end_with_the_reading(tmp_path: Path) -> None:
    log = tmp_path / "log"
    works: Iterator[Work] = (({}, n) for n in count())
    results = streamed(2, partial(counted, str(log)), works)
    assert list(islice(results, 9)) == [{"twice": 2.0 * n} for n in range(9)]
    workers = below(os.getpid())
    assert sum("spawn_main" in command for command in workers.values()) == 2
    results.close()
    assert gone({pid: command for pid, command in workers.items() if "spawn_main" in command}, 60) == []
    assert len(calls(log)) < 40


def test_all_is_read_and_a_process_that_dies_is_a_sentence(tmp_path: Path) -> None:
    function = partial(counted, str(tmp_path / "log"))
    assert list(streamed(2, function, WORKS)) == TWICE
    with pytest.raises(PipelineError, match="was killed, or had not enough memory"):
        list(streamed(2, function, [*WORKS, ({}, 98), *WORKS]))


def test_nothing_is_given_to_processes_after_one_died(tmp_path: Path) -> None:
    def works() -> Iterator[Work]:
        yield {}, 98
        until = time.monotonic() + 60
        while multiprocessing.active_children() and time.monotonic() < until:
            time.sleep(0.02)
        yield {}, 1

    with pytest.raises(PipelineError, match="was killed, or had not enough memory"):
        list(streamed(2, partial(counted, str(tmp_path / "log")), works(), at_once=1))


def endless(log: str, work: Work) -> None:
    """Its process in the file, and then nothing more."""
    with Path(log).open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(600)


def test_processes_end_when_the_first_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    if (first := os.fork()) == 0:
        with processes(2) as spread:
            list(spread(partial(endless, str(log)), WORKS))
    until = time.monotonic() + 60
    while (not log.exists() or len(calls(log)) < 2) and time.monotonic() < until:
        time.sleep(0.02)
    children = below(first)
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    assert {*calls(log)} <= children.keys()
    assert gone(children, 60) == []


def test_what_is_kept_is_computed_once(tmp_path: Path) -> None:
    log, function = tmp_path / "log", partial(counted, str(tmp_path / "log"))
    some: Sequence[Work] = [WORKS[3], WORKS[0], WORKS[3]]
    spread = keeping(here, tmp_path, dict[str, float])
    assert list(spread(function, some)) == [TWICE[3], TWICE[0], TWICE[3]]
    assert calls(log) == [0, 3]
    later = keeping(here, tmp_path, dict[str, float])
    assert list(later(function, WORKS)) == TWICE
    assert calls(log) == list(range(7))


def test_what_a_killed_process_began_to_write_goes_and_keys_keep_their_order(tmp_path: Path) -> None:
    spread = keeping(here, tmp_path, dict[str, float])
    assert [list(row) for row in spread(backwards, WORKS[:1])] == [["b", "a"]]
    left = tmp_path / RESULTS / ".0123456789abcdef.json.4711"
    left.write_text("{")
    again = keeping(here, tmp_path, dict[str, float])
    assert not left.exists()
    assert [list(row) for row in again(backwards, WORKS[:1])] == [["b", "a"]]


def test_what_was_done_before_an_end_is_kept_and_a_cut_file_counts_as_missing(tmp_path: Path) -> None:
    log, function = tmp_path / "log", partial(counted, str(tmp_path / "log"))
    spread = keeping(here, tmp_path, dict[str, float])
    with pytest.raises(GroupsimError):
        list(spread(function, [*WORKS[:4], ({}, 99), *WORKS[4:]]))
    assert calls(log) == [0, 1, 2, 3]
    cut = sorted((tmp_path / RESULTS).iterdir())[0]
    cut.write_bytes(cut.read_bytes()[:5])
    assert list(spread(function, WORKS)) == TWICE
    assert len(calls(log)) == 8


@pytest.mark.parametrize("changed", [b"2.0", b'"x"', b"NaN", b"\xb4", b"[" * 5_000])
def test_a_result_that_somebody_changed_counts_as_missing(tmp_path: Path, changed: bytes) -> None:
    function = partial(counted, str(tmp_path / "log"))
    assert list(keeping(here, tmp_path, dict[str, float])(function, WORKS[2:3])) == TWICE[2:3]
    (file,) = (tmp_path / RESULTS).iterdir()
    assert b"4.0" in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(b"4.0", changed))
    assert list(keeping(here, tmp_path, dict[str, float])(function, WORKS[2:3])) == TWICE[2:3]


def test_a_folder_that_can_not_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / RESULTS).write_text("a file")
    with pytest.raises(PipelineError, match="can't be written"):
        keeping(here, tmp_path, dict[str, float])


@pytest.fixture
def carried() -> Iterator[None]:
    """Functions of this file travel whole: Spark's workers find `tests` only where the JVM was started in the root."""
    from pyspark import cloudpickle

    this = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(this)  # type: ignore[no-untyped-call]
    yield
    cloudpickle.unregister_pickle_by_value(this)  # type: ignore[no-untyped-call]


@pytest.mark.spark
@pytest.mark.usefixtures("carried")
def test_spark_gives_the_same_in_order_and_keeps_it(tmp_path: Path) -> None:
    spread = keeping(on_spark(spark_session("local[2]")), tmp_path, dict[str, float])
    log, function = tmp_path / "log", partial(counted, str(tmp_path / "log"))
    assert list(spread(function, WORKS)) == TWICE
    assert len(list((tmp_path / RESULTS).iterdir())) == 7
    assert list(spread(function, WORKS)) == TWICE
    assert calls(log) == list(range(7))
    with pytest.raises(GroupsimError, match="99 is too much"):
        list(spread(function, [({}, 99)]))
