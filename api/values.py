"""What may be given for settings, seeds and topics, and what the rest of the project takes for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from groupsim.api.errors import BadRequest

if TYPE_CHECKING:
    import pandas as pd

Value: TypeAlias = "str | int | float | bool"
Settings: TypeAlias = "Mapping[str, Value]"
"""Kafka's settings by their own names, parameters of the scenario: `{"session.timeout.ms": 10_000}`."""
Seeds: TypeAlias = "range | Sequence[int]"

Duration: TypeAlias = "int | float | str | timedelta"
"""As users write it: "40 s", "1 min 30 s", a timedelta, or a number of ms."""


def text_of(value: Value) -> str:
    """A value as Kafka writes it: `true`, not `True`, and `10000`, not `10000.0`."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def texts_of(settings: Settings | None, what: str = "settings") -> dict[str, str]:
    """Settings with values as texts. Raises BadRequest for what is no mapping of names to values."""
    if settings is None:
        return {}
    if not isinstance(settings, Mapping):
        raise BadRequest(f"{what} must be a dict of names and values, not {type(settings).__name__}")
    for name, value in settings.items():
        if not isinstance(name, str) or not isinstance(value, str | int | float | bool):
            raise BadRequest(f"{what}: {name!r}: {value!r} must be a name and a text, a number or a bool")
    return {name: text_of(value) for name, value in settings.items()}


def as_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column of texts as numbers, where all of them are some: `session.timeout.ms` can be drawn and compared then."""
    import pandas as pd

    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column


def mapping_of(given: object, what: str, example: str) -> Mapping[Any, Any]:
    """What has to be a dict. Raises BadRequest for anything else, with an example."""
    if not isinstance(given, Mapping):
        raise BadRequest(f"{what} must be a dict, such as {example}, not {type(given).__name__}")
    return given


def lists_of(values: Mapping[str, Iterable[Value] | Value], what: str) -> dict[str, list[str]]:
    """By name the values to compare; one value stands for a list of one. Raises BadRequest."""
    found: dict[str, list[str]] = {}
    for name, given in values.items():
        several = [given] if isinstance(given, str | int | float | bool) else list(given)
        found[name] = [text_of(value) for value in several]
        if not found[name] or len(set(found[name])) < len(found[name]) or "" in found[name]:
            raise BadRequest(f"{what}: {name}: every value once, none empty")
    return found


def seeds_of(seeds: Seeds, what: str = "seeds") -> range:
    """Seeds without a gap, as a range. Raises BadRequest."""
    if isinstance(seeds, int):
        raise BadRequest(f"{what}={seeds}: so many seeds are range({seeds}), this one is [{seeds}]")
    found = list(seeds)
    if not found:
        raise BadRequest(f"{what}: there is none")
    if any(not isinstance(seed, int) for seed in found) or found != list(range(found[0], found[0] + len(found))):
        raise BadRequest(f"{what} must be whole numbers without a gap: range(0, 20)")
    return range(found[0], found[-1] + 1)


def one_or_more(given: str | Iterable[str]) -> list[str]:
    """A text stands for a list of one."""
    return [given] if isinstance(given, str) else list(given)


def counts_of(topics: Mapping[str, int] | None) -> dict[str, int]:
    """Partitions by topic. Raises BadRequest, LogError for more than there may be."""
    from groupsim.incidents.facts.limits import MOST_PARTITIONS, check_counts

    found = dict(topics or {})
    for name, number in found.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise BadRequest(f"topics: {name!r}: {number!r} must be a number of partitions, 1 at least")
    check_counts(found, MOST_PARTITIONS)
    return found


def ms_of_duration(duration: Duration) -> float:
    """A duration in milliseconds: "40 s", "1 min 30 s", a timedelta, or a number of ms. Raises BadRequest."""
    import pandas as pd

    if isinstance(duration, int | float):
        return duration
    try:
        if isinstance(duration, str) and duration.strip().isdigit():  # pandas would take it for nanoseconds
            raise ValueError
        if not pd.isna(length := pd.Timedelta(duration)):
            return length / pd.Timedelta(milliseconds=1)
    except ValueError:
        pass
    raise BadRequest(f'{duration!r} is no duration: "40 s", "1 min 30 s", a timedelta, or milliseconds')
