"""How fast logs are passed over and read: `python -m benchmarks.incidents [MEGABYTES] [BIG_MEGABYTES]`.

The log is a web shop's, with a line about a group now and then (one of 10,000), and none in a second one. Beside
the reader stands `grep -cE` of the words that it looks for. Seconds are the processor's, which a busy machine does not
stretch; ratios are of one run, medians of five. Where BIG_MEGABYTES is given, a log of that size is imported by the
program, and its memory compared with that of an import of a tenth of it.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from groupsim.incidents.logs.reader import LogReader
from groupsim.incidents.logs.scanned_words import KEYWORDS

AIM = 200_000
REPEATS = 5
NOISE = (
    "[2024-03-01 10:{m:02d}:{s:02d},{n:03d}] INFO GET /basket/{n}/items?page=2 answered 200 in {n} ms"
    " [trace 7f3a9c{n:06d}] (shop.web.AccessLog)\n"
)
JOIN = (
    "[2024-03-01 10:{m:02d}:{s:02d},{n:03d}] INFO [Consumer clientId=c{n}, groupId=billing] (Re-)joining group"
    " (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
)


def write(path: Path, megabytes: int, *, groups: bool) -> int:
    """A log of about so many megabytes; how many lines it has."""
    lines = [NOISE.format(m=n // 60 % 60, s=n % 60, n=n % 1000) for n in range(10_000)]
    if groups:
        lines[5000] = JOIN.format(m=1, s=1, n=1)
    block = "".join(lines).encode()
    turns = max(1, megabytes * 1_000_000 // len(block))
    with path.open("wb") as file:
        for _ in range(turns):
            file.write(block)
    return turns * len(lines)


def reading(path: Path) -> float:
    """Seconds to read a log."""
    began = time.process_time()
    for _ in LogReader(path):
        pass
    return time.process_time() - began


def grepping(path: Path) -> float:
    """Seconds for grep to count the lines with any of the words."""
    pattern = "|".join(word.decode().replace("[", r"\[") for word in KEYWORDS)
    return child(["grep", "-cE", pattern, str(path)])[0]


def child(command: list[str]) -> tuple[float, int]:
    """Processor seconds and the largest resident size (MB) of a program; its output is thrown away.

    It goes into a pipe: grep stops at the first match where it writes to /dev/null.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss // 1024


def compare(folder: Path, megabytes: int) -> bool:
    """Print lines a second and the ratio to grep; whether the aim is met."""
    met = True
    for name, groups in (("no line about groups", False), ("one in 10,000 about a group", True)):
        path = folder / "shop.log"
        lines = write(path, megabytes, groups=groups)
        took = [(reading(path), grepping(path)) for _ in range(REPEATS)]
        speed = lines / statistics.median(read for read, _ in took)
        ratio = statistics.median(read / grep for read, grep in took)
        met = met and speed >= AIM
        print(
            f"{name:28} {lines:,} lines  {speed:,.0f} lines/s of one core  {ratio:.2f} x the time of grep -E"
            f"  {'ok' if speed >= AIM else 'SLOWER THAN THE AIM'}"
        )
    return met


def memory(folder: Path, megabytes: int) -> None:
    """Print what imports of a long log and of a tenth of it hold at most: constant, so about the same."""
    program = [sys.executable, "-m", "groupsim.cli.main", "incident", "import"]
    for size in (megabytes // 10, megabytes):
        path = folder / "big.log"
        lines = write(path, size, groups=False)
        with path.open("ab") as file:
            file.write((JOIN.format(m=59, s=1, n=1) + JOIN.format(m=59, s=2, n=1)).encode())
        seconds, resident = child([*program, str(path), "--store", f"sqlite:///{folder / 'store.db'}"])
        print(f"import of {size:,} MB, {lines:,} lines: {seconds:.1f} s of one core, {resident:,} MB resident at most")


def main() -> int:
    """0 if the aim is met."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        met = compare(Path(folder), megabytes)
        if len(sys.argv) > 2:
            memory(Path(folder), int(sys.argv[2]))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
