"""An explanation as people read it: the answer, at most three findings with their lines, and what is not shown."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import IO

from groupsim.diagnosis.codes import Certainty
from groupsim.diagnosis.explain import Explanation
from groupsim.diagnosis.finding import Bounds, Diagnosis, Finding, Place
from groupsim.diagnosis.known import sentence
from groupsim.diagnosis.not_shown import says_something
from groupsim.diagnosis.order import FAILURES, LASTING, ON_PURPOSE, QUIET
from groupsim.diagnosis.times import bounds, outage_in_words, share
from groupsim.incidents.exports.find_records import TEXTS
from groupsim.incidents.exports.relevant import blocks_of_lines
from groupsim.incidents.logs.formats import clean
from groupsim.incidents.logs.scan import open_log
from groupsim.wording.numbers import ranged
from groupsim.wording.times import clock_times, duration

FINDINGS = 3
OF_NO_USE = {0: "would change little here", 1: "not advised here"}
GROUPS = 20
"""The most groups in the table of several."""
_LINES = 2
_CLOCK = re.compile(r"\d\d:\d\d:\d\d")
_DATE = len("2024-03-01 ")
_NO_YEAR = re.compile(r"\b1970-(?:01-01 )?")
"""The year of times that are printed without one, with the day where they have none, either."""
_ZONES_APART_MS = 15 * 60_000
_LONGEST = 4_096
"""The most bytes of a line that are shown."""
_SHORT_MS = 1_000
_OBJECT = 60
_MESSAGE = re.compile(rf"\"(?:{'|'.join(map(re.escape, TEXTS))})\"\s?:\s?\"")
"""How the line begins that has the message, in a JSON object of so many lines at most."""


def as_text(explanation: Explanation, files: Mapping[str, Path] = {}, width: int | None = None) -> Iterator[str]:
    """The lines of the answer. `files`: where the logs are read, by their names in it, if not there.

    `width`: the columns to which lines of logs are cut; None: they are shown whole.
    """
    several = len(explanation.groups) > 1
    shown = _worst(explanation)
    places = [place for _, findings in shown for finding in findings for place in finding.evidence.places[:_LINES]]
    texts = {**line_texts(places, files), **explanation.texts}
    yield explanation.answer
    if not several:
        yield from measured(explanation.groups[0])
    else:
        yield ""
        yield from _table(explanation.groups)
    for group, findings in shown:
        for finding in findings:
            yield ""
            head = f"{'' if group.group is None else 'group '}{_called(group)}: " if several else ""
            yield from _finding(finding, texts, width, head, explanation.counted_from_ms)
            if not several:
                led_to = [other for other in _loud(group) if other.after == finding.code and other not in findings]
                yield from (f"  which led to: {title(other, because=False)}: {other.what}" for other in led_to)
        for other in _loud(group):
            if other not in findings and (several or not _follows(other, group)):
                yield f"also: {title(other)}: {other.what}"
        yield from after(group, several=True) if several else not_shown(group)


def shown_findings(explanation: Explanation) -> list[tuple[Diagnosis, tuple[Finding, ...]]]:
    """Of several groups the first finding each, of one the first three: without those that nothing is wrong in, but
    for the first.
    """
    if len(explanation.groups) > 1:
        return [(group, _loud(group)[:1]) for group in explanation.groups]
    return [
        (group, tuple(finding for finding in _loud(group) if _is_block(finding, group))[:FINDINGS])
        for group in explanation.groups
    ]


def _is_block(finding: Finding, group: Diagnosis) -> bool:
    """Whether it gets its lines and remedies: one event is one block; what was meant has none below a failure."""
    first = group.findings[0]
    if finding is first or finding.known is not None:
        return True
    if (_follows(finding, group) and finding.code not in LASTING) or (
        first.code in FAILURES and finding.code in ON_PURPOSE
    ):
        return False
    if finding.certainty is Certainty.SHOWN:
        return True
    others = group.findings if finding.certainty is Certainty.POSSIBLE else group.findings[: _nth(finding, group)]
    shown = {place for other in others if other is not finding for place in other.evidence.places[:_LINES]}
    return not (finding.evidence.places and shown.issuperset(finding.evidence.places[:_LINES]))


def _nth(finding: Finding, group: Diagnosis) -> int:
    return next(nth for nth, other in enumerate(group.findings) if other is finding)


def _follows(finding: Finding, group: Diagnosis) -> bool:
    """Whether it is a consequence of another finding that is shown: one event is one block."""
    return finding.after is not None and any(other.code == finding.after for other in group.findings)


def _loud(group: Diagnosis) -> tuple[Finding, ...]:
    first, *others = group.findings
    return first, *(finding for finding in others if finding.code not in QUIET)


def _worst(explanation: Explanation) -> list[tuple[Diagnosis, tuple[Finding, ...]]]:
    """The three worst groups of those in which something failed; else the first: the table has the others."""
    shown = shown_findings(explanation)
    return ([entry for entry in shown if entry[0].findings[0].code in FAILURES] or shown[:1])[:FINDINGS]


def _table(groups: Sequence[Diagnosis]) -> Iterator[str]:
    """One line a group, the worst first."""
    yield f"{len(groups)} groups, the worst first:"
    for group in groups[:GROUPS]:
        first = group.findings[0]
        said = bounds(group.stopped_ms) if _helps(group) else None
        stopped = "" if said is None else f"; nobody could read: {said}"
        yield f"  {_called(group)}: {title(first)}: {first.what}{stopped}"
    if len(groups) > GROUPS:
        yield f"  and {len(groups) - GROUPS:,} more (--format json has them)"


def title(finding: Finding, *, because: bool = True) -> str:
    """`commit-failed (shown, because of poll-timeout)`, `rolling-restart (likely; here: one member restarted)`."""
    because_of = f", because of {finding.after}" if because and finding.after is not None else ""
    here = f"; here: {finding.here}" if finding.here else ""
    return f"{finding.code} ({finding.certainty}{because_of}{here})"


def _finding(
    finding: Finding, texts: Mapping[Place, str], width: int | None, head: str, start_ms: int | None
) -> Iterator[str]:
    """What to do before the lines that show it: these may be long."""
    yield f"{head}{title(finding)}: {finding.what}"
    shown = finding.evidence.places[:_LINES]
    if (when := _when(finding, [texts.get(place, "") for place in shown], start_ms)) is not None:
        yield f"  when: {when}"
    yield from _remedies(finding)
    if finding.cost.no_progress:
        yield "  cost: a batch that takes so long cannot be committed at its end: each time the same records come again"
    elif finding.cost.processed_again:
        yield "  cost: what was read since the last commit is read again"
    if finding.confirm:
        yield f"  to confirm: {finding.confirm}"
    if finding.known is not None:
        yield f"  {sentence(finding.known, fits=finding.known_fits)}"
    if shown:
        yield "  lines:"
    for place in shown:
        line = f"    {Path(place.file).name}:{place.line}  {texts.get(place, '')}".rstrip()
        yield line if width is None or len(line) <= width else f"{line[: width - 1]}…"


def _remedies(finding: Finding) -> Iterator[str]:
    """What to do; and what would be done elsewhere, but was seen to cost more here."""
    for number, remedy in enumerate(finding.do):
        if remedy.verdict in OF_NO_USE:
            yield f"  {OF_NO_USE[remedy.verdict]}: {remedy.what.removeprefix('or ')}"
        else:
            yield f"  {'   ' if number else 'do:'} {remedy.what}"
        if remedy.effect is not None:
            yield f"      {remedy.effect}"


def _when(finding: Finding, texts: Sequence[str], start_ms: int | None) -> str | None:
    """The time of its first line, and of its last. In UTC, and said to be, where the lines print it otherwise."""
    first, last = finding.evidence.first_ms, finding.evidence.last_ms
    if first is None:
        return None
    if start_ms is not None:
        return f"{ranged(duration(first - start_ms), duration((last or first) - start_ms))} from the start of the run"
    if finding.evidence.each:
        found = [_NO_YEAR.sub("", clock_times(*each)) for each in finding.evidence.each]
        utc = "" if any(_is_as_printed(span, texts, 0) for span in found) else " UTC"
        same = found[0][:_DATE] if all(each[:_DATE] == found[0][:_DATE] for each in found) else ""
        others = [each.removeprefix(same) for each in found[1:]]
        return f"{', '.join([found[0], *others[:-1]])} and {others[-1]}{utc}"
    last = first if last is None else last
    span = _NO_YEAR.sub("", clock_times(first, last))
    return span if _is_as_printed(span, texts, last - first) else f"{span} UTC"


def _is_as_printed(span: str, texts: Sequence[str], lasted_ms: int) -> bool:
    """Whether lines print their times as a span has them: they print one of its ends, or a time within one that is
    shorter than the times of any two zones are apart.
    """
    ends = _CLOCK.findall(span)
    printed = [time for text in texts for time in _CLOCK.findall(text)]
    within = lasted_ms < _ZONES_APART_MS and any(ends[0] <= time <= ends[-1] for time in printed)
    return within or not set(ends).isdisjoint(printed)


def after(group: Diagnosis, *, several: bool = False) -> Iterator[str]:
    """What is said of a group beside its findings: what is measured, and what is not shown."""
    yield from measured(group, several=several)
    yield from not_shown(group)


def measured(group: Diagnosis, *, several: bool = False) -> Iterator[str]:
    """How long it was stopped, and how it is when its lines end."""
    yield from could_read(group, several=several)
    if group.at_end is not None:
        yield group.at_end


def not_shown(group: Diagnosis) -> Iterator[str]:
    """What its lines say beside any cause, and what they can't show."""
    yield from (f"note: {what}" for what in group.notes)
    yield from (f"not shown: {what}" for what in group.not_shown)


