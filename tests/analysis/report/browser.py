"""The machine's Chromium, for the tests that open a report."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = "no Chromium on PATH: `apt-get install chromium`, or name one in the environment variable CHROMIUM"


def chromium() -> str | None:
    """Its path; CHROMIUM names another than the one on PATH. None if there is none."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for path in map(shutil.which, NAMES) if path), None)
