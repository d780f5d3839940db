"""`groupsim record`: what `__consumer_offsets` says of some groups, while it is written."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.wording.numbers import counted

_SPAN = re.compile(r"(\d{1,9})(ms|s|m|h|d)")
_UNITS_S = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}


def record(
    bootstrap: Annotated[str, typer.Option("--bootstrap", metavar="HOST:PORT", help="Brokers, separated by commas.")],
    groups: Annotated[list[str], typer.Option("--group", metavar="G", help="The group; may be repeated.")],
    lasts: Annotated[
        str | None,
        typer.Option("--for", metavar="TIME", help="How long: 30s, 10m, 2h; 0s for what is there. Default: to Ctrl-C."),
    ] = None,
    path: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The recording; it is continued.")] = (
        Path("offsets-topic.jsonl")
    ),
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings of librdkafka, KEY=VALUE lines: sasl.username=..."),
    ] = None,
) -> None:
    """Record what Kafka keeps of groups in __consumer_offsets, as a file that `import` reads.

    It reads the history that is there, then what is written. It joins no group and commits nothing.

    Example: groupsim record --bootstrap broker:9092 --group billing --for 10m -o billing.jsonl
    """
    from groupsim.incidents.offsets_topic import live

    span_s = None if lasts is None else _seconds(lasts)
    settings = {} if config is None else _settings(config)
    ends = None if span_s is None else time.monotonic() + span_s
    written = 0
    caught_up = False

    def progress(records: int, at_end: bool) -> None:
        nonlocal written, caught_up
        if at_end and not caught_up:
            caught_up = True
            more = "; waiting for new ones, Ctrl-C ends" if ends is None else ""
            output.note(f"{counted(records, 'record')} of the past{more}")
        written = records

    try:
        live.record(
            bootstrap,
            groups,
            path,
            settings=settings,
            ended=lambda: ends is not None and time.monotonic() >= ends,
            progress=progress,
            said=output.note,
        )
    except KeyboardInterrupt:
        if ends is not None or not caught_up:
            output.note(f"{counted(written, 'record')} in {path}; the same command continues")
            raise
    output.note(f"{counted(written, 'record')} in {path}")
    output.note(f"next: groupsim import {path}" + "".join(f" --group {group}" for group in groups))


def _seconds(text: str) -> float:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise BadRequest(f"--for {text!r}: expected a number with its unit: 30s, 10m, 2h")
    return int(found[1]) * _UNITS_S[found[2]]


def _settings(path: Path) -> dict[str, str]:
    """KEY=VALUE lines; empty ones and those with # at the beginning are comments."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{path} can't be read: {getattr(error, 'strerror', None) or 'it is no text'}") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        key, equals, value = line.strip().partition("=")
        if not key or key.startswith("#"):
            continue
        if not equals:
            raise BadRequest(f"{path}:{number}: expected KEY=VALUE")
        found[key.strip()] = value.strip()
    return found
