"""`python -m tests.adversary.planted [--minutes N] [--seed S] [NUMBER ...]`: defects planted in a copy of the project,
one after the other, and what the adversary finds of each.

Each is looked for in its area, from attempt S on, for N minutes at most. Exit status 1 if one of them is not found.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).resolve().parents[2]
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "site", "*.egg-info")
_COUNT = re.compile(r"^ *([\d,]+) +attempts", re.MULTILINE)


class Planted(NamedTuple):
    """A defect: in `file` the text `right`, which is there once, becomes `wrong`; `area` is to find it."""

    what: str
    area: str
    file: str
    right: str
    wrong: str


PLANTED = (
    Planted(
        "lost: the second batch of a run is not stored",
        *("fault: run", "storage/writer.py"),
        *("self._store(info, rows, first, ", "self._store(info, rows if first != BATCH else [], first, "),
    ),
    Planted(
        "lost: the digest of a resumed run forgets what was stored",
        *("fault: run", "storage/writer.py"),
        *("            self._digest.add([row])\n", ""),
    ),
    Planted(
        "lost: a resumed run leaves out what follows within one append",
        *("fault: cut", "storage/resumed_writer.py"),
        *("        if new:\n", "        if new and not known:\n"),
    ),
    Planted(
        "unchecked: the time of an imported fact",
        *("export: forged", "storage/run_import.py"),
        *("if not self._at_ms <= row[1] <= LONGEST_MS:", "if not 0 <= row[1]:"),
    ),
    Planted(
        "unchecked: the seal of an export",
        *("export: changed", "pipeline/importing.py"),
        *(
            "if run.seal is not None and count == run.info.facts:",
            "if run.seal is not None and count > run.info.facts:",
        ),
    ),
    Planted(
        "unchecked: kept results of an advice",
        *("files of commands", "pipeline/parallel.py"),
        *("whole = hashlib.sha256(kept.result).hexdigest() == kept.digest", "whole = True"),
    ),
    Planted(
        "unchecked: facts of a store, before an answer",
        *("store: fields", "storage/audit.py"),
        *(
            "whole = sealed and (expected is None or digest_of(store.rows(info.id, stop=count)) == expected)",
            "whole = True",
        ),
    ),
    Planted(
        "quadratic: a pattern for a part of a line",
        *("lines that grow", "incidents/logs/producers/broker.py"),
        *('re.compile(r"explicit `LeaveGroup` request for', 're.compile(r".*explicit `LeaveGroup` request for'),
    ),
    Planted(
        "wrong fold: a partition that two processes serve is OK",
        *("numbers: classic", "analysis/availability/rules.py"),
        *("lambda s: len(s.serving) > 1,", "lambda s: len(s.serving) > 2,"),
    ),
    Planted(
        "wrong fold: a member that left a consumer group stays in its state",
        *("numbers: consumer", "analysis/consumer_group_state.py"),
        *("gone = self.members.pop(member, ConsumerMember())", "gone = self.members.get(member, ConsumerMember())"),
    ),
    Planted(
        "wrong fold: members of a consumer group own what they give up",
        *("numbers: consumer", "analysis/consumer_group_state.py"),
        *(
            "given.assigned, given.pending = assigned, pending",
            "given.assigned, given.pending = assigned | pending, frozenset()",
        ),
    ),
    Planted(
        "wrong fold: of partitions that change alike one is moved",
        *("numbers: classic", "analysis/availability/conditions.py"),
        *("self._put(alike, before, affected)", "self._put({min(alike)}, before, affected)"),
    ),
    Planted(
        "wrong number: the repeated hour is always the first",
        *("logs: other hours", "incidents/logs/local_times.py"),
        *("in_utc(stamp.ms, zone, fold=1)", "in_utc(stamp.ms, zone, fold=0)"),
    ),
    Planted(
        "wrong number: a client keeps what it lost",
        *("numbers: logs", "incidents/facts/client_partitions.py"),
        *("        self._view -= set(lost)\n        self._write_view(later)\n", ""),
    ),
    Planted(
        "wrong number: a consumer group's epoch that no line raised",
        *("numbers: consumer logs", "incidents/facts/consumer_group.py"),
        *("if epoch > self._epoch:  #", "if epoch >= self._epoch:  #"),
    ),
    Planted(
        "wrong number: of a target the first step counts",
        *("numbers: consumer logs", "incidents/facts/consumer_group.py"),
        *("return steps[-1].partitions if steps else None", "return steps[0].partitions if steps else None"),
    ),
    Planted(
        "wrong number: a member has reached its target with its first step",
        *("numbers: consumer logs", "incidents/facts/consumer_group.py"),
        *("last=not any(later.given for later in steps[number + 1 :])", "last=True"),
    ),
    Planted(
        "wrong number: of the removals of a member the last one counts",
        *("numbers: consumer logs", "incidents/facts/deaths.py"),
        *("for removal in removals[process.group, member]:", "for removal in removals[process.group, member][-1:]:"),
    ),
    Planted(
        "wrong number: whole seconds are exact times",
        *("numbers: logs", "incidents/facts/coarse_times.py"),
        *("resolution_ms=max([*widths.values(), reading.resolution_ms]),", "resolution_ms=reading.resolution_ms,"),
    ),
    Planted(
        "swallowed: an export on a full disk says nothing",
        *("fault: export", "pipeline/export.py"),
        *(
            '        raise PipelineError(f"{target} can\'t be written: {error.strerror or error}") from None',
            "        pass",
        ),
    ),
    Planted(
        "swallowed: names are printed as they are",
        *("logs: other names", "wording/names.py"),
        *("c if c.isprintable() else c.encode", "c if True else c.encode"),
    ),
)


def source(planted: Planted, root: Path = HOME) -> tuple[str, str]:
    """The text of the file without and with the defect. Raises ValueError unless its place is there once."""
    text = (root / planted.file).read_text(encoding="utf-8")
    if text.count(planted.right) != 1:
        raise ValueError(f"{planted.file}: {planted.right!r} is there {text.count(planted.right)} times")
    return text, text.replace(planted.right, planted.wrong)


def look(planted: Planted, root: Path, minutes: float, seed: int) -> tuple[int, str]:
    """The attempts that were made in the copy at `root`, and what the last of them found; "" for nothing."""
    text, wrong = source(planted, root)
    (root / planted.file).write_text(wrong, encoding="utf-8")
    asked = ["--area", planted.area, "--minutes", str(minutes), "--seed", str(seed), "--first"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.adversary", *asked],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
        )
    finally:
        (root / planted.file).write_text(text, encoding="utf-8")
    count = _COUNT.search(done.stdout)
    if count is None or done.returncode not in (0, 1) or count[1] == "0":
        raise RuntimeError(f"{planted.what}: {done.stderr[-500:]}")
    return int(count[1].replace(",", "")), done.stdout.splitlines()[0] if done.returncode else ""


def main() -> int:
    """Exit status 1 if one is not found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("number", type=int, nargs="*", help="only these, from 1 on")
    given = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        root = Path(folder) / "project"
        shutil.copytree(HOME, root, ignore=_LEFT_OUT, symlinks=True)
        (root / "groupsim").symlink_to(".")  # the root folders are the package
        for number, planted in enumerate(PLANTED, 1):
            if given.number and number not in given.number:
                continue
            count, found = look(planted, root, given.minutes, given.seed)
            missed += not found
            print(f"{number:2}  {planted.what}: {count:,} attempts, {found[:160] or 'NOT FOUND'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
