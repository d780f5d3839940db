"""Play a story with one set of versions: the clients' logs, and what the broker said about the group."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from recorders.broker import fetch
from recorders.broker.kafka import Kafka
from recorders.defects.old_kafka import OldKafka
from recorders.defects.stories import Played, Versions
from recorders.timelines.real_clients import Process
from recorders.timelines.real_recording import lines_of

CLIENTS = Path(__file__).with_name("clients")
GROUP = "billing"
PARTITIONS = 4
PYTHON = "3.8"
"""The newest for which all these old clients have wheels."""
PROPERTIES = {"group.initial.rebalance.delay.ms": "1000"}


def record(story: Played, versions: Versions, folder: Path) -> None:
    """Play it, and write `broker.log` and `<member>.log` into `folder`. Raises Unavailable.

    Members are killed at the end, when nothing is written any more: the logs end in the middle of the story.
    """
    with tempfile.TemporaryDirectory(prefix="groupsim-defect-") as name, ExitStack() as stack:
        scratch = Path(name)
        python = _environment(scratch / "environment", versions.packages)
        kafka = _kafka(versions.kafka, scratch, stack)
        for topic in story.topics:
            kafka.create_topic(topic, PARTITIONS)
        program = str(CLIENTS / f"{story.client}_member.py")
        began = time.monotonic()
        for member in story.members:
            time.sleep(max(0.0, began + member.at_s - time.monotonic()))
            what = (str(kafka.port), member.name, ",".join(member.topics), GROUP)
            process = Process([python, program, *what, *member.settings], scratch / f"{member.name}.log")
            stack.callback(process.end)
        time.sleep(max(0.0, began + story.end_s - time.monotonic()))
        folder.mkdir(parents=True, exist_ok=True)
        log = kafka.log if isinstance(kafka, OldKafka) else kafka.nodes[0].log
        (folder / "broker.log").write_text("\n".join(lines_of(_lines(log), GROUP)) + "\n", "utf-8")
        for member in story.members:
            said = (line for line in _lines(scratch / f"{member.name}.log") if not re.search(story.drop, line))
            text = "\n".join(said).replace(f"{scratch / 'environment'}/lib/python{PYTHON}/", "")
            (folder / f"{member.name}.log").write_text(text + "\n", "utf-8")


def _kafka(version: str, scratch: Path, stack: ExitStack) -> Kafka | OldKafka:
    if version == fetch.VERSION:
        return stack.enter_context(Kafka(PROPERTIES))
    return stack.enter_context(OldKafka(version, scratch))


def _environment(folder: Path, packages: tuple[str, ...]) -> str:
    """A Python of its own with these packages; where it is. Raises Unavailable."""
    uv = Path(sys.executable).with_name("uv")
    python = str(folder / "bin" / "python")
    commands = (["venv", "--python", PYTHON, str(folder)], ["pip", "install", "--python", python, *packages])
    for command in commands:
        done = subprocess.run([uv, "--quiet", *command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise fetch.Unavailable(f"uv {command[0]} failed: {done.stderr.strip()[-300:]}")
    return python


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8", "replace").splitlines()
