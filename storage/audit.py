"""Is a run in the store as it was written? If not, where does the damage begin?"""

from __future__ import annotations

from collections.abc import Iterator

from groupsim.storage.codec import Digest, Row, recorded
from groupsim.storage.errors import StoreError, UnknownFact
from groupsim.storage.run_info import seal
from groupsim.storage.store import Damage, EventStore, RunInfo


def audit(store: EventStore, info: RunInfo) -> Damage | None:
    """The first damage to the run that can be seen, or None if it is whole. Every fact is read, once.

    A fact that is missing, out of its place or unreadable is named itself; a change that still reads as a fact is
    between two marks (`storage.schema.MARKS`), so known to a batch. Raises UnknownRun.
    """
    return _Audit(store, info).damage() or store.damage()


class _Audit:
    def __init__(self, store: EventStore, info: RunInfo) -> None:
        self._store, self._info = store, info
        self._marks = dict(store.marks(info.id))
        self._digest = Digest()
        self._versions: dict[str, int] = {}
        self._seq = 0
        self._good = 0  # up to here the marks fit
        self._bad: Damage | None = None  # what the marks say first

    def damage(self) -> Damage | None:
        try:
            for row in self._rows():
                self._take(row)
                found = self._misplaced(row)
                if found:
                    return self._earlier(found)
        except UnknownFact as error:
            return self._earlier(Damage(str(error), self._seq, self._seq))
        return self._end()

    def _rows(self) -> Iterator[Row]:
        """The rows; where the database can't read one, that one is looked for."""
        rows = self._store.rows(self._info.id)
        try:
            yield from rows
        except UnknownFact:
            raise
        except StoreError as trouble:
            for seq in range(self._seq, self._info.facts):
                try:
                    one = list(self._store.rows(self._info.id, start=seq, stop=seq + 1))
                except StoreError as error:
                    raise UnknownFact(f"run {self._info.id}, seq {seq}: {error}") from None
                yield from one
            raise UnknownFact(f"run {self._info.id}: {trouble}") from None

    def _misplaced(self, row: Row) -> Damage | None:
        """Sequence, versions and shape of one fact. Raises UnknownFact for one that can't be read."""
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
        count = row[0] + 1
        mark = self._marks.get(count)
        if mark is None or self._bad:
            return
        if mark == self._digest.hex():
            self._good = count
        else:
            self._bad = self._between(self._good, count - 1)

    def _between(self, first: int, last: int) -> Damage:
        which = f"fact {first}" if first == last else f"one of the facts {first} to {last}"
        return Damage(f"run {self._info.id}: {which} is not as it was written", first, last)

    def _earlier(self, found: Damage) -> Damage:
        return self._bad or found

    def _end(self) -> Damage | None:
        info, count = self._info, self._seq
        if count < info.facts:
            return self._earlier(Damage(f"run {info.id}: fact {count} is missing", count, count))
        if count > info.facts:
            sentence = f"run {info.id}: fact {info.facts} was never written by the run's writer, and is there"
            return self._earlier(Damage(sentence, info.facts, info.facts))
        fits = info.digest is not None and info.digest == self._digest.hex()
        if self._bad and fits:
            return Damage(f"run {info.id}: a mark near fact {self._bad.last_seq} is damaged; its facts are whole")
        if self._bad:
            return self._bad
        if info.digest is not None and not fits:
            if self._good == count:
                return Damage(f"run {info.id}: the stored digest is damaged; its facts are whole")
            return self._between(self._good, count - 1)
        if info.status != "running" and info.digest is None:
            return Damage(f"run {info.id} is {info.status} and has no digest")
        kept = self._store.seal(info.id)
        if kept is not None and kept != seal(info):
            return Damage(f"run {info.id}: what is known of the run (its name, seed, settings, summary) was changed")
        return None
