"""Commits of transactions: they count once the transaction's marker says that it was committed.

Kafka: OffsetMetadataManager.replayEndTransactionMarker.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from groupsim.incidents.offsets_topic.record import GroupRecord
from groupsim.wording.numbers import counted

_HELD_MOST = 1_000_000
"""Records of open transactions that are held back."""


class Transactions:
    """Holds records back by producer until the marker; `aborted` counts those that never count."""

    def __init__(self) -> None:
        self.aborted = 0
        self._open: dict[Hashable, list[GroupRecord]] = {}
        self._held = 0

    def hold(self, producer: Hashable, record: GroupRecord) -> None:
        """Keep a record of an open transaction."""
        if self._held < _HELD_MOST:
            self._open.setdefault(producer, []).append(record)
            self._held += 1

    def end(self, producer: Hashable, *, committed: bool) -> list[GroupRecord]:
        """The producer's marker: the records that count from here on."""
        held = self._open.pop(producer, [])
        self._held -= len(held)
        if not committed:
            self.aborted += len(held)
            return []
        return held

    def unfinished(self, where: object) -> Iterator[str]:
        """A sentence on what was still open at the end of the records."""
        if self._held:
            yield (
                f"{counted(self._held, 'commit')} of transactions that were still open at the end of {where}"
                f" {'is' if self._held == 1 else 'are'} left out"
            )
