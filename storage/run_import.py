"""A whole run that comes from elsewhere: nothing of it is believed before it was looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from groupsim.storage.codec import Digest, Row, recorded
from groupsim.storage.errors import StoreError
from groupsim.storage.store import RunInfo
from groupsim.storage.writer import BATCH


class RunImport:
    """The rows of `info`, checked and in batches; `marks` and `ended()` are known when all have gone by."""

    def __init__(self, info: RunInfo, rows: Iterable[Row]) -> None:
        self._info = info
        self._rows = iter(rows)
        self._digest = Digest()
        self._facts = 0
        self._versions: dict[str, int] = {}
        self.marks: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[list[Row]]:
        """Batches as they are to be kept. Raises StoreError, naming the fact, for one that has no place here."""
        while part := list(islice(self._rows, BATCH)):
            for row in part:
                self._check(row)
            self._digest.add(part)
            self.marks.append((self._facts, self._digest.hex()))
            yield part

    def _check(self, row: Row) -> None:
        seq, version, stream = row[0], row[3], row[2]
        expected = self._versions.get(stream, 0)
        if seq != self._facts:
            raise StoreError(f"run {self._info.id}: fact {self._facts} is expected, and {seq} comes")
        if version != expected:
            raise StoreError(
                f"run {self._info.id}, seq {seq}: version {expected} of {stream} is expected, and {version} comes"
            )
        recorded(self._info.id, row)
        self._versions[stream] = expected + 1
        self._facts += 1

    def ended(self) -> RunInfo:
        """What is known of the run, its digest included if it is over. Raises StoreError if that was another one."""
        info, digest = self._info, self._digest.hex()
        if info.facts != self._facts:
            raise StoreError(f"run {info.id} has {info.facts} facts by its own account, and {self._facts} came")
        if info.digest not in (None, digest):
            raise StoreError(f"run {info.id} has another digest than the facts that came: one was changed")
        return info if info.status == "running" else msgspec.structs.replace(info, digest=digest)
