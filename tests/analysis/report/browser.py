"""The machine's Chromium, for the tests that open a report; `python -m tests.analysis.report.browser` says where it is.

A machine without one skips these tests, but not CI: there (`CI=true`) they fail.
"""

from __future__ import annotations

import os
import shutil
import sys

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = "no Chromium on PATH: `apt-get install chromium`, or name one in the environment variable CHROMIUM"


def chromium() -> str | None:
    """Its path; CHROMIUM names another than the one on PATH. None if there is none."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for path in map(shutil.which, NAMES) if path), None)


def needed() -> str:
    """Its path. Fails the test if there is none."""
    found = chromium()
    if found is None:
        pytest.fail(HOW)
    return found


needs_browser = pytest.mark.skipif(chromium() is None and os.environ.get("CI") != "true", reason=HOW)
"""For tests that open a page."""


def main() -> int:
    """Print where it is; 1 if there is none."""
    print(chromium() or HOW)
    return int(chromium() is None)


if __name__ == "__main__":
    sys.exit(main())
