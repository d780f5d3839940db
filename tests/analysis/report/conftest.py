"""Runs to report on, and a browser to open the reports in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groupsim.analysis.report import report
from groupsim.analysis.runs import Run
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.scenarios import catalogue
from groupsim.simulation.run import run as simulate
from groupsim.storage.memory import MemoryStore
from tests.analysis.report.browser import needed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLE = Path(__file__).parent.parent.parent.parent / "examples" / "incidents" / "kill9-range"


def simulated(name: str, **settings: str) -> Run:
    """A built-in story, played."""
    store = MemoryStore()
    return Run(store, simulate(catalogue.find(name), store, settings=settings, record="facts").info)


def imported(folder: Path) -> Run:
    """An incident of examples/, read from its logs."""
    store = MemoryStore()
    name = folder.name.partition("-")[0]
    return Run(store, import_run(read_files(sorted(folder.glob("*.log.gz"))), store, name=name, topics={}).run)


@pytest.fixture(scope="session")
def slow() -> Run:
    """Two groups, five rebalances; a member is inside a batch of a minute."""
    return simulated("one_slow_member")


@pytest.fixture(scope="session")
def kill9() -> Run:
    """A recorded incident."""
    return imported(EXAMPLE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; ended with the module, because its event loop would be in the way of others."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=needed(), args=["--no-sandbox"])
        yield started
        started.close()


Opened = Callable[..., "Page"]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    """Open a report of runs; the test fails if the page complains, asks for anything, or shows a dialog."""
    with _watching(browser, tmp_path) as (show, complaints):
        yield show
        assert complaints == []


@contextmanager
def _watching(browser: Browser, folder: Path) -> Iterator[tuple[Opened, list[str]]]:
    complaints: list[str] = []
    contexts = []

    def show(*runs: Run, text: str | None = None, ready: bool = True, **options: Any) -> Page:
        file = folder / "report.html"
        file.write_text(report(runs) if text is None else text, "utf-8")
        contexts.append(browser.new_context(**{"viewport": {"width": 1300, "height": 900}, **options}))
        page = contexts[-1].new_page()
        page.set_default_timeout(120_000)  # a busy machine
        asked: list[str] = []
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        if ready:
            page.wait_for_selector("html[data-ready]")
        complaints.extend(f"asks for {url}" for url in asked if url != file.as_uri())
        return page

    yield show, complaints
    for context in contexts:
        context.close()
