"""Words of a private dialect: `python -m tests.words [FOLDER]...` lists each place; a test holds that there is none.

The standard terms stand beside the words. `ALLOWED` lists places that mean something else (Kafka's own sentences).
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
WORDS = {
    r"books|booked": "group state",
    r"spoken": "has_coordinator_facts",
    r"told|untold|untelling": "known, reported, given",
    r"tells? nothing|telling": "says nothing; state-changing",
    r"learned": "self_reported_generation",
    r"in_force": "may_commit",
    r"[Ww]itness": "log coverage",
    r"unborn|born_ms|_bear": "not started, counted_from_ms",
    r"doings": "activity",
    r"[Uu]naware|UNAWARE": "awaiting heartbeat",
    r"give_back|give_away|gives? (?:it |them )?away|gives? (?:it |them )?back": "revoke, lose",
    r"[Ss]urroundings": "context",
    r"plausible": "valid",
    r"heeds?|heeded": "reads",
    r"ghosts?(?! members)|happenings?": "unlogged members, topology changes",
    r"rhythms?": "recorded timings",
    r"Lots?|lots?(?! of)": "partition array",
    r"intake|parcels?": "run import, code archive",
    r"judged?|judges?|judging": "compute, decide, definition version",
    r"eyes": "perspective",
    r"called_in": "polling",
    r"likeness|exemplars?|takeovers?": "equivalence, matrix cases, failovers",
    r"sto(?:od|od) still|stand(?:s|ing)? still": "unavailable, paused",
    r"who had what|of which it is|whom": "who owned what",
    r"weigh(?:s|ed)|reckon(?:s|ed|ing)?|betray(?:s|ed)?|befall(?:s|en)?|befell": "a plain verb",
    r"[Ll]aws?": "properties",
    r"survey": "scan_log",
    r"class_(?:Seen|Plot|Actor|Life|Act|Draft|Story|Placed|Arrival)": "Probe, Incident, Member, Incarnation, Action, "
    "FactBuilder or Decision, GroupTimeline, TimedRow, RunImport",
}
PATTERN = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(WORDS)})(?![A-Za-z])", re.IGNORECASE)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
CLASS = re.compile(r"^class ")
ENDINGS = {".py", ".md", ".toml", ".yml", ".html", ".js", ".css", ".sh", ".ipynb", ".java"}
PASSED_BY = (
    "tests/golden/",
    "tests/words.py",
    "tests/test_words.py",
    "tests/frozen/items.py",  # names of what was frozen
    "tests/incidents/data/",
    "docs/results.md",
)
CLAIMS = (
    "nobody committed what the books gave",
    "listener is told `lost`",
    "every ghost was removed",
    "what stands still then is",
    "every partition stood still",
    "partitions never stood still",
    "what had lost its owner stood still for",
    "the generation that bob missed gives them away",
    "any rebalance gives them away",
)
"""Assertions of built-in scenarios: they are facts, so the digests of stored runs contain them."""
ALLOWED = (
    re.compile(r"ghost_members|GHOST_MEMBERS|ghost-members"),
    re.compile(r"([\"`])(?:by the books|nothing is told yet)\1"),  # values of tables
    re.compile(r"([\"`]|\| )told(?:\1| \|)|\bTOLD\b"),  # the name of a phase
    re.compile(r"\(\*mine, \"ghost\"\)"),
    re.compile(r"\"assignors\.laws\""),  # the old name of a module, for scenario files that still import it
    re.compile(r"\"image/png\": .*"),  # a picture of a notebook, as text
    re.compile(r"process, \"told\""),  # a stream of random numbers: another name would draw other numbers
    *(re.compile(re.escape(claim)) for claim in CLAIMS),
)


class Found(NamedTuple):
    """One word in one place."""

    place: str
    line: int
    word: str
    text: str


def files(folders: list[str]) -> Iterator[Path]:
    """The files of the project that people read, below these folders (all, if none is named)."""
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        path = ROOT / name
        if (path.suffix in ENDINGS or path.name == "Makefile") and not name.startswith(PASSED_BY) and path.is_file():
            yield path


def words_in(line: str) -> list[str]:
    """The words of the dialect in a line; `untoldCells` and `untold_cells` have one each."""
    text = CLASS.sub("class_", CAMEL.sub("_", line))
    if not PATTERN.search(text):  # as nearly every line
        return []
    for allowed in ALLOWED:
        text = allowed.sub("", text)
    return [match[0] for match in PATTERN.finditer(text)]


def found(folders: list[str]) -> Iterator[Found]:
    """Every word of the dialect, file by file."""
    for path in files(folders):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            for word in words_in(line):
                yield Found(str(path.relative_to(ROOT)), number, word, line.strip()[:100])


def main() -> int:
    """Exit status 1 where a word is found."""
    every = list(found(sys.argv[1:]))
    for each in every:
        print(f"{each.place}:{each.line}: {each.word!r} in: {each.text}")
    print(f"{len(every)} words of the dialect in {len({each.place for each in every})} files")
    return 1 if every else 0


if __name__ == "__main__":
    sys.exit(main())
