"""Causes that an error names: a line has one of some words, and the rest is said once for all of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from groupsim.diagnosis.cause import evidence_of, names, one_or_many
from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Finding, Remedy
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.said import Said


def by_error(
    code: Code,
    words: str,
    what: Callable[[GroupLog, list[Said]], str],
    do: tuple[Remedy, ...],
    *,
    certainty: Certainty = Certainty.SHOWN,
    confirm: str | None = None,
    harm_ms: int = 10_000,
    least: int = 1,
    unless: Callable[[GroupLog, list[Said]], bool] = lambda log, said: False,
) -> Callable[[GroupLog], Finding | None]:
    """Finds a cause where at least `least` lines give a reason or an error that the pattern `words` fits.

    `unless`: what it asks of the log and of these lines makes them none.
    """
    pattern = re.compile(words)

    def find(log: GroupLog) -> Finding | None:
        said = log.that_say(pattern)
        if len(said) < least or (said and unless(log, said)):
            return None
        return Finding(
            code=code,
            certainty=certainty,
            what=what(log, said),
            members=names(line.client for line in said if line.client),
            times=len(said),
            evidence=evidence_of(said),
            do=do,
            confirm=confirm,
            harm_ms=harm_ms,
        )

    return find


def whose(log: GroupLog, said: list[Said], does: str = "", do: str = "", many: str = "members") -> str:
    """The member that the lines are of, or how many, and what it does or they do. `many`: what several are called."""
    who = log.called(line.client for line in said if line.client)
    return f"{one_or_many(who, many)} {do if len(who) > 1 else does}".rstrip()
