"""The logs of a recorded run: a group's lines of the broker's log, and what each client wrote from its start on."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from recorders.timelines.real_group import RealGroup, log_name
from recorders.timelines.real_recording import lines_of

AT = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] ")
SINCE_1970 = re.compile(r"%\d\|(\d{10}\.\d{3})\|")
"""How a line of librdkafka begins."""
CONFIG_BLOCK = "ConsumerConfig values:"


def log_records(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Records of a log, also of several lines, with their times (UTC ms since 1970); what has no time is left out."""
    at_ms, text = 0, ""
    for line in lines:
        if (stamp := _stamp(line)) is not None:
            if text:
                yield at_ms, text
            at_ms, text = stamp, ""
        elif not text:
            continue
        text += line.rstrip("\n") + "\n"
    if text:
        yield at_ms, text


def _stamp(line: str) -> int | None:
    if seconds := SINCE_1970.match(line):
        return round(float(seconds[1]) * 1000)
    if stamped := AT.match(line):
        at = datetime.strptime(stamped[1], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
        return round(at.timestamp() * 1000)
    return None


def client_log(lines: Iterable[str], from_ms: int, to_ms: int, prints_config: bool) -> str:
    """What a client wrote in a time (UTC ms since 1970): the process has warmed up before."""
    records = [text for at_ms, text in log_records(lines) if from_ms <= at_ms <= to_ms]
    return "".join(text for text in records if prints_config or CONFIG_BLOCK not in text)


def write_logs(folder: Path, group: RealGroup, written: Path, broker: Iterable[str], prints_config: bool) -> None:
    """All logs of a run, compressed. `written`: what its processes wrote; `broker`: the broker's lines."""
    folder.mkdir(parents=True, exist_ok=True)
    end_ms = group.began_ms + group.run.end_ms
    of_group = [line for line in lines_of(broker, group.run.group) if AT.match(line)]
    in_time = (text for at_ms, text in log_records(of_group) if group.began_ms <= at_ms <= end_ms)
    _write(folder / "broker.log.gz", "".join(in_time))
    for (label, incarnation), process in group.processes.items():
        started_ms = next((e["at_ms"] for e in process.events if e["kind"] == "start"), end_ms)
        name = log_name(label, incarnation)
        with (written / name).open(errors="replace") as lines:
            _write(folder / f"{name}.gz", client_log(lines, started_ms, end_ms, prints_config))


def _write(file: Path, text: str) -> None:
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
