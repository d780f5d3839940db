"""Versions that logs print, and whether one of them is among those that have a defect."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row, is_broker

_RELEASE = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}")


class Versions:
    """The versions that are printed, by file and by what they are versions of: brokers, Java clients, librdkafka."""

    def __init__(self, rows: Iterable[Row]) -> None:
        rows = list(rows)
        of_brokers = {row.file for row in rows if is_broker(row)}
        self._printed: dict[tuple[str, Program], set[str]] = defaultdict(set)
        for row in rows:
            if row.kind is RowKind.VERSION:
                program = row.program or (Program.BROKER if row.file in of_brokers else Program.JAVA)
                self._printed[row.file, program].add(str(row.detail["version"]))

    def of(self, files: Iterable[str]) -> dict[Program, frozenset[str]]:
        """Those that some files print."""
        names = set(files)
        found: dict[Program, frozenset[str]] = {}
        for (file, program), printed in self._printed.items():
            if file in names:
                found[program] = found.get(program, frozenset()) | printed
        return found


def among(
    printed: Mapping[Program, frozenset[str]], program: Program, ranges: Sequence[tuple[str, str]]
) -> bool | None:
    """Whether a printed version is in one of the ranges (from, before); None if none is printed, or it is no release.

    `7.4.0-ccs` is none: a vendor's numbers, with patches of its own.
    """
    numbers = [_numbers(version) for version in printed.get(program, ())]
    if not ranges or not numbers or not all(numbers):
        return None
    return any(_numbers(begin) <= version < _numbers(end) for version in numbers for begin, end in ranges)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split("."))) if _RELEASE.fullmatch(version) else ()