def could_read(group: Diagnosis, *, several: bool = False) -> Iterator[str]:
    """How long it was stopped: of one group right below the answer, of several below the findings of each.

    A share is of the time from the group's first line on: of several groups each has another one.
    """
    who = "the group" if group.group is None else f'group "{group.group}"'
    since = ", from the group's first line to the end of the log" if several else ""
    outage = group.outage
    if outage is not None and outage.ms != group.stopped_ms and says_something(outage.ms, group.lasted_ms):
        ms = outage.ms if outage.about_ms is None else (outage.about_ms, outage.about_ms)
        about = "" if outage.near_ms is None else f"; {bounds(outage.ms)}"
        yield f"some partitions of {who} were unavailable: {outage_in_words(outage)}{_of(ms, group, since, about)}"
        all_of = "all of them at once (nobody could read)"
    else:
        all_of = f"nobody in {who} could read"
    if group.stopped_ms == (0, 0) and group.lasted_ms:
        yield f"somebody in {who} could read all the time since it first worked"
    elif _helps(group) and not _is_nothing(group) and (said := bounds(group.stopped_ms)) is not None:
        yield f"{all_of}: {said}{_of(group.stopped_ms, group, since)}"


def _is_nothing(group: Diagnosis) -> bool:
    """Whether nothing is wrong and nobody waited for a second: then the time is no more than a question."""
    most = group.stopped_ms[1] if group.stopped_ms is not None else None
    return group.findings[0].code in QUIET | ON_PURPOSE and most is not None and most < _SHORT_MS


