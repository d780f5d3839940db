"""An explanation as people read it: the answer, at most three findings with their lines, and what is not shown."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from groupsim.diagnosis.explain import Diagnosis, Explanation
from groupsim.diagnosis.finding import Finding, Place
from groupsim.diagnosis.known import sentence
from groupsim.diagnosis.times import bounds

FINDINGS = 3
_LINES = 2
_LONGEST = 180
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def as_text(explanation: Explanation, files: Mapping[str, Path] = {}) -> Iterator[str]:
    """The lines of the answer. `files`: where the logs are read, by their names in it, if not there."""
    yield explanation.answer
    several = len(explanation.groups) > 1
    for group in explanation.groups:
        yield ""
        if several:
            yield f'group "{group.group}": {group.findings[0].what}'
        for finding in group.findings[: 1 if several else FINDINGS]:
            yield from _finding(finding, files, headed=not several)
        yield from _after(group)


def _finding(finding: Finding, files: Mapping[str, Path], *, headed: bool) -> Iterator[str]:
    if headed:
        because = f", because of {finding.after}" if finding.after is not None else ""
        yield f"{finding.code} ({finding.certainty}{because}): {finding.what}"
    for place, text in line_texts(finding.seen.evidence[:_LINES], files):
        yield f"    {Path(place.file).name}:{place.line}  {text}"
    for number, remedy in enumerate(finding.do):
        yield f"  {'do:' if not number else '   '} {remedy.what}"
        if remedy.effect is not None:
            yield f"      {remedy.effect}"
    if finding.confirm:
        yield f"  to confirm: {finding.confirm}"
    if finding.known is not None:
        yield f"  {sentence(finding.known)}"


def _after(group: Diagnosis) -> Iterator[str]:
    said = bounds(group.stopped_ms)
    if said is not None:
        yield f"nobody in the group could read: {said}"
    yield from group.not_shown


def line_texts(places: Sequence[Place], files: Mapping[str, Path]) -> Iterator[tuple[Place, str]]:
    """The lines as they stand in their files; "" where the file is gone, is a pipe or a device, or is an export."""
    for place in places:
        yield place, _text(place, files.get(place.file, Path(place.file)))


def _text(place: Place, path: Path) -> str:
    if not path.is_file():
        return ""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            line = next(islice(lines, place.line - 1, None), b"")
    except OSError:
        return ""
    text = _UNSEEN.sub("", line[:4_096].decode("utf-8", "replace")).strip()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
