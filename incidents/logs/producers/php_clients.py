"""What applications print of the answers of phpkafka (longlang, swoole): it has no log of its own, only getters."""

from __future__ import annotations

import re

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.kafka_errors import error_named
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.row_kinds import RowKind

_CODE = re.compile(r"(?i)\berror_?code\W{1,4}(\d{1,3})\b")
_GENERATION = re.compile(r"(?i)\bgeneration_?id\W{1,4}(\d{1,9})\b")
_MEMBER = re.compile(r"(?i)\b(?:get)?member_?id\W{1,4}([\w.:/-]{1,400})")
_HEAD = 2_000


def read(record: Record) -> tuple[Match, ...] | None:
    """A row for a line that names an error's number with a generation or a member; None if the record is none."""
    head = record.text[:_HEAD]
    code = _CODE.search(head)
    if code is None:
        return None
    generation, member = _GENERATION.search(head), _MEMBER.search(head)
    if generation is None and member is None:
        return None
    detail: dict[str, object] = {"code": int(code[1])}
    if (name := error_named(int(code[1]))) is not None:
        detail["error"] = name
    if generation is not None:
        detail["generation"] = int(generation[1])
    return (Match(RowKind.ERROR_CODE, None, None if member is None else member[1], None, detail),)
