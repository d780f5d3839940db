"""The answer to a log: each group with its findings in order, and one sentence that decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from groupsim.diagnosis.cause import STEPWISE
from groupsim.diagnosis.causes import causes
from groupsim.diagnosis.codes import Code, GroupType
from groupsim.diagnosis.finding import Bounds, Finding, Place, Remedy, alternatives
from groupsim.diagnosis.from_facts import EPOCH_MS, reading_of, texts_of
from groupsim.diagnosis.group_log import GroupLog, group_logs
from groupsim.diagnosis.known import with_known
from groupsim.diagnosis.not_shown import not_shown
from groupsim.diagnosis.order import FAILURES, LASTING, ON_PURPOSE, QUIET, ordered
from groupsim.diagnosis.stopped import eager, stopped
from groupsim.diagnosis.times import bounds, share, without_partitions
from groupsim.events.base import Recorded
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Reading
from groupsim.incidents.logs.times import instant
from groupsim.storage.rare_collections import rare_collections
from groupsim.wording.lists import capital
from groupsim.wording.numbers import counted

FINDINGS = 8
"""The most findings of a group."""


_OF_READING = 0.4
"""How much of the work it is to place the lines: the rest is to look for causes."""
WORDS, FIGURES = 30, 3
"""The most of them in an answer."""
_WIDE = 10
"""Bounds further apart than this, one a multiple of the other, decide nothing."""
_NAME = re.compile(r"[^\s:,]*[-_.#…\d]")
"""A word that is the name of something, as it begins."""
_SHORT_MS, _SMALL = 1_000, 0.01
"""What is shorter than this, and a smaller share of the time, is no cost that an answer begins with."""
_LASTED = re.compile(r"\d (?:ms|s)\b(?!\))|\d+m\d\ds|\d+h\d\dm")
_FIGURE = re.compile(r"(?<![\w.#-])\d[\d,.]*(?:[hm]\d+[ms])?(?![\w-])|(?<![\w.#-])\d+[hm]\d+[ms]")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is said of one group. `rebalances`: seen, and at least. Instants in UTC ms, None without times."""

    group: str | None
    type: GroupType
    first_ms: int | None
    last_ms: int | None
    rebalances: tuple[int, int]
    stopped_ms: Bounds | None
    findings: tuple[Finding, ...]
    not_shown: tuple[str, ...]
    comparable: bool = False
    """Whether a what-if of the group could be compared with what its logs show."""

    @property
    def lasted_ms(self) -> int:
        """From the group's first line to its last; 0 without times."""
        return 0 if self.first_ms is None or self.last_ms is None else self.last_ms - self.first_ms


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer's first sentence, and what it rests on, group by group."""

    answer: str
    groups: tuple[Diagnosis, ...]
    texts: Mapping[Place, str] = field(default_factory=dict)
    """What its evidence says, where that stands in no file."""
    counted_from_ms: int | None = None
    """A simulated run has no dates: its instants count from here. None: they are UTC ms."""


def explain_reading(
    reading: Reading, groups: Sequence[str] = (), progress: Callable[[float], None] = lambda _: None
) -> Explanation | None:
    """What happened, why, and what to do; None where no line is about a group (of those asked for).

    `progress` is called with the share of the work that is done.
    """
    with rare_collections():
        logs = [log for log in group_logs(reading) if not groups or log.group in groups]
        progress(_OF_READING)
        return explained(logs, lambda share: progress(_OF_READING + share * (1 - _OF_READING)))


def explain_run(facts: Iterable[Recorded], groups: Sequence[str] = (), origin: str | None = None) -> Explanation | None:
    """The same of a stored run, recorded or simulated, from its facts: those of `from_facts.FACTS` are enough.

    `origin`: when a recorded run began (`RunInfo.origin`).
    """
    origin_ms = EPOCH_MS if origin is None else instant(origin)
    reading = reading_of(facts, origin_ms)
    found = explain_reading(reading, groups)
    if found is None:
        return None
    places = {place for group in found.groups for finding in group.findings for place in finding.evidence.places}
    texts = texts_of(reading, places, origin_ms)
    return replace(found, texts=texts, counted_from_ms=EPOCH_MS if origin is None else None)


def explained(logs: Sequence[GroupLog], progress: Callable[[float], None] = lambda _: None) -> Explanation | None:
    """The answer to the group_logs of some groups; None if there are none."""
    found: list[Diagnosis] = []
    for number, log in enumerate(logs, start=1):
        found.append(diagnosed(log))
        progress(number / len(logs))
    found = [each for each in found if each.group is not None] or found
    if not found:
        return None
    found.sort(key=_harm, reverse=True)
    return Explanation(answered(found), tuple(found))


def diagnosed(log: GroupLog) -> Diagnosis:
    """One group's findings."""
    findings = [
        finding
        for cause in causes().values()
        if log.type not in cause.not_in and (finding := cause.find(log)) is not None
    ]
    findings = [
        replace(finding, do=alternatives(remedy for remedy in finding.do if _fits(remedy, log))) for finding in findings
    ]
    kept = tuple(ordered(with_known(findings, log))[:FINDINGS])
    stopped_ms = stopped(log)
    return Diagnosis(
        group=log.group,
        type=log.type,
        first_ms=log.begin,
        last_ms=log.end,
        rebalances=_rebalances(log),
        stopped_ms=stopped_ms,
        findings=_with_cost(kept, log, stopped_ms),
        not_shown=not_shown(log, kept, stopped_ms),
    )


