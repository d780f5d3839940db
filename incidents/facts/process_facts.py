"""ProcessFacts: goes through the rows of one client process and writes a fact at the current row, or at a later one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from groupsim.events.base import Event, process_stream
from groupsim.events.types import RejoinCause
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.causes import rejoin_cause
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.logs.row_kinds import RowKind


class ProcessFacts:
    """The rows of one process in order; subclasses have a handler `_on_KIND` for each kind of row with a fact."""

    def __init__(self, process: ProcessLog, index: Index, builder: FactBuilder) -> None:
        self.process = process
        self._index = index
        self._builder = builder
        self._stream = process_stream(process.group, process.name)
        self._member = ""
        self._generation: int | None = None
        self._current = 0

    def write(self) -> None:
        """Write the facts of the process, from its first row to its last."""
        rows = self.process.rows
        self._start()
        for self._current, (_, timed) in enumerate(rows):
            handler = getattr(self, f"_on_{timed.row.kind}", None)
            if handler is not None:
                handler(timed.row.detail)
        if self.process.closed:
            self._close()

    def _start(self) -> None:
        """Write the facts that come before those of the first row."""

    def _close(self) -> None:
        """Write the facts that end the process."""

    @property
    def member(self) -> str:
        """The member id it last used."""
        return self._member

    @property
    def members(self) -> frozenset[str]:
        """All member ids it used."""
        return self._named | {self._member} - {""}

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(timed.row.member for _, timed in self.process.rows if timed.row.member is not None)

    def _add(self, event: Event, later: int = 0, delay_ms: int = 0) -> None:
        """A fact at the current row, or at the row `later` rows on; `delay_ms` after that row."""
        position, timed = self.process.rows[self._current + later]
        if delay_ms:
            timed = TimedRow(timed.at + delay_ms, timed.row)
        self._builder.add(position, timed, self._stream, event)

    def _gap(self, later: int) -> int:
        """Milliseconds from the current row to the one `later` rows on."""
        rows = self.process.rows
        return rows[self._current + later][1].at - rows[self._current][1].at

    def _next(self, *, unless: frozenset[str] = frozenset(), kinds: frozenset[str] | None = None) -> int | None:
        """How many rows on the next row of these kinds (or of any kind but `unless`) is."""
        for later, timed in self._following():
            kind = timed.row.kind
            if (kind in kinds) if kinds is not None else (kind not in unless and not _heartbeat(timed)):
                return later
        return None

    def _following(self) -> Iterator[tuple[int, TimedRow]]:
        """The rows behind the current one: how many rows on, and the row."""
        rows = self.process.rows
        for where in range(self._current + 1, len(rows)):
            yield where - self._current, rows[where][1]


def _heartbeat(timed: TimedRow) -> bool:
    """A line that the heartbeat thread may have printed while the application was busy."""
    if timed.row.kind in (RowKind.HEARTBEAT_SENT, RowKind.CLIENT_SETTING):
        return True
    reason = str(timed.row.detail.get("reason"))
    return timed.row.kind == RowKind.REJOIN_REQUESTED and rejoin_cause(reason) is RejoinCause.GROUP_REBALANCING
