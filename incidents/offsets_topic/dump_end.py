"""Whether a dump of kafka-dump-log ends where it was cut off: in the middle of a line, or of a batch.

Each line ends with a line end, and each batch says how many records follow (`count: 3`). A dump of which lines were
chosen (`grep`) lacks some in other batches too; of such a one only a broken line tells that it was cut.
"""

from __future__ import annotations

import json
import re

from groupsim.wording.numbers import counted

_COUNT = re.compile(r" count: (\d{1,9})(?: |$)")
_WHOLE_BATCH = re.compile(r" isvalid: (?:true|false)$")
_PAYLOAD, _DELETE, _SKIPPED = " payload: ", "<DELETE>", "skipping."


def is_whole(line: str) -> bool:
    """Whether a last line without a line end is a whole one: nothing else tells that the file was not cut in it."""
    text = line.rstrip("\r")
    if "baseOffset: " in text[:200]:
        return _WHOLE_BATCH.search(text) is not None
    if "offset: " not in text[:200]:
        return text.startswith(("Dumping ", "Log starting offset: ", "Starting offset: "))
    payload = text.rpartition(_PAYLOAD)[2]
    if not payload.startswith("{"):
        return payload == _DELETE or text.endswith(_SKIPPED) or "endTxnMarker" in text
    try:
        json.loads(payload)
    except (ValueError, RecursionError):
        return False
    return True


class DumpEnd:
    """Fed with the lines of a dump, one by one."""

    def __init__(self) -> None:
        self._batches = 0
        self._left = 0
        self._chosen = False

    def batch(self, line: str) -> None:
        """A batch begins."""
        self._chosen |= self._left > 0
        found = _COUNT.search(line[:400])
        self._batches, self._left = self._batches + 1, int(found[1]) if found is not None else 0

    def record(self) -> None:
        """The line of a record."""
        self._left -= 1

    def said(self) -> str | None:
        """That the dump ends within a batch, to be said of it; None: it does not, or lines of it were chosen."""
        if self._left <= 0 or self._chosen or self._batches < 2:
            return None
        return f"ends before the last {counted(self._left, 'record')} of its last batch: it was cut off"
