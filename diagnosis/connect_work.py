"""Connectors and tasks that had a worker and have none: Connect waits for the worker that had them (KIP-415).

Every worker prints all that it has after each rebalance (Kafka: DistributedHerder.onAssigned). What a worker had, and
no line of the generation with a delay has, is unassigned from that line to the next line that has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from groupsim.diagnosis.said import Said

Unit = tuple[str, str]
"""`connector` or `task`, and its name."""
KINDS = ("connector", "task")


class Unassigned(NamedTuple):
    """Units without a worker: from which line with a delay, to which line that gives the first of them away again.

    `until` is None where no line does; `by_others`: their worker printed nothing in this generation, so the lines of
    other workers say it, and `until` is never None.
    """

    units: frozenset[Unit]
    since: Said
    until: Said | None
    by_others: bool


def units_of(line: Said) -> frozenset[Unit]:
    """All that a worker has by its line."""
    detail = line.row.detail
    return frozenset(
        (kind, str(name)) for kind in KINDS if isinstance(names := detail.get(f"{kind}s"), list) for name in names
    )


def unassigned(lines: Sequence[Said]) -> Iterator[Unassigned]:
    """What had no worker, each time that a delay began, in order. `lines`: those that say what workers were given."""
    held: dict[str | None, frozenset[Unit]] = {}
    out: frozenset[Unit] = frozenset()
    place = 0
    while place < len(lines):
        rounds = _generation(lines, place)
        after = place + len(rounds)
        now = {line.client: units_of(line) for line in rounds}
        out -= frozenset().union(*now.values())
        delayed = next((line for line in rounds if line.row.detail.get("delay_ms")), None)
        if delayed is not None:
            yield from _lost(held, now, out, delayed, lines[after:])
            out |= frozenset().union(*held.values()) - frozenset().union(*now.values())
            held = {client: had for client, had in held.items() if client in now}
        held |= now
        place = after


def _generation(lines: Sequence[Said], place: int) -> Sequence[Said]:
    """The lines of one generation: each worker prints one."""
    number = lines[place].row.detail.get("generation")
    end = place + 1
    seen = {lines[place].client}
    while (
        end < len(lines)
        and number is not None
        and lines[end].row.detail.get("generation") == number
        and lines[end].client not in seen
    ):
        seen.add(lines[end].client)
        end += 1
    return lines[place:end]


def _lost(
    held: dict[str | None, frozenset[Unit]],
    now: dict[str | None, frozenset[Unit]],
    out: frozenset[Unit],
    since: Said,
    later: Sequence[Said],
) -> Iterator[Unassigned]:
    """What this generation took from a worker that printed it, else from one that is away."""
    given = frozenset().union(*now.values())
    own = frozenset().union(*(had for client, had in held.items() if client in now)) - given - out
    if own:
        yield Unassigned(own, since, _again(own, later), by_others=False)
    others = frozenset().union(*(had for client, had in held.items() if client not in now)) - given - out
    if others and (again := _again(others, later)) is not None:
        yield Unassigned(others, since, again, by_others=True)


def _again(units: frozenset[Unit], later: Sequence[Said]) -> Said | None:
    return next((line for line in later if units & units_of(line)), None)
