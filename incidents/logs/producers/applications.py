"""What applications say of their consumer in words of their own, where no library's line says it."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.row_kinds import RowKind

_ENDED = re.compile(
    r"(?i)\b(?:kafka )?consumer(?: group)?\b.{0,60}?\b(?:expired|restart(?:ed|ing)|stopped|crashed|died|terminated"
    r"|shut(?:ting)? ?down|exit(?:ed|ing))\b"
)
_HEAD = 400


def read(record: Record) -> tuple[Match, ...] | None:
    """A row for a line that says that a consumer ended or began anew; None if the record is none."""
    if _ENDED.search(record.text, 0, _HEAD) is None:
        return None
    return (Match(RowKind.APPLICATION_SAID, None, None, None, {"what": record.text[:_HEAD]}),)
