"""What the what-ifs of a run say of its remedies: a report never proposes what its table shows to be worse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groupsim.analysis.what_ifs import StoredChoice, StoredWhatIf
from groupsim.diagnosis.finding import Remedy, alternatives
from groupsim.diagnosis.to_text import OF_NO_USE
from groupsim.replay.verdict import Verdict
from groupsim.wording.numbers import seconds

_LOWERED = ("session.timeout.ms", "heartbeat.interval.ms")
"""Settings that remedies make shorter: any value that is not above the remedy's is a trial of it."""
_CHANGES = {
    Verdict.BETTER: -1,
    Verdict.LIKELY_BETTER: -1,
    Verdict.NO_DIFFERENCE: 0,
    Verdict.MOVED: 0,
    Verdict.WORSE: 1,
    Verdict.LIKELY_WORSE: 1,
}


def in_order(remedies: Sequence[Remedy], kept: Iterable[StoredWhatIf]) -> tuple[Remedy, ...]:
    """The remedies with what the newest of these what-ifs showed of each: first those that help, last those that cost
    more; without those that the group has already."""
    newest = list(kept)[::-1]
    if not newest:
        return tuple(remedies)
    seen = [_seen(remedy, newest) for remedy in remedies]
    left = [remedy for remedy in seen if remedy is not None]
    return alternatives(sorted(left, key=lambda each: -0.5 if each.verdict is None else each.verdict))


def in_words(remedy: Remedy) -> str:
    """What to do, or that it is not advised, with what was tried."""
    tried = f" ({remedy.effect})" if remedy.effect is not None else ""
    if remedy.verdict in OF_NO_USE:
        return f"{OF_NO_USE[remedy.verdict]}: {remedy.what.removeprefix('or ')}{tried}"
    return f"{remedy.what}{tried}"


def _seen(remedy: Remedy, newest: Sequence[StoredWhatIf]) -> Remedy | None:
    """A remedy with what was seen of it; None if the group has it already."""
    for asked in newest:
        base, *choices = asked.choices
        for choice in choices:
            if not _is_trial(choice.choice, remedy):
                continue
            if choice.verdict == Verdict.SAME:
                return None
            if choice.median_ms is not None and base.median_ms is not None:
                return remedy._replace(verdict=_CHANGES.get(Verdict(choice.verdict)), effect=_effect(choice, base))
    return remedy


def _is_trial(choice: str, remedy: Remedy) -> bool:
    """Whether a what-if's choice is this remedy: one setting that has its value, or one that is lowered as far."""
    if len(remedy.trial) != 1 or "," in choice:
        return False
    ((key, value),) = remedy.trial
    name, _, given = choice.rpartition("=")
    if name not in (key, "" if key == "assignor" else key):
        return False
    is_lowered = key in _LOWERED and given.isdigit() and value.isdigit() and int(given) <= int(value)
    return given == value or is_lowered


def _effect(choice: StoredChoice, base: StoredChoice) -> str:
    """What was tried, and what it costs."""
    if choice.verdict == Verdict.NOT_SURE:
        return f"tried below with {choice.choice}: whether it would have helped is not sure"
    amounts = f"{seconds(choice.median_ms or 0)} instead of {seconds(base.median_ms or 0)} partition-seconds"
    return f"tried below with {choice.choice}: {amounts}"
