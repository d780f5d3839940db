"""A question about a run: what a what-if and an advice have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groupsim.api.errors import BadRequest

if TYPE_CHECKING:
    from groupsim.storage.store import EventStore, RunInfo


@dataclass(frozen=True, slots=True)
class Question:
    """Which part of a run is meant, and what the user knows of it: `between` in ms since its start, `topics` by their
    partitions, `assume` settings that the logs don't show."""

    group: str | None
    topics: Mapping[str, int]
    assume: Mapping[str, int | str]
    between: tuple[int, int] | None


def assumptions(assume: Mapping[str, int | str]) -> dict[str, int | str]:
    """Settings that the user knows and the logs don't show. Raises BadRequest."""
    from groupsim.replay.reconstruct.inferred_settings.evidence import ASSUMABLE, INITIAL_DELAY
    from groupsim.simulation.clients.config import CLIENTS

    for key, value in assume.items():
        if key == "client":
            if value not in CLIENTS:
                raise BadRequest(f"assume client={value}: must be one of {', '.join(CLIENTS)}")
        elif key not in ASSUMABLE:
            raise BadRequest(f"assume {key}: must be one of {', '.join((*ASSUMABLE, 'client'))}")
        elif not isinstance(value, int) or value < (0 if key == INITIAL_DELAY else 1):
            raise BadRequest(f"assume {key}={value}: must be a whole number of milliseconds")
    return dict(assume)


def total_unknown(store: EventStore, info: RunInfo) -> str | None:
    """Why the recording does not support a total; then the figures are the simulation's alone."""
    from groupsim.analysis.availability.intervals import intervals
    from groupsim.analysis.tables.bounds import support
    from groupsim.events.catalogue import STATE_CHANGING
    from groupsim.storage.store import RunSource

    if info.source != RunSource.RECORDED:
        return None
    return support(info.summary, intervals(store.read(info.id, types=STATE_CHANGING))).unknown
