"""A known defect of a client or a broker, and the pattern of lines by which a log shows that it may be the reason."""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

from groupsim.diagnosis.codes import Code
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said
from groupsim.diagnosis.versions import among
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program


class Shown(Protocol):
    """How a log shows a defect."""

    def lines(self, log: GroupLog) -> list[Said]:
        """The lines that show it; none if it is not shown."""
        ...


class Signature(NamedTuple):
    """At least `least` lines of these kinds whose details (`name=value`, in order) the pattern `text` fits.

    `by`: only lines that this program wrote; `after` then looks at their speaker's own lines. `reset`: kinds after
    which counting begins again. `then`: each counts only if the next line of the group is of this kind, at most
    `within_ms` later. `after`: only if the nearest line before it, of other kinds, is of this kind, at most
    `within_ms` earlier. `not_then`: only if the next line is not of this kind, and comes at least `later_ms` later,
    in a log that has lines of this kind. `lasts_ms`: only the last line of these kinds counts, only if the log goes on
    for so long after it, and has lines of each kind.
    """

    kinds: tuple[RowKind, ...]
    text: str
    least: int = 1
    reset: tuple[RowKind, ...] = ()
    then: RowKind | None = None
    within_ms: int = 0
    after: RowKind | None = None
    not_then: RowKind | None = None
    later_ms: int = 0
    by: Program | None = None
    lasts_ms: int = 0

    def lines(self, log: GroupLog) -> list[Said]:
        """The lines of the longest stretch that fit; none if they are too few."""
        of_kinds = log.of(*self.kinds)
        pattern = re.compile(self.text)
        fitting = {
            line.nth
            for line in of_kinds
            if (self.by is None or line.row.program is self.by) and pattern.search(log.details(line)) is not None
        }
        if len(fitting) < self.least or not self._lasts(of_kinds, fitting, log.end):
            return []
        if self.not_then is not None and not log.of(self.not_then):
            return []
        stretches: list[list[Said]] = [[]]
        before: dict[str | None, Said] = {}
        for line, following in zip(log.lines, [*log.lines[1:], None], strict=True):
            if line.row.kind in self.reset:
                stretches.append([])
            elif line.nth in fitting and self._placed(before.get(self._speaker(line)), line, following):
                stretches[-1].append(line)
            if line.row.kind not in self.kinds:
                before[self._speaker(line)] = line
        longest = stretches[-1][-1:] if self.lasts_ms else max(stretches, key=len)
        return longest if len(longest) >= self.least else []

    def _lasts(self, of_kinds: list[Said], fitting: set[int], end: int | None) -> bool:
        if not self.lasts_ms:
            return True
        last = of_kinds[-1]
        if last.at is None or end is None or {line.row.kind for line in of_kinds} != set(self.kinds):
            return False
        return last.nth in fitting and end - last.at >= self.lasts_ms

    def _speaker(self, line: Said) -> str | None:
        return None if self.by is None else line.client

    def _placed(self, before: Said | None, line: Said, following: Said | None) -> bool:
        if self.then is not None and not (_is(following, self.then) and self._soon(line, following, unknown=False)):
            return False
        # Lines of a stack trace have no time, and stand right behind their record.
        behind = self.by is None
        if self.after is not None and not (_is(before, self.after) and self._soon(line, before, unknown=behind)):
            return False
        if self.not_then is None:
            return True
        waited = _between(line, following)
        return not _is(following, self.not_then) and waited is not None and waited >= self.later_ms

    def _soon(self, line: Said, other: Said | None, *, unknown: bool) -> bool:
        apart = _between(line, other)
        return unknown if apart is None else apart <= self.within_ms


def _is(line: Said | None, kind: RowKind) -> bool:
    return line is not None and line.row.kind is kind


def _between(line: Said, other: Said | None) -> int | None:
    """Milliseconds between two lines; None without times."""
    return None if other is None or line.at is None or other.at is None else abs(other.at - line.at)


class Defect(NamedTuple):
    """One entry of a public tracker. `id`: as people write it. `versions`, `fixed`: as it gives them, else None.

    `what`: what happens, a sentence without its full stop. `code`: the cause that it belongs to; `also`: other causes
    that it may be behind. `alone`: what a finding says that is made where the signature is all there is; None if it
    makes none. `affected`: ranges of releases (from, before) as far as they are known, of `program`: a log that prints
    another version does not show it. `leads_to`: causes whose signs it makes, too, so that they follow from it.
    `reproduced`: with which versions it was recorded on a real Kafka and, after "not with", with which it did not occur
    (tests/golden/defects).
    """

    id: str
    library: str
    versions: str | None
    fixed: str | None
    what: str
    link: str
    code: Code
    signature: Shown
    alone: str | None = None
    also: tuple[Code, ...] = ()
    leads_to: tuple[Code, ...] = ()
    affected: tuple[tuple[str, str], ...] = ()
    program: Program = Program.JAVA
    reproduced: str | None = None

    def fits(self, log: GroupLog) -> bool | None:
        """Whether a version that the log prints has it; None if it prints none, or it is not known."""
        return among(log.versions, self.program, self.affected)

    def lines(self, log: GroupLog) -> list[Said]:
        """The lines that show it; none if there are none, or the log prints a version without the defect."""
        return [] if self.fits(log) is False else self.signature.lines(log)
