"""`incident whatif --migrate rolling`: what the roll to another protocol costs, and what it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from groupsim.analysis.display_names import counted
from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.progress import progress
from groupsim.cli.summary import amount

if TYPE_CHECKING:
    from groupsim.replay.choice import Choice
    from groupsim.replay.choice_result import Range
    from groupsim.replay.migration import Migration
    from groupsim.replay.replayable import ReplayableRun
    from groupsim.storage.store import EventStore, RunInfo

ROLLING = "rolling"
SEEDS = 10
"""How many seeds of a roll are simulated by default."""


def wanted(migrate: str | None, protocols: Sequence[str]) -> list[str]:
    """The protocols to ask for: with --migrate the consumer protocol, if none is named. Raises BadRequest."""
    if migrate not in (None, ROLLING):
        raise BadRequest(f"--migrate must be {ROLLING}, not {migrate!r}")
    return list(protocols) or (["consumer"] if migrate else [])


def migration_of(
    store: EventStore, info: RunInfo, incident: ReplayableRun, choices: Sequence[Choice], seeds: range | None
) -> dict[str, Any]:
    """The row about the roll to the protocol of the first choice that names one. Raises BadRequest."""
    from groupsim.events.client import ProcessStarted
    from groupsim.replay.migration import migrate
    from groupsim.replay.migration_checks import checks, impossible
    from groupsim.replay.protocols import REMOTE, assignor_meant

    choice = next((choice for choice in choices if choice.protocol is not None), None)
    if choice is None or choice.protocol is None or incident.incident is None:
        raise BadRequest("--migrate needs a recorded incident and a --protocol")
    if all(each.protocol == choice.protocol for each in incident.incident.incarnations):
        raise BadRequest(
            f"--migrate: group {incident.group} uses the {choice.protocol} protocol already; name the other one"
        )
    configs = [
        fact.event.config
        for fact in store.read(info.id, types=[ProcessStarted.__name__])
        if isinstance(fact.event, ProcessStarted)
    ]
    row: dict[str, Any] = {
        "protocol": choice.protocol,
        "assignor": choice.settings.get(REMOTE) or assignor_meant(incident.incident, choice),
        "impossible": impossible(incident.incident, choice.protocol),
        "checks": checks(incident.incident, choice, configs),
    }
    if row["impossible"] is None:
        with progress("rolling"):
            row |= _figures(migrate(incident.incident, choice, range(SEEDS) if seeds is None else seeds))
    return row


def _figures(found: Migration) -> dict[str, Any]:
    from groupsim.replay.choice_result import range_of

    def measured(name: str, *, plain: bool = False) -> Range:
        return range_of([getattr(cost, name) for cost in (found.plain if plain else found.costs)])

    roll, plain = measured("unavailable_partition_ms"), measured("unavailable_partition_ms", plain=True)
    return {
        "unavailable_partition_ms": roll.median,
        "range": [roll.least, roll.most],
        "max_partitions": measured("max_partitions").most,
        "unsafe_ms": measured("unsafe_ms").most,
        "restart_partition_ms": plain.median,
        "restart_range": [plain.least, plain.most],
        "members": found.members,
        "downtime_ms": found.downtime_ms,
        "downtime_recorded": found.recorded,
        "step_ms": found.step_ms,
        "seeds": len(found.costs),
        "failures": list(found.failures),
    }


def print_migration(row: dict[str, Any]) -> None:
    """For people: a sentence on the cost, what it assumes, and the list of what has to change."""
    protocol = f"{row['protocol']} protocol" + (f" ({output.plain(row['assignor'])})" if row["assignor"] else "")
    print()
    if row["impossible"] is not None:
        print(f"A roll to the {protocol} can't be done online: {output.plain(row['impossible'])}.")
    else:
        least, most = (each / 1_000 for each in row["range"])
        low, high = (each / 1_000 for each in row["restart_range"])
        cost, restart = amount(row["unavailable_partition_ms"]), amount(row["restart_partition_ms"])
        print(
            f"A roll to the {protocol} costs {cost} ({least:,.1f}–{most:,.1f} over"
            f" {counted(row['seeds'], 'seed')}), at most {row['max_partitions']} partitions at once; the same roll"
            f" without another protocol costs {restart} ({low:,.1f}–{high:,.1f})."
        )
        away = "as in the record" if row["downtime_recorded"] else "assumed: the record has no restart"
        print(
            f"  {counted(row['members'], 'member')}, one every {row['step_ms'] / 1_000:,.1f} s, each away for"
            f" {row['downtime_ms'] / 1_000:,.1f} s ({away}), in a quiet time"
        )
        for sentence in row["failures"]:
            output.note(f"note: the roll: {sentence}")
    print("To do and to know:")
    for sentence in row["checks"]:
        print(f"  {output.plain(sentence)}")
