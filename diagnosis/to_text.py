"""An explanation as people read it: the answer, at most three findings with their lines, and what is not shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from groupsim.diagnosis.explain import Diagnosis, Explanation
from groupsim.diagnosis.finding import Finding, Place
from groupsim.diagnosis.known import sentence
from groupsim.diagnosis.times import bounds, share
from groupsim.incidents.exports.relevant import blocks_of_lines
from groupsim.incidents.logs.formats import clean
from groupsim.incidents.logs.scan import open_log
from groupsim.wording.times import duration

FINDINGS = 3
_LINES = 2
_LONGEST = 4_096
"""The most bytes of a line that are shown."""


def as_text(explanation: Explanation, files: Mapping[str, Path] = {}, width: int | None = None) -> Iterator[str]:
    """The lines of the answer. `files`: where the logs are read, by their names in it, if not there.

    `width`: the columns to which lines of logs are cut; None: they are shown whole.
    """
    several = len(explanation.groups) > 1
    shown = shown_findings(explanation)
    places = [place for _, findings in shown for finding in findings for place in finding.evidence.places[:_LINES]]
    texts = {**line_texts(places, files), **explanation.texts}
    yield explanation.answer
    for group, findings in shown:
        yield ""
        if several:
            yield f'group "{group.group}": {title(group.findings[0])}: {group.findings[0].what}'
        for finding in findings:
            yield from _finding(finding, texts, width, headed=not several)
        if others := group.findings[len(findings) :]:
            yield f"also: {', '.join(map(title, others))} (--format json has them)"
        yield from after(group)


def shown_findings(explanation: Explanation) -> list[tuple[Diagnosis, tuple[Finding, ...]]]:
    """Of several groups the first finding each, of one the first three."""
    most = 1 if len(explanation.groups) > 1 else FINDINGS
    return [(group, group.findings[:most]) for group in explanation.groups]


def title(finding: Finding) -> str:
    """`commit-failed (shown, because of poll-timeout)`."""
    because = f", because of {finding.after}" if finding.after is not None else ""
    return f"{finding.code} ({finding.certainty}{because})"


def _finding(finding: Finding, texts: Mapping[Place, str], width: int | None, *, headed: bool) -> Iterator[str]:
    if headed:
        yield f"{title(finding)}: {finding.what}"
    for place in finding.evidence.places[:_LINES]:
        line = f"    {Path(place.file).name}:{place.line}  {texts.get(place, '')}"
        yield line if width is None or len(line) <= width else f"{line[: width - 1]}…"
    if finding.cost.processed_again:
        yield "  cost: what was read since the last commit is read again"
    for number, remedy in enumerate(finding.do):
        yield f"  {'do:' if not number else '   '} {remedy.what}"
        if remedy.effect is not None:
            yield f"      {remedy.effect}"
    if finding.confirm:
        yield f"  to confirm: {finding.confirm}"
    if finding.known is not None:
        yield f"  {sentence(finding.known, fits=finding.known_fits)}"


def after(group: Diagnosis) -> Iterator[str]:
    """What stands below a group's findings: how long it was stopped, and what is not shown."""
    if (said := bounds(group.stopped_ms)) is not None:
        part = share(group.stopped_ms, group.lasted_ms)
        of = "" if part is None else f" of {duration(group.lasted_ms)} ({part})"
        yield f"nobody in the group could read: {said}{of}"
    yield from group.not_shown


def line_texts(places: Sequence[Place], files: Mapping[str, Path]) -> dict[Place, str]:
    """The lines as they stand in their files, each file read once, to the last of them.

    None of a file that is gone, is a pipe or a device, or is an export.
    """
    wanted: dict[str, set[int]] = defaultdict(set)
    for place in places:
        wanted[place.file].add(place.line)
    found: dict[Place, str] = {}
    for file, numbers in wanted.items():
        path = files.get(file, Path(file))
        if not path.is_file():
            continue
        try:
            with open_log(path) as lines:
                found |= {Place(file, number): text for number, text in _texts(lines, numbers)}
        except OSError:
            continue
    return found


def _texts(lines: IO[bytes], numbers: set[int]) -> Iterator[tuple[int, str]]:
    """The lines with these numbers, from 1."""
    begin = 1
    for block in blocks_of_lines(lines):
        end = begin + block.count(b"\n")
        if here := sorted(number for number in numbers if begin <= number < end + (not block.endswith(b"\n"))):
            rows = block.split(b"\n")
            yield from ((number, clean(rows[number - begin][:_LONGEST]).strip()) for number in here)
        begin = end
        if begin > max(numbers):
            return