def _of(ms: Bounds | None, group: Diagnosis, since: str, more: str = "") -> str:
    """` of 14.3 s (50 %; 4.2 s to 12.2 s)`: its share of the time; nothing where that is not known."""
    part = share(ms, group.lasted_ms)
    return "" if part is None else f" of {duration(group.lasted_ms)}{since} ({part}{more})"


def _called(group: Diagnosis) -> str:
    return "lines without a group's name" if group.group is None else f'"{group.group}"'


def _helps(group: Diagnosis) -> bool:
    return says_something(group.stopped_ms, group.lasted_ms)


def line_texts(places: Sequence[Place], files: Mapping[str, Path]) -> dict[Place, str]:
    """The lines as they stand in their files, each file read once, to the last of them.

    None of a file that is gone, is a pipe or a device, or is an export or a segment, whose records are no lines.
    """
    wanted: dict[str, set[int]] = defaultdict(set)
    for place in places:
        wanted[place.file].add(place.line)
    found: dict[Place, str] = {}
    for file, numbers in wanted.items():
        path, stream = _behind(file, files)
        if not path.is_file():
            continue
        try:
            with open_log(path) as lines:
                found |= {Place(file, number): text for number, text in _texts(lines, numbers) if stream in text}
        except OSError:
            continue
    return found


def _behind(file: str, files: Mapping[str, Path]) -> tuple[Path, str]:
    """Where a file's lines are read; and the name of its stream, if it is one of several in the only file: its lines
    have it. A stream of several files is not looked for: nothing tells which of them a line is from.
    """
    path = files.get(file, Path(file))
    name, bracket, stream = file.removesuffix("]").rpartition("[")
    if path.is_file() or len(files) > 1 or not (bracket and file.endswith("]")):
        return path, ""
    return files.get(name, Path(name)), stream


def _is_segment(begin: bytes) -> bool:
    """Whether a file is one of `__consumer_offsets`, which an installation without the extra `offsets` never read."""
    if begin[:2] != b"\0\0":
        return False
    from groupsim.incidents.offsets_topic.batches import is_segment

    return is_segment(begin)


def _texts(lines: IO[bytes], numbers: set[int]) -> Iterator[tuple[int, str]]:
    """The lines with these numbers, from 1."""
    begin = 1
    for block in blocks_of_lines(lines):
        if begin == 1 and _is_segment(block):
            return
        end = begin + block.count(b"\n")
        if here := sorted(number for number in numbers if begin <= number < end + (not block.endswith(b"\n"))):
            rows = block.split(b"\n")
            yield from ((number, _message(rows, number - begin)) for number in here)
        begin = end
        if begin > max(numbers):
            return


def _message(rows: Sequence[bytes], at: int) -> str:
    """A line without the spaces around it; of a JSON object that begins on it, the line that has its message."""
    text = clean(rows[at][:_LONGEST])
    if text.strip(" ,[}") != "{":
        return text.strip()
    ends = re.compile(rf"\s{{{len(text) - len(text.lstrip())}}}\}}")
    lines = takewhile(
        lambda line: ends.match(line) is None, (clean(row[:_LONGEST]) for row in rows[at + 1 :][:_OBJECT])
    )
    return next((line for line in map(str.strip, lines) if _MESSAGE.match(line)), text.strip())
