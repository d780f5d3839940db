"""A known defect of a client or a broker, and the pattern of lines by which a log shows that it may be the reason."""

from __future__ import annotations

import re
from typing import NamedTuple

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.incidents.logs.row_kinds import RowKind


class Signature(NamedTuple):
    """At least `least` lines of these kinds whose details (`name=value`, in order) the pattern `text` fits.

    `reset`: kinds after which counting begins again. `then`: each counts
    only if the next line of the group is of this kind, at most `within_ms` later.
    """

    kinds: tuple[RowKind, ...]
    text: str
    least: int = 1
    reset: tuple[RowKind, ...] = ()
    then: RowKind | None = None
    within_ms: int = 0

    def lines(self, log: GroupLog) -> list[Said]:
        """The lines of the longest stretch that fit; none if they are too few."""
        stretches: list[list[Said]] = [[]]
        for line, following in zip(log.lines, [*log.lines[1:], None], strict=True):
            if line.row.kind in self.reset:
                stretches.append([])
            elif self._fits(line) and self._followed(line, following):
                stretches[-1].append(line)
        longest = max(stretches, key=len)
        return longest if len(longest) >= self.least else []

    def _fits(self, line: Said) -> bool:
        if line.row.kind not in self.kinds:
            return False
        details = " ".join(f"{name}={value}" for name, value in line.row.detail.items())
        return re.search(self.text, details) is not None

    def _followed(self, line: Said, following: Said | None) -> bool:
        if self.then is None:
            return True
        if following is None or following.row.kind is not self.then or line.at is None or following.at is None:
            return False
        return following.at - line.at <= self.within_ms


class Defect(NamedTuple):
    """One entry of a public tracker. `id`: as people write it. `versions`, `fixed`: as it gives them, else None.

    `what`: what happens, a sentence without its full stop. `code`: the cause that it belongs to. `alone`: what a
    finding says that is made where the signature is all there is; None if it makes none.
    """

    id: str
    library: str
    versions: str | None
    fixed: str | None
    what: str
    link: str
    code: Code
    signature: Signature
    alone: str | None = None
