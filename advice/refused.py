"""Choices that are left out of an advice, and what others need of the brokers, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groupsim.advice.choices import Choice, in_words
from groupsim.replay.verdict import Verdict

_SAID = {
    Verdict.IMPOSSIBLE: ("is not possible", "are not possible"),
    Verdict.REFUSED: ("can't be answered from this record",) * 2,
    Verdict.MOVED: ("only moves time", "only move time"),
}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Refused:
    """A choice, and why it is not taken. `verdict`: no group can have it, this record can't answer it, or `MOVED`."""

    choice: Choice
    why: str
    verdict: Verdict = Verdict.IMPOSSIBLE

    def __str__(self) -> str:
        return f"{in_words(self.choice)}: {self.why}"


def left_out(refused: Sequence[Refused]) -> list[str]:
    """One sentence for all choices with the same reason."""
    sentences = []
    for verdict, (one, more) in _SAID.items():
        for named, number, why in _by_reason((left.choice, left.why) for left in refused if left.verdict is verdict):
            sentences.append(f"{named} {one if number == 1 else more}{why}")
    return sentences


def needs(choices: Sequence[Choice], limits: Sequence[Sequence[str]]) -> list[str]:
    """Which limits of the brokers must be wider than by default; one sentence for all choices with the same ones."""
    wanted = [(choice, " and ".join(own)) for choice, own in zip(choices, limits, strict=True) if own]
    return [f"{named} {'needs' if number == 1 else 'need'}{why}" for named, number, why in _by_reason(wanted)]


def _by_reason(reasons: Iterable[tuple[Choice, str]]) -> list[tuple[str, int, str]]:
    """The choices whose reasons differ in nothing but numbers: named together, how many, and `: ` with the reason.

    Where the numbers differ it is that of the first, which is named.
    """
    groups: dict[str, list[tuple[Choice, str]]] = {}
    for choice, why in reasons:
        groups.setdefault(_NUMBER.sub("#", why), []).append((choice, why))
    named = []
    for group in groups.values():
        first, why = group[0]
        example = f", for example {in_words(first)}" if len({reason for _, reason in group}) > 1 else ""
        named.append((_named([choice for choice, _ in group]), len(group), f"{example}: {why}"))
    return named


def _named(choices: Sequence[Choice]) -> str:
    """`heartbeat.interval.ms=6500..18000 assignor=range (9 choices)`."""
    number = f" ({len(choices)} choices)" if len(choices) > 1 else ""
    return f"{in_words({key: _values([choice[key] for choice in choices]) for key in choices[0]})}{number}"


def _values(values: Sequence[str]) -> str:
    """Of numbers the least and the greatest."""
    each = list(dict.fromkeys(values))
    if len(each) > 1 and all(_NUMBER.fullmatch(value) for value in each):
        return f"{min(each, key=float)}..{max(each, key=float)}"
    return ",".join(each)
