"""What the core alone costs: size and time of an installation of the wheel into an empty environment, and of an import.

    python -m benchmarks.installation

Packages are downloaded anew. Then that environment, outside of the checkout, imports a recorded incident, explains it,
asks a what-if and writes a report. Aims: less than 250 MB and 30 s; `import groupsim` in less than 0.1 s.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
TIMES = 10
WORK = """
import groupsim
logs = groupsim.example("kill9-range")
print(groupsim.explain(logs).answer)
run = groupsim.import_logs(logs)
print(run.headline)
print(run.what_if(settings={"session.timeout.ms": 6_000}, seeds=range(6)).answer)
print(run.report("report.html").name)
"""


def took(command: list[str], folder: Path) -> tuple[float, float, str]:
    """Seconds of a command, of its processors, and what it printed on stderr, or else on stdout."""
    used, began = _used(), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=_outside(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return time.perf_counter() - began, _used() - used, done.stderr or done.stdout


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _outside() -> dict[str, str]:
    """The environment without what would let an interpreter find this checkout."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def size(folder: Path) -> float:
    """Megabytes of all files."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink()) / 1e6


def imported_ms(printed: str) -> float:
    """Of what `-X importtime` prints, the milliseconds of `import groupsim` with all that it imports."""
    (line,) = (line for line in printed.splitlines() if line.endswith("| groupsim"))
    return int(line.split("|")[1]) / 1_000


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        quiet = ["--quiet", "--disable-pip-version-check"]
        wheel = ["-m", "pip", "wheel", *quiet, "--no-deps", "--no-build-isolation", "--wheel-dir", name, str(ROOT)]
        took([sys.executable, *wheel], folder)
        (built,) = folder.glob("*.whl")
        took([sys.executable, "-m", "venv", str(folder / "empty")], folder)
        python = str(folder / "empty" / "bin" / "python")
        before = size(folder / "empty")
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        clock, cpu, _ = took([python, "-m", "pip", "install", *quiet, "--no-cache-dir", str(built)], folder)
        print(f"install     {clock:6.1f} s, CPU {cpu:5.1f} s, {size(folder / 'empty') - before:,.0f} MB")
        clock, cpu, said = took([python, "-c", WORK], folder)
        print(f"use         {clock:6.1f} s, CPU {cpu:5.1f} s: explain, import, what-if, report")
        print("".join(f"            {line}\n" for line in said.splitlines()), end="")
        importing = [python, "-X", "importtime", "-c", "import groupsim"]
        times = [imported_ms(took(importing, folder)[2]) for _ in range(TIMES)]
        print(f"import      {median(times):6.0f} ms, median of {TIMES}, {min(times):.0f} to {max(times):.0f}")


if __name__ == "__main__":
    main()
