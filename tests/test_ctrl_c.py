"""Tests that interrupt work wherever they are started: with `nohup` and in the background, too."""

from __future__ import annotations

import signal
import subprocess
import sys

from tests import ctrl_c

SAYS = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"


def test_a_process_gets_ctrl_c_though_what_started_it_ignores_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert _said() == "False"
        with ctrl_c.not_ignored():
            assert _said() == "True"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_no_test_runs_with_ctrl_c_ignored() -> None:
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def _said() -> str:
    return subprocess.run([sys.executable, "-c", SAYS], capture_output=True, text=True, check=True).stdout.strip()
