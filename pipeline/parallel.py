"""One function over many arguments: in processes of this machine, or on Spark; results can be kept in a folder.

A kept result is a file of its own that appears when it is complete, so the work can be ended at any moment, and what is
done is not done again.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from groupsim.events.errors import GroupsimError
from groupsim.pipeline.errors import PipelineError
from groupsim.storage.deferred_signals import uninterrupted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

W = TypeVar("W")
R = TypeVar("R")
RESULTS = "results"
_TASKS_A_CORE = 4
_json = msgspec.json.Encoder(order="deterministic")


class Spread(Protocol):
    """The results of a function for each argument, in order. Function, arguments and results can be pickled."""

    def __call__(self, function: Callable[[W], R], works: Sequence[W]) -> Iterable[R]:
        """Errors of the function (GroupsimError) are raised."""
        ...


def here(function: Callable[[W], R], works: Sequence[W]) -> Iterable[R]:
    """A Spread: one after the other, in this process."""
    return map(function, works)


@contextmanager
def processes(jobs: int) -> Iterator[Spread]:
    """So many processes side by side; the present one alone for 1. Raises PipelineError if one of them dies."""
    if jobs == 1:
        yield here
        return
    with _pool(jobs) as pool:

        def spread(function: Callable[[W], R], works: Sequence[W]) -> Iterable[R]:
            size = max(1, min(4, len(works) // (2 * jobs)))
            with _deaths(), starting():
                parts = [pool.submit(_all, function, works[at : at + size]) for at in range(0, len(works), size)]
            for part in parts:  # not pool.map, which cancels what is left: the pool's thread could not end it then
                yield from _result(part)

        yield spread


def streamed(jobs: int, function: Callable[[W], R], works: Iterable[W], at_once: int = 4) -> Generator[R, None, None]:
    """Results in order from so many processes, in the present one alone for 1; `works` may have no end.

    They begin little more than what is read; `at_once` works go to one together. Closing it ends the processes at once.
    Raises PipelineError if one of them dies; `multiprocessing.Pool` waits for ever for what that one was to compute, or
    for a lock that it had.
    """
    if jobs <= 1:
        yield from map(function, works)
        return
    coming, waiting = iter(works), deque[Future[list[R]]]()
    with _pool(jobs) as pool:
        while True:
            while len(waiting) < 2 * jobs and (some := list(islice(coming, at_once))):
                with _deaths(), starting():
                    waiting.append(pool.submit(_all, function, some))
            if not waiting:
                return
            yield from _result(waiting.popleft())


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes, which are ended at once if the block is left by an exception."""
    before = set(multiprocessing.active_children())
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, spawn, initializer=belong_to_the_first) as pool:
        try:
            yield pool
        except BaseException:
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()
            raise


def _result(part: Future[list[R]]) -> list[R]:
    with _deaths():
        return part.result()


@contextmanager
def _deaths() -> Iterator[None]:
    """Raises PipelineError where a pool says that one of its processes died."""
    try:
        yield
    except BrokenProcessPool:
        raise PipelineError("a process that simulated was killed, or had not enough memory") from None


def _all(function: Callable[[W], R], works: Sequence[W]) -> list[R]:
    return [function(work) for work in works]


