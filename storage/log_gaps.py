"""How sure an import of logs is, as its run's summary has it: the keys, written and read.

`Doubt`: time of which the logs leave something open. `Precision`: how exact their times are; its `ms` is by how much
the time between two lines may be off. What they are is found in `incidents.facts`; here it has its shape and its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec

from groupsim.wording.bounds import bounds
from groupsim.wording.lists import joined

_UNSUPPORTED = "unsupported"
_DOUBTS = "doubts"
_NEW = "new_groups"
_GIVEN = "given"
_UNBOUNDED = "unbounded"
_PROVED = "proved"
_COARSE = {
    60_000: ("whole minutes", "a minute"),
    1_000: ("whole seconds", "a second"),
    100: ("tenths of a second", "a tenth of a second"),
    10: ("hundredths of a second", "a hundredth of a second"),
}
_Milliseconds = Annotated[int, msgspec.Meta(ge=1, lt=2**31)]
_Count = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]


class Doubt(msgspec.Struct, frozen=True):
    """Partition time of which the logs do not tell whether it was available, whatever its label.

    From `from_ms` up to `to_ms` (milliseconds since the run's start). `partitions` are (topic, number); None: all of
    the group. `why` says in a sentence what is missing and what to export. `own_word`: what a client's log says of
    the client itself (its callbacks, its positions) is certain all the same. `inexact`: what happened is known, but not
    exactly when; the time counts as its label says, and the totals have bounds.
    """

    group: str
    from_ms: int
    to_ms: int
    partitions: tuple[tuple[str, int], ...] | None
    why: str
    own_word: bool = False
    inexact: bool = False


Counts = Sequence[tuple[int, int]]
"""From each instant (ms, ascending) on so many partitions; none before the first."""


class Proved(msgspec.Struct, frozen=True):
    """How many partitions of a group the logs prove to have been unavailable, and how many may have been.

    From each instant (milliseconds since the run's start, ascending) on so many: surely, `least`, and at most, `most`;
    None: there may be partitions that no log names. 0 before the first.
    """

    group: str
    least: list[tuple[int, _Count]]
    most: list[tuple[int, _Count]] | None


class Precision(NamedTuple):
    """How exact the times of a run from logs are, in milliseconds; 0: as exact as those of one log.

    `resolution_ms`: that of the coarsest times; `placed_ms`: so far were these moved to be in order. `clocks_ms`: so
    far may times be off although clocks were corrected.
    """

    resolution_ms: int = 0
    placed_ms: int = 0
    clocks_ms: int = 0

    @property
    def ms(self) -> int:
        """By how much the time between two lines may be off at most."""
        return self.resolution_ms + self.placed_ms + self.clocks_ms

    def keys(self) -> dict[str, object]:
        """The part of a summary that says so."""
        return {name: ms for name, ms in self._asdict().items() if ms}

    def why(self) -> str:
        """Why a total that is known has bounds."""
        coarse = _COARSE.get(self.resolution_ms)
        whys = [f"logs have times in {coarse[0]}"] if coarse is not None else []
        if self.clocks_ms:
            whys.append(f"clocks are off or step back, and times are right to within {self.clocks_ms:,} ms")
        return joined(whys) or "the logs show some of these times only in bounds"


EXACT = Precision()


def inexact_sentence(precision: Precision | None, at_least_ms: int, at_most_ms: int | None) -> str:
    """Why a total that is known is not exact, with its bounds. `precision`: None if the times are not the reason."""
    known = bounds(at_least_ms, at_most_ms)
    if precision is not None and not precision.ms:
        return f"{precision.why()}, {known or 'with no upper bound'}"
    why = "some members have no log" if precision is None else precision.why()
    return f"{why}: the total {f'is {known}' if known else 'has no upper bound'}"


def log_gaps(
    unsupported: Sequence[str], doubts: Sequence[Doubt], new_groups: Sequence[str], precision: Precision = EXACT
) -> dict[str, object]:
    """The part of a stored summary that the functions below read."""
    return precision.keys() | {
        _UNSUPPORTED: list(unsupported),
        _DOUBTS: [msgspec.to_builtins(doubt) for doubt in doubts],
        _NEW: list(new_groups),
    }


def unsupported(summary: Mapping[str, object]) -> list[str]:
    """Why no total can be taken from the logs of a run, as sentences; none if one can."""
    reasons = summary.get(_UNSUPPORTED)
    return list(map(str, reasons)) if isinstance(reasons, list) else []


def unbounded(reasons: Sequence[str]) -> dict[str, object]:
    """The part of a stored summary that says whether the times themselves are in doubt: `reasons`, if there are any."""
    return {_UNBOUNDED: True} if reasons else {}


def is_unbounded(summary: Mapping[str, object]) -> bool:
    """Whether the times themselves are in doubt, so that no total has a lower bound either."""
    return summary.get(_UNBOUNDED) is True


def by_account(proved: Sequence[Proved]) -> dict[str, object]:
    """The part of a stored summary that says what logs prove although they support no total."""
    return {_PROVED: [msgspec.to_builtins(each) for each in proved]} if proved else {}


def proved(summary: Mapping[str, object]) -> dict[str, Proved]:
    """The same by group; none in the summaries that have no such key."""
    return {each.group: each for each in msgspec.convert(summary.get(_PROVED, []), list[Proved])}


def without_account(summary: Mapping[str, object]) -> dict[str, object]:
    """The summary without what an account of the logs proves."""
    return {name: value for name, value in summary.items() if name != _PROVED}


def doubts(summary: Mapping[str, object]) -> list[Doubt]:
    """The doubtful partition time of a run; none in the summaries that have no such key."""
    return msgspec.convert(summary.get(_DOUBTS, []), list[Doubt])


def given(settings: Mapping[str, int | None]) -> dict[str, object]:
    """The part of a stored summary that has what the user gave to the import: settings by Kafka's names."""
    known = {name: value for name, value in settings.items() if value is not None}
    return {_GIVEN: known} if known else {}


def given_settings(summary: Mapping[str, object]) -> dict[str, int]:
    """The settings (milliseconds, by Kafka's names) that the user gave to the import."""
    settings = msgspec.convert(summary.get(_GIVEN, {}), dict[Literal["session.timeout.ms"], _Milliseconds])
    return dict(settings.items())


def check(summary: Mapping[str, object]) -> None:
    """Raises MsgspecError for a summary that can't be read: stores and exports may come from others."""
    doubts(summary)
    proved(summary)
    given_settings(summary)


def precision(summary: Mapping[str, object]) -> Precision:
    """How exact the times of a run are, from its stored summary, or from the part of it on what is unavailable."""
    return Precision(*(ms if isinstance(ms := summary.get(name), int) else 0 for name in Precision._fields))


def coarse_times(resolution_ms: int) -> str:
    """What is said of a log of which all times are multiples of `resolution_ms`."""
    what, amount = _COARSE[resolution_ms]
    return (
        f"times in {what}: each time that a partition is unavailable is right to about {amount}, and causes that follow"
        f" each other within {amount} may be mistaken for one another"
    )


def new_groups(summary: Mapping[str, object]) -> frozenset[str] | None:
    """The groups whose first generation is in the logs: nothing came before. None: the summary does not say."""
    groups = summary.get(_NEW)
    return frozenset(map(str, groups)) if isinstance(groups, list) else None
