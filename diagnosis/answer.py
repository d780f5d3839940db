"""The first sentence of an answer: cause, cost, remedy, as far as they fit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from groupsim.diagnosis.codes import Certainty, Code
from groupsim.diagnosis.finding import Bounds, Diagnosis, Finding
from groupsim.diagnosis.order import FAILURES, LASTING, ON_PURPOSE, QUIET
from groupsim.diagnosis.times import bounds, outage_in_words, share
from groupsim.wording.first_sentence import first_that_fits
from groupsim.wording.lists import capital
from groupsim.wording.numbers import counted

_WIDE = 10
"""Bounds further apart than this, one a multiple of the other, decide nothing."""
_NAME = re.compile(r"[^\s:,]*[-_.#…\d]")
"""A word that is the name of something, as it begins."""
_LONG_MS = 10_000
"""An outage that lasted as long is said in the first sentence, whatever it came from."""
_MORE = 1.5
"""Some partitions were unavailable for clearly longer than all of them: by this factor."""
_SHORT_MS, _SMALL = 1_000, 0.01
"""What is shorter than this, and a smaller share of the time, is no cost that an answer begins with."""
_UNAVAILABLE = (
    ("one or more partitions were unavailable for ", " in total"),
    ("one or more partitions were unavailable for ", ""),
    ("some partitions were unavailable for ", ""),
)
"""What stands before and behind how long, from the fullest to the shortest."""
_COUNTED = re.compile(r"\b\d[\d,]* (?=connectors|tasks)")
"""How many of what a short sentence may leave out."""
_SHORT_NAME = 30
"""A member with a longer name is called "it" behind the name."""
_DURATION = re.compile(r"(\d[\d,.]*) (ms|s)\b(?!\))|(\d+)m(\d\d)s|(\d+)h(\d\d)m")
_TAKES_LONGER = frozenset([Code.ROLLING_RESTART])
"""Causes whose sentence says how long they took themselves, which is not how long partitions were unavailable."""
_TRADE_OFFS = frozenset(["membership", "assignor", "heartbeat.interval.ms"])
"""What may cost more than it saves in one group, and less in another: no advice without a trial, where one can be made.
"""


def answered(groups: Sequence[Diagnosis], *, tried: bool = False) -> str:
    """Cause, cost, remedy, as far as they fit into a first sentence; of several groups, which one.

    `tried`: its remedies were simulated, or cannot be.
    """
    group = groups[0]
    first = group.findings[0]
    if (unavailable := _long_outage(group, first)) is not None:
        why = ", and no line says why" if first.code is Code.HEALTHY else ""
        said = f"some partitions were unavailable for {unavailable}{why}."
        variants = [f"{first.what}{_mark(first)} {said}", said] if not why else [said]
        return _begun(first_that_fits([*_all_among(groups, variants), *variants], _names(group)), group)
    meant = first.code is Code.START_UP or first.code in ON_PURPOSE
    if meant and first.certainty is not Certainty.POSSIBLE:
        brief = first.do[0].brief if first.do else ""
        return _begun(f"{brief}: {first.what}." if brief else f"{first.what}.", group)
    brief = _brief(first, tried=tried)
    remedy = f"; {brief}" if brief else ""
    costs = [] if first.code in QUIET else _costs(group, first)
    variants = [*(f"{first.what}{cost}{remedy}." for cost in costs), f"{first.what}{remedy}.", f"{first.what}."]
    lasting = (f for f in group.findings if f.code in LASTING and f.after is first.code and f.harm_ms > first.harm_ms)
    variants[:0] = [f"{what}; {f.do[0].brief}." for f in lasting for what in _leads_to(first, f)]
    variants[:0] = _with_what_lasts(group, first, brief)
    named = _all_among(groups, variants[:-1])
    bare = f"{first.what.partition(' (')[0]}."
    return _begun(first_that_fits([*named, *variants, bare], _names(group)), group)


def most_first(groups: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Groups whose total is known change places, so that of these the one comes first that cost most; those in which
    nothing went wrong come last. The others stay where they are.
    """
    known = [group for group in groups if group.outage is not None and group.outage.partition_ms is not None]
    ordered = iter(sorted(known, key=_cost, reverse=True))
    return [next(ordered) if group in known else group for group in groups]


def _cost(group: Diagnosis) -> tuple[bool, int]:
    first = group.findings[0]
    wrong = first.code not in QUIET or _long_outage(group, first) is not None
    return wrong, (group.outage and group.outage.partition_ms) or 0


def _long_outage(group: Diagnosis, first: Finding) -> str | None:
    """How long some partitions were unavailable, where that is long and nothing was found to be wrong."""
    outage = group.outage
    quiet = first.code in QUIET or first.code in ON_PURPOSE
    if not quiet or outage is None or (outage.ms[0] or 0) < _LONG_MS:
        return None
    return outage_in_words(outage)


def _leads_to(first: Finding, lasting: Finding) -> tuple[str, ...]:
    """A cause and what goes on long after it, from the fullest sentence to the shortest."""
    cause, said = first.what.partition(": ")[0], lasting.what.partition(": ")[0]
    short = cause.partition(", and ")[0]
    said = f"{short}, and {said}"
    return f"{cause}, and {lasting.what}", f"{short}, and {lasting.what}", said, _COUNTED.sub("", said)


