"""Ctrl-C and SIGTERM in the middle of a transaction, at any step."""

from __future__ import annotations

import signal
import sqlite3
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from types import FrameType

import pytest

from groupsim.storage import deferred_signals as uninterrupted
from groupsim.storage import open_store
from groupsim.storage.audit import audit
from groupsim.storage.deferred_signals import let_through
from groupsim.storage.store import RunStatus
from tests.signal_at import signal_at
from tests.storage.facts import info, plain


class Ended(BaseException):
    """What this test's handler of SIGTERM raises."""


@pytest.fixture(autouse=True)
def handlers_are_given_back() -> object:
    def terminated(*_: object) -> None:
        raise Ended

    before = signal.signal(signal.SIGTERM, terminated)
    of_others = signal.signal(signal.SIGINT, signal.default_int_handler)  # PySpark sets its own
    yield
    assert signal.getsignal(signal.SIGTERM) is terminated
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGTERM, before)
    signal.signal(signal.SIGINT, of_others)


@pytest.mark.parametrize(("number", "raised"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Ended)])
def test_a_signal_waits_for_the_end_of_the_outermost_block(number: int, raised: type[BaseException]) -> None:
    done = []

    def block() -> None:
        with uninterrupted.uninterrupted():
            with uninterrupted.uninterrupted():
                signal.raise_signal(number)
                let_through()
                done.append("inner")
            done.append("outer")

    with pytest.raises(raised):
        block()
    assert done == ["inner", "outer"]


def test_a_signal_is_let_through_where_nothing_is_half_done() -> None:
    done, woken = list[str](), list[int]()

    def block() -> None:
        with uninterrupted.uninterrupted(lambda: woken.append(1)):
            let_through()
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)  # means the same
            done.append("before")
            let_through()
            done.append("after")

    with pytest.raises(KeyboardInterrupt):
        block()
    assert (done, woken) == (["before"], [1])


def test_a_block_that_takes_too_long_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uninterrupted, "PATIENCE_S", 0.05)

    def block() -> None:
        with uninterrupted.uninterrupted():
            signal.raise_signal(signal.SIGINT)
            time.sleep(30)

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        block()
    assert time.monotonic() - begun < 10


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with uninterrupted.uninterrupted():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupted_batch_is_stored_or_not_and_blocks_nobody(tmp_path: Path) -> None:
    """Also not the same process, which still holds the exception, and with it the frames of the interrupted code."""
    blocked = []
    for nth in count(5, 12):
        path = tmp_path / f"{nth}.db"
        with closing(open_store(path)) as store:
            writer = store.begin(info("r"))
            writer.append(0, "group:g", [plain(each) for each in range(3)])
            interrupted, places = False, None
            try:
                with signal_at(nth) as places:
                    writer.flush()
            except KeyboardInterrupt:
                interrupted = True
                if _is_locked(path):
                    blocked.append(nth)
                    continue  # it would wait for a minute
                writer.append(1, "group:g", [plain(3)])
                ended = writer.finish(RunStatus.INTERRUPTED, 1)
                assert [fact.event for fact in store.read("r")] == [plain(each) for each in range(4)]
                assert audit(store, ended) is None
            if not interrupted:
                assert places is not None
                assert places.seen < nth
                break
    assert blocked == []


def test_ctrl_c_while_another_process_writes_is_noticed(tmp_path: Path) -> None:
    """SQLite waits for the other one for a minute, in C."""
    with closing(open_store(tmp_path / "s.db")) as store:
        writer = store.begin(info("r"))
        writer.append(0, "group:g", [plain(0)])
        other = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        before = signal.signal(signal.SIGALRM, _press)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        begun = time.monotonic()
        try:
            with pytest.raises(KeyboardInterrupt):
                writer.flush()
            assert time.monotonic() - begun < 10
        finally:
            signal.signal(signal.SIGALRM, before)
            other.execute("ROLLBACK")
            other.close()
        writer.flush()
        assert store.find("r").facts == 1


def _press(_: int, __: FrameType | None) -> None:
    signal.raise_signal(signal.SIGINT)


def _is_locked(path: Path) -> bool:
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        return False