def _fits(remedy: Remedy, log: GroupLog) -> bool:
    """Whether the group's members can do it and do not do it already."""
    eager_consumers = log.type in (GroupType.CLASSIC, GroupType.UNKNOWN) and eager(log) is not False
    return log.can(remedy.needs) and (remedy is not STEPWISE or (eager_consumers and not log.alone))


def _with_cost(findings: tuple[Finding, ...], log: GroupLog, stopped_ms: Bounds | None) -> tuple[Finding, ...]:
    """The only finding that something was wrong has all that it cost: nothing else in the log did."""
    first = findings[0] if findings else None
    if first is None or first.code in QUIET or any(other.code not in QUIET for other in findings[1:]):
        return findings
    lost = first.cost.member_without_partitions_ms or without_partitions(log, first.members)
    cost = replace(first.cost, group_stopped_ms=stopped_ms, member_without_partitions_ms=lost)
    return replace(first, cost=cost), *findings[1:]


def _rebalances(log: GroupLog) -> tuple[int, int]:
    seen = len(log.rebalances)
    generations = {g for line in log.said if isinstance(g := line.row.detail.get("generation"), int) and g > 0}
    epochs = {e for line in log.of(RowKind.GROUP_EPOCH_BUMPED) if isinstance(e := line.row.detail.get("epoch"), int)}
    return max(seen, len(epochs)), max(seen, len(generations) - (0 if seen else 1), len(epochs), 0)


def _harm(group: Diagnosis) -> tuple[bool, bool, int]:
    """Groups in which something failed come before those that were only changed on purpose; then how long it hurt."""
    loud = [f for f in group.findings if f.code not in QUIET]
    stopped_ms = (group.stopped_ms and group.stopped_ms[0]) or 0
    return bool(loud), any(f.code in FAILURES for f in loud[:1]), stopped_ms + sum(f.harm_ms for f in loud)


def answered(groups: Sequence[Diagnosis]) -> str:
    """Cause, cost, remedy, as far as they fit into WORDS words with FIGURES figures; of several groups, which one."""
    group = groups[0]
    first = group.findings[0]
    brief = first.do[0].brief if first.do else ""
    if first.code is Code.START_UP or first.code in ON_PURPOSE:
        return _begun(f"{brief}: {first.what}." if brief else f"{first.what}.", group)
    remedy = f"; {brief}" if brief else ""
    costs = [] if first.code in QUIET else _costs(group, first)
    variants = [*(f"{first.what}{cost}{remedy}." for cost in costs), f"{first.what}{remedy}.", f"{first.what}."]
    lasting = (f for f in group.findings if f.code in LASTING and f.after is first.code and f.harm_ms > first.harm_ms)
    variants[:0] = [f"{first.what.partition(': ')[0]}, and {f.what}; {f.do[0].brief}." for f in lasting]
    named = [named for text in variants[:-1] if (named := _among(groups, text)) is not None]
    return _begun(next((text for text in named + variants if _is_short(text)), variants[-2]), group)


def _among(groups: Sequence[Diagnosis], text: str) -> str | None:
    """A sentence that also says which of several groups it is about, or in how many others the same happened."""
    worst, *others = groups
    if not others or worst.group is None:
        return None
    alike = sum(group.findings[0].code is worst.findings[0].code for group in others)
    if f"{worst.group} " in f"{text} ":
        what, mark, remedy = text.rpartition("; ")
        return f"{what}, as in {counted(alike, 'other group')}{mark}{remedy}" if alike and mark else None
    failed = 1 + sum(group.findings[0].code in FAILURES for group in others)
    return f'group "{worst.group}"{f" (the worst of {failed})" if failed > 1 else ""}: {text}'


def _is_short(text: str) -> bool:
    return len(text.split()) <= WORDS and len(_FIGURE.findall(text)) <= FIGURES


def _begun(sentence: str, group: Diagnosis) -> str:
    """With a capital letter, unless it begins with a name."""
    names = [name for finding in group.findings for name in finding.members] + [group.group or ""]
    named = any(name and sentence.startswith(name) and not name.startswith(("a ", "the ")) for name in names)
    return sentence if named or _NAME.match(sentence) else capital(sentence)


def _costs(group: Diagnosis, first: Finding) -> list[str]:
    """What it cost, with its share of the time and without, if a bound says something: the whole group, else the
    member."""
    stopped_ms, lost_ms = group.stopped_ms, first.cost.member_without_partitions_ms
    if stopped_ms is not None and stopped_ms[0] and _LASTED.search(first.what):
        return []  # how long this cause took stands in the sentence already; the group was stopped by others, too
    low, high = stopped_ms or (None, None)
    lost = (lost_ms and lost_ms[0]) or 0
    if low and low >= lost and (high is None or high <= _WIDE * low) and (said := bounds(stopped_ms)) is not None:
        cost, ms = f"{', and' if ': ' in first.what else ':'} nobody could read for {said}", stopped_ms
    elif lost_ms is not None and (said := bounds(lost_ms)) is not None:
        cost, ms = f", {said} without partitions", lost_ms
    else:
        return []
    longest = max((bound or 0 for bound in ms or ()), default=0)
    if longest < _SHORT_MS and longest < _SMALL * group.lasted_ms:
        return []
    part = share(ms, group.lasted_ms)
    shorter = [cost] if " to " not in said else [cost, cost.replace(said, f"at least {said.partition(' to ')[0]}")]
    return shorter if part is None else [f"{cost} ({part} of the time)", *shorter]
