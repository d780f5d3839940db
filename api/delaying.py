"""`run.delays(…)`: how long the records of a run waited for a member that takes them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from groupsim.analysis.runs import Run
from groupsim.analysis.tables.delays import EVERY_MEMBER, Load, client_of
from groupsim.analysis.tables.known_delays import delay_rows, known_rates
from groupsim.api.errors import BadRequest
from groupsim.api.values import Duration, ms_of_duration
from groupsim.wording.lists import listed


def delayed(
    run: Run,
    rates: Mapping[str, float] | None,
    capacity: float | None,
    slo: Duration | None,
    batch: Duration | Mapping[str, Duration] | None,
    between: tuple[int, int] | None,
) -> tuple[list[dict[str, Any]], float | None]:
    """Rows of `DELAYS`, and the limit in ms. `between`: ms of the run. Raises BadRequest where no rate is known."""
    topics = sorted({interval.topic for interval in run.intervals})
    if not topics:
        raise BadRequest(f"run {run.info.id} has no partition whose availability is known, so no delays are")
    if rates is not None and not isinstance(rates, Mapping):
        raise BadRequest(f"rates={rates!r} names no topic: give records per second by topic: {{{topics[0]!r}: 200}}")
    known = known_rates(run.state_changing, {topic: _rate(topic, rate) for topic, rate in (rates or {}).items()})
    unknown = [topic for topic in topics if topic not in known]
    if unknown:
        raise BadRequest(
            f"no rate is known for topic {unknown[0]}: give the records per second in each of its partitions:"
            f" --rate {unknown[0]}=200, in Python rates={{{unknown[0]!r}: 200}}"
        )
    if strange := sorted(set(rates or {}) - set(topics)):
        raise BadRequest(f"run {run.info.id} has no topic {strange[0]!r}; it has {', '.join(topics)}")
    if capacity is not None and not (_is_number(capacity) and capacity > 0):
        raise BadRequest(f"capacity={capacity!r} is not a number of records per second")
    limit = None if slo is None else ms_of_duration(slo)
    load = Load(known, capacity, _batches(run, batch))
    return list(delay_rows(run.record_delays(load, between), limit)), limit


def _batches(run: Run, batch: Duration | Mapping[str, Duration] | None) -> dict[str, float]:
    """How long members work on a batch (ms), by name."""
    if batch is None:
        return {}
    if not isinstance(batch, Mapping):
        return {EVERY_MEMBER: ms_of_duration(batch)}
    processes = {interval.member for interval in run.intervals if interval.member}
    names = {*processes, *map(client_of, processes), EVERY_MEMBER}
    for name in batch:
        if name not in names:
            clients = sorted({*map(client_of, processes)})
            raise BadRequest(f"run {run.info.id} has no member {name!r}; it has {listed(clients)}")
    return {name: ms_of_duration(lasts) for name, lasts in batch.items()}


def _rate(topic: str, rate: float) -> float:
    if not (_is_number(rate) and rate >= 0):
        raise BadRequest(f"rate {topic}={rate!r} is not a number of records per second")
    return float(rate)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and isfinite(value)