@contextmanager
def starting() -> Iterator[None]:
    """Processes that are started in the block never get Ctrl-C, which a terminal sends to all: they inherit that.

    Python would print a traceback in a process that is still loading, before `belong_to_the_first`, and in one to
    which nobody says any more what to load: this process handles a signal that came after the block.
    """
    resource_tracker.ensure_running()  # it unblocks the signal when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        with uninterrupted():  # another thread, such as those of NumPy, may get what is blocked in this one
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def belong_to_the_first() -> None:
    """Ctrl-C reaches all processes; the one that began them ends the others. If it is killed, they end by themselves:
    each holds both ends of the pipe that it reads its work from, and would wait for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_first, daemon=True).start()


def _end_with_the_first() -> None:
    if (first := multiprocessing.parent_process()) is not None:
        first.join()
        os._exit(1)


def on_spark(session: SparkSession) -> Spread:
    """Each call is one Spark job, its results come all at once. Raises PipelineError where Spark fails."""
    context = session.sparkContext

    def spread(function: Callable[[W], R], works: Sequence[W]) -> Iterable[R]:
        if not works:
            return
        tasks = min(len(works), _TASKS_A_CORE * context.defaultParallelism)
        try:
            results = context.parallelize(works, tasks).map(_Guarded(function)).collect()
        except Exception as error:  # of any kind: py4j wraps what Java throws
            raise PipelineError(f"Spark has stopped: {reason(error)}") from error
        for result in results:
            if isinstance(result, GroupsimError):
                raise result
            yield result

    return spread


class _Guarded:
    """A function whose GroupsimErrors are results: Spark would try again, and bury the sentence."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def __call__(self, work: Any) -> Any:
        try:
            return self._function(work)
        except GroupsimError as error:
            return error


def reason(error: Exception) -> str:
    """The last error line of the Python worker, or the first line of Spark."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    own = [line for line in lines if "Error: " in line and not line.startswith(("at ", "org.", "Caused by"))]
    return (own or lines or [type(error).__name__])[0]


def keeping(spread: Spread, folder: Path, kind: Any) -> Spread:
    """A Spread that keeps each result (of type `kind`, as JSON) in `folder`, and computes none that is there.

    The file's name depends on the argument alone: the folder is for one function. Whoever computes writes it, so
    machines of a cluster share the folder. A file that can't be read, or was changed, counts as missing. What killed
    processes began to write is deleted, so nobody else may be at work in the folder. Raises PipelineError.
    """
    results = folder.resolve() / RESULTS
    try:
        results.mkdir(parents=True, exist_ok=True)
        for left in results.glob(".*"):
            left.unlink(missing_ok=True)
    except OSError as error:
        raise PipelineError(f"{results} can't be written: {error.strerror or error}") from None

    def kept(function: Callable[[W], R], works: Sequence[W]) -> Iterable[R]:
        known = {key: _read(results / key, kind) for key in dict.fromkeys(map(_key, works))}
        new = {key: work for work in works if known[key := _key(work)] is None}
        fresh = iter(spread(_Keeping(function, str(results)), list(new.values())))
        for key in map(_key, works):
            if known[key] is None:  # new ones come in this order
                known[key] = next(fresh)
            yield known[key]

    return kept


class _Keeping:
    """A function that stores its result, complete or not at all."""

    def __init__(self, function: Callable[[Any], Any], results: str) -> None:
        self._function, self._results = function, results

    def __call__(self, work: Any) -> Any:
        result = self._function(work)
        place = Path(self._results, _key(work))
        unfinished = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            unfinished.write_bytes(_sealed(result))
            unfinished.replace(place)
        except OSError as error:
            raise PipelineError(f"{place.parent} can't be written: {error.strerror or error}") from None
        return result


def digest_of(value: Any) -> str:
    """Sixteen hexadecimal digits that depend on the value alone: dataclasses, dicts, lists, texts, numbers."""
    return hashlib.sha256(_json.encode(value)).hexdigest()[:16]


def _key(work: Any) -> str:
    return f"{digest_of(work)}.json"


class _Sealed(msgspec.Struct):
    """A result in its file. Its keys keep their order: an answer prints them so."""

    digest: str
    result: msgspec.Raw


def _sealed(result: Any) -> bytes:
    text = msgspec.json.encode(result)
    return msgspec.json.encode(_Sealed(hashlib.sha256(text).hexdigest(), msgspec.Raw(text)))


def _read(place: Path, kind: Any) -> Any:
    try:
        kept = msgspec.json.decode(place.read_bytes(), type=_Sealed)
        whole = hashlib.sha256(kept.result).hexdigest() == kept.digest
        return msgspec.json.decode(kept.result, type=kind) if whole else None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
