"""The code blocks of README and docs: read, run, compared, rewritten.

`python -m tests.doc_blocks PAGE...` runs a page and replaces output that has changed. Run ids and digests become `…`.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from glob import glob
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from groupsim.cli.main import status

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(console|python|json|(?:toml|yaml)(?= file=))((?: [\w=./]+)*)\n(.*?)^```$", re.M | re.S)
_PLAIN = re.compile(
    r"groupsim (?!.*\.py\b)((?:'[^'\n]*'|[^'|><;&$?`~#\\\n])+?)(?: \| (?:head -(?P<to>\d+)|sed -n (?P<only>\d+)p))?"
)
"""A call without anything that a shell does, but for quotes, `*`, `| head -N` and `| sed -n Np`, and without a user's
code, which may register things."""
MASKS = ((re.compile(r"^run [0-9a-f]{12}\b"), "run …"), (re.compile(r"^(digest .*?)[0-9a-f]{64}$"), r"\1…"))


class Block(NamedTuple):
    """One block that can be run: its language, what stands behind it, its text, and where the text stands."""

    language: str
    attributes: str
    text: str
    start: int
    end: int


class Step(NamedTuple):
    """One command of a console block, and the lines that the page shows for it."""

    command: str
    expected: list[str]


class Ran(NamedTuple):
    """What a command printed, and how it ended."""

    block: Block
    step: Step
    stdout: str
    stderr: str
    status: int


def blocks(text: str) -> list[Block]:
    """Each block of a page that can be run."""
    return [Block(m[1], m[2].strip(), m[3], m.start(3), m.end(3)) for m in BLOCK.finditer(text)]


def steps(block: Block) -> list[Step]:
    """The commands of a block; a Python block is one command whose output the page does not show."""
    if block.language != "console":
        return [Step(f"{sys.executable} -c {_quoted(block.text)}", ["…"])]
    found: list[Step] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(Step(line[2:], []))
        else:
            found[-1].expected.append(line)
    return found


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def run(
    page: Path, folder: Path, settings: Mapping[str, str] = {}, *, here: bool = False, left_out: Container[str] = ()
) -> Iterator[Ran]:
    """Every block of a page in order, in this folder, with the examples beside it.

    What needs Spark runs in this process, in its session. With `here` other calls that need no shell do so, too, which
    spares a start of Python. Commands that are `left_out` are not run.
    """
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("GROUPSIM_STORE", None)
    shutil.copytree(ROOT / "examples", folder / "examples")
    for block in blocks(page.read_text("utf-8")):
        if block.attributes.startswith("file="):
            (folder / block.attributes.removeprefix("file=")).write_text(block.text, "utf-8")
            continue
        for step in steps(block):
            if step.command in left_out:
                continue
            own = {**environment, **settings}
            if block.language == "python" and needs_spark(block):
                # A store's relative path counts from where Spark's Java was started, which is not this folder.
                text = block.text.replace('.option("store", "', f'.option("store", "{folder}/')
                yield Ran(block, step, *_in_this_process(partial(_executed, text), folder, own))
                continue
            if (here or needs_spark(block)) and (plain := _PLAIN.fullmatch(step.command)):
                called = partial(status, _arguments(plain[1], folder))
                out, err, code = _in_this_process(called, folder, own)
                piped = plain["to"] or plain["only"]
                first, end = int(plain["only"] or 1) - 1, int(piped) if piped else None
                shown = "".join(out.splitlines(keepends=True)[first:end])
                yield Ran(block, step, shown, err, 0 if piped else code)  # a pipe ends as its last command
                continue
            done = subprocess.run(
                step.command, shell=True, cwd=folder, env=own, capture_output=True, text=True, check=False
            )
            yield Ran(block, step, done.stdout, done.stderr, done.returncode)


def needs_spark(block: Block) -> bool:
    """Whether it starts a Spark session, or asks for the one that runs."""
    return "spark_session" in block.text or "$ groupsim sweep" in block.text


def _arguments(typed: str, folder: Path) -> list[str]:
    """What a shell in this folder makes of it."""
    found = [sorted(glob(each, root_dir=folder)) if "*" in each else [each] for each in shlex.split(typed)]
    return list(chain.from_iterable(found))


def _executed(code: str) -> int:
    exec(compile(code, "<block>", "exec"), {"__name__": "__main__"})
    return 0


def _in_this_process(call: Callable[[], int], folder: Path, environment: Mapping[str, str]) -> tuple[str, str, int]:
    """What a call prints on stdout and stderr, and its exit status."""
    out, err = io.StringIO(), io.StringIO()
    settings = patch.dict(os.environ, environment, clear=True)
    alone = patch("os.cpu_count", return_value=1)  # further processes would take longer to start than to work
    with chdir(folder), settings, alone, redirect_stdout(out), redirect_stderr(err):
        code = call()
    return out.getvalue(), err.getvalue(), code


def shape(line: str) -> re.Pattern[str]:
    """A line of expected output; … stands for anything, white space at the end counts for nothing."""
    return re.compile(".*".join(re.escape(part) for part in line.rstrip().split("…")))


def agree(expected: list[str], got: list[str]) -> bool:
    """Whether output has the expected shape; a line … alone stands for any number of lines."""
    if not expected:
        return not got
    if expected[0].strip() == "…":
        return any(agree(expected[1:], got[i:]) for i in range(len(got) + 1))
    matches = bool(got) and shape(expected[0]).fullmatch(got[0].rstrip()) is not None
    return matches and agree(expected[1:], got[1:])


def masked(line: str) -> str:
    """A line of output as a page shows it: what differs from run to run is `…`."""
    for pattern, shown in MASKS:
        line = pattern.sub(shown, line.rstrip())
    return line


def rewritten(page: Path) -> str:
    """The page with the output that its commands print now. Raises RuntimeError if a command fails."""
    text = page.read_text("utf-8")
    shown: dict[Block, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for ran in run(page, Path(folder)):
            if ran.status:
                raise RuntimeError(f"{page.name}: {ran.step.command}\n{ran.stderr}")
            got = ran.stdout.splitlines()
            fits = agree(ran.step.expected, got)
            lines = ran.step.expected if fits else [masked(line) for line in got]
            shown.setdefault(ran.block, []).extend([f"$ {ran.step.command}", *lines])
    for block in sorted((b for b in shown if b.language == "console"), key=lambda b: b.start, reverse=True):
        text = text[: block.start] + "".join(f"{line}\n" for line in shown[block]) + text[block.end :]
    return text


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(rewritten(Path(name)), "utf-8")
