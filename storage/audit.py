"""Is a stored run still as it was written? If not, where does the damage begin?"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from groupsim.storage.codec import Digest, Row, digest_of, recorded
from groupsim.storage.errors import StoreError, UnknownFact
from groupsim.storage.memory import MemoryStore
from groupsim.storage.run_info import run_checksum
from groupsim.storage.store import Damage, EventStore, RunInfo

MOST_CHECKED = 300_000
"""Facts that are checked in about a second."""


class UncheckedRun(UserWarning):
    """A run that is too long to be compared with its digest before each answer."""


def audit(store: EventStore, info: RunInfo) -> Damage | None:
    """The first damage to the run, or None if it is intact. Every fact is read once.

    A missing, misplaced or unreadable fact is named exactly. A changed fact that can still be read is located by the
    batch checksums (`storage.schema.BATCH_CHECKSUMS`), so its batch is known. Raises UnknownRun.
    """
    return _Audit(store, info).damage() or store.damage()


def refuse_damaged(store: EventStore, info: RunInfo) -> None:
    """Raises StoreError for a run that is not as it was written: numbers of changed facts would be false.

    Runs of more than MOST_CHECKED facts are not read for this: an UncheckedRun warning says so, and `audit` (`groupsim
    verify`) reads any.
    """
    if isinstance(store, MemoryStore):
        return
    kept = store.run_checksum(info.id)
    sealed = kept is None or kept == run_checksum(info)
    if sealed and info.facts > MOST_CHECKED:
        sentence = (
            f"run {info.id} has {info.facts:,} facts: they were not compared with their digest before this answer"
        )
        warnings.warn(f"{sentence}; `groupsim verify {info.id}` does", UncheckedRun, stacklevel=2)
        return
    last = max(store.batch_checksums(info.id), default=None)
    count, expected = (info.facts, info.digest) if info.digest is not None else last or (0, None)
    try:
        whole = sealed and (expected is None or digest_of(store.rows(info.id, stop=count)) == expected)
    except StoreError:
        whole = False
    if whole:
        return
    damage = audit(store, info)
    sentence = damage.sentence if damage is not None else f"run {info.id} is not as it was written"
    raise StoreError(f"{sentence}: its numbers would be wrong; `groupsim verify {info.id}` says more")


class _Audit:
    def __init__(self, store: EventStore, info: RunInfo) -> None:
        self._store, self._info = store, info
        self._checksums = dict(store.batch_checksums(info.id))
        self._digest = Digest()
        self._versions: dict[str, int] = {}
        self._seq = 0
        self._good = 0  # the batch checksums are correct up to here
        self._bad: Damage | None = None  # the first wrong batch

    def damage(self) -> Damage | None:
        try:
            for row in self._rows():
                self._take(row)
                misplaced = self._misplaced(row)
                if misplaced:
                    return self._earlier(misplaced)
        except UnknownFact as error:
            return self._earlier(Damage(str(error), self._seq, self._seq))
        return self._end()

    def _rows(self) -> Iterator[Row]:
        """The rows. If the database fails to read one, the rows are read one by one to find it."""
        rows = self._store.rows(self._info.id)
        try:
            yield from rows
        except UnknownFact:
            raise
        except StoreError as trouble:
            for seq in range(self._seq, self._info.facts):
                try:
                    single_row = list(self._store.rows(self._info.id, start=seq, stop=seq + 1))
                except StoreError as error:
                    raise UnknownFact(f"run {self._info.id}, seq {seq}: {error}") from None
                yield from single_row
            raise UnknownFact(f"run {self._info.id}: {trouble}") from None

    def _misplaced(self, row: Row) -> Damage | None:
        """Check sequence number, version and format of one fact. Raises UnknownFact if it can't be read."""
        seq, _, stream, version = row[:4]
        place = f"run {self._info.id}: "
        if seq != self._seq:
            return Damage(f"{place}fact {self._seq} is missing", self._seq, self._seq)
        expected = self._versions.get(stream, 0)
        if version != expected:
            return Damage(
                f"{place}fact {seq} is version {version} of {stream}, where version {expected} belongs", seq, seq
            )
        recorded(self._info.id, row)
        self._versions[stream] = expected + 1
        self._seq += 1
        return None

    def _take(self, row: Row) -> None:
        self._digest.add([row])
        count = self._seq + 1  # if it is another one, the fact is misplaced
        checksum = self._checksums.get(count)
        if checksum is None or self._bad:
            return
        if checksum == self._digest.hex():
            self._good = count
        else:
            self._bad = self._between(self._good, count - 1)

    def _between(self, first: int, last: int) -> Damage:
        which = f"fact {first}" if first == last else f"one of the facts {first} to {last}"
        return Damage(f"run {self._info.id}: {which} is not as it was written", first, last)

    def _earlier(self, damage: Damage) -> Damage:
        return self._bad or damage

    def _end(self) -> Damage | None:
        info, count = self._info, self._seq
        if count < info.facts:
            return self._earlier(Damage(f"run {info.id}: fact {count} is missing", count, count))
        if count > info.facts:
            sentence = f"run {info.id}: fact {info.facts} was never written by the run's writer, and is there"
            return self._earlier(Damage(sentence, info.facts, info.facts))
        fits = info.digest is not None and info.digest == self._digest.hex()
        if self._bad and fits:
            return Damage(
                f"run {info.id}: the checksum of the facts to {self._bad.last_seq} is damaged; they are intact"
            )
        if self._bad:
            return self._bad
        if info.digest is not None and not fits:
            if self._good == count:
                return Damage(f"run {info.id}: the stored digest is damaged; its facts are whole")
            return self._between(self._good, count - 1)
        if info.status != "running" and info.digest is None:
            return Damage(f"run {info.id} is {info.status} and has no digest")
        kept = self._store.run_checksum(info.id)
        if kept is not None and kept != run_checksum(info):
            return Damage(f"run {info.id}: what is known of the run (its name, seed, settings, summary) was changed")
        return None
