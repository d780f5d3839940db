"""What an explanation costs beside the reading of its log: `python -m benchmarks.explain [--lines N]`.

Logs of N lines, every one about a group: the logs of examples/ again and again, two minutes later each time. Seconds
are the processor's; the start of the program is left out, and so is the trial of remedies.
"""

from __future__ import annotations

import argparse
import gzip
import re
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.to_text import as_text
from groupsim.incidents.logs.reading import read_files

EXAMPLES = Path(__file__).parent.parent / "examples"
LOGS = {
    "broker, members that die": "incidents/kill9-range/broker.log.gz",
    "broker, restarts": "incidents/rolling-restart-range/broker.log.gz",
    "Java client, poll timeouts": "incidents/max-poll-range/m2.0.log.gz",
    "Java client, cooperative": "incidents/rolling-restart-cooperative/m1.1.log.gz",
}
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}")
_AGAIN = timedelta(minutes=2)


def repeated(log: Path, lines: int) -> Iterator[str]:
    """So many lines of a log that is written again and again, each time later."""
    text = gzip.decompress(log.read_bytes()).decode().splitlines()
    for number in range(lines):
        later = number // len(text) * _AGAIN
        yield _TIME.sub(lambda found, later=later: _later(found[0], later), text[number % len(text)], count=1)  # type: ignore[misc]


def _later(stamp: str, by: timedelta) -> str:
    return f"{datetime.strptime(stamp, '%Y-%m-%d %H:%M:%S,%f') + by:%Y-%m-%d %H:%M:%S,%f}"[:-3]


def main() -> None:
    """Print the seconds of each log: reading, explanation, and all as a multiple of reading."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=10_000)
    lines = parser.parse_args().lines
    print(f"{'log':<28}{'lines':>8}{'read s':>9}{'explain s':>11}{'all / read':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for name, example in LOGS.items():
            log = Path(folder) / "some.log"
            log.write_text("\n".join(repeated(EXAMPLES / example, lines)))
            read_files([log])  # compiles patterns
            begun = time.process_time()
            reading = read_files([log])
            read = time.process_time()
            explanation = explain_reading(reading)
            assert explanation is not None
            list(as_text(explanation))
            done = time.process_time()
            ratio = (done - begun) / (read - begun)
            print(f"{name:<28}{lines:>8,}{read - begun:>9.2f}{done - read:>11.2f}{ratio:>12.2f}", flush=True)


if __name__ == "__main__":
    main()