def _with_what_lasts(group: Diagnosis, first: Finding, brief: str) -> list[str]:
    """With what is still wrong at the end of the log, though it is not what did most harm: somebody has to act now."""
    still = next((finding for finding in group.findings if finding.still and finding is not first), None)
    if still is None or first.code in QUIET or still.after is first.code or first.after is still.code:
        return []
    both = [f"{brief.rpartition(': ')[2]}, and look at the broker"] if brief else []
    return [f"{first.what}, and {still.still}; {do}." for do in (*both, "look at the broker")]


def _brief(first: Finding, *, tried: bool) -> str:
    """The first remedy that was not seen to be of no use."""
    useful = [remedy for remedy in first.do if remedy.verdict in (None, -1)]
    if first.do and not useful:
        normal = first.code not in FAILURES
        nothing = "change nothing: none of the simulated settings would have helped"
        return nothing if normal else "no simulated remedy helps"
    if not useful or (not tried and not _TRADE_OFFS.isdisjoint(key for key, _ in useful[0].trial)):
        return ""
    return useful[0].brief


def _all_among(groups: Sequence[Diagnosis], texts: Sequence[str]) -> list[str]:
    """Of sentences those that also say which of several groups they are about."""
    return [said for text in texts if (said := _among(groups, text)) is not None]


def _among(groups: Sequence[Diagnosis], text: str) -> str | None:
    """A sentence that also says which of several groups it is about, or in how many others the same happened."""
    worst, *others = groups
    if not others or worst.group is None:
        return None
    alike = sum(group.findings[0].code is worst.findings[0].code for group in others)
    if text.startswith(f"{worst.group} ") or any(f" {lead} {worst.group} " in f"{text} " for lead in ("of", "group")):
        what, mark, remedy = text.rpartition("; ")
        return f"{what} (same cause in {counted(alike, 'other group')}){mark}{remedy}" if alike and mark else None
    failed = 1 + sum(group.findings[0].code in FAILURES for group in others)
    where = f'"{worst.group}", the worst of {failed} groups,' if failed > 1 else f'group "{worst.group}"'
    return f"in {where} {text}"


def _says(text: str, ms: int) -> bool:
    """Whether a text names a duration that is about as long."""
    return any(ms / 2 <= said <= 2 * ms for said in map(_in_ms, _DURATION.finditer(text)))


def _in_ms(said: re.Match[str]) -> float:
    number, unit, minutes, seconds, hours, more = said.groups()
    if number is not None:
        return float(number.replace(",", "")) * (1 if unit == "ms" else 1_000)
    return 1_000 * (int(minutes) * 60 + int(seconds) if minutes is not None else int(hours) * 3_600 + int(more) * 60)


def _names(group: Diagnosis) -> list[str]:
    return [name for finding in group.findings for name in finding.members] + [group.group or ""]


def _begun(sentence: str, group: Diagnosis) -> str:
    """With a capital letter, unless it begins with a name."""
    named = any(name and sentence.startswith(name) and not name.startswith(("a ", "the ")) for name in _names(group))
    return sentence if named or _NAME.match(sentence) else capital(sentence)


def _mark(first: Finding) -> str:
    return ", and" if ": " in first.what else ":"


def _says_more(outage: Bounds, other_ms: int) -> bool:
    """Whether partitions that nobody read were so for clearly longer than all of them, or all of one member."""
    low, high = outage
    return low is not None and high is not None and low > _MORE * other_ms and high <= _WIDE * low


def _who(first: Finding) -> str:
    """Who bears a cost: the name, where that is short; "it" may be read as the group."""
    if len(first.members) != 1:
        return "they"
    return first.members[0] if len(first.members[0]) <= _SHORT_NAME else "it"


def _costs(group: Diagnosis, first: Finding) -> list[str]:
    """What it cost, with its share of the time and without, if a bound says something: the whole group, else the
    member."""
    stopped_ms, lost_ms = group.stopped_ms, first.cost.member_without_partitions_ms
    if first.cost.no_progress:
        return []  # what it reads meanwhile is read in vain
    says_cost = first.code not in _TAKES_LONGER
    if says_cost and stopped_ms is not None and stopped_ms[0] and _says(first.what, stopped_ms[0]):
        return []  # how long this cause took stands in the sentence already; the group was stopped by others, too
    low, high = stopped_ms or (None, None)
    lost = (lost_ms and lost_ms[0]) or 0
    ways: Sequence[tuple[str, str]]
    said: str | None
    ms: Bounds | None
    if (outage := group.outage) is not None and _says_more(outage.ms, max(low or 0, lost)):
        if says_cost and outage.ms[0] and _says(first.what, outage.ms[0]):
            return []
        said, ms = outage_in_words(outage), outage.ms
        ways = _UNAVAILABLE
    elif low and low >= lost and (high is None or high <= _WIDE * low) and (said := bounds(stopped_ms)) is not None:
        ways, ms = [("nobody could read for ", "")], stopped_ms
    elif lost_ms is not None and (said := bounds(lost_ms)) is not None:
        ways, ms = [(f"{_who(first)} had no partitions for ", "")], lost_ms
    else:
        return []
    longest = max((bound or 0 for bound in ms or ()), default=0)
    if longest < _SHORT_MS and longest < _SMALL * group.lasted_ms:
        return []
    part = share(ms, group.lasted_ms)
    times = [said] if " to " not in said else [said, f"at least {said.partition(' to ')[0]}"]
    costs = [f"{_mark(first)} {before}{time}{after}" for before, after in ways for time in times]
    return costs if part is None else [f"{costs[0]} ({part} of the time recorded)", *costs]
