"""`groupsim conformance`: our coordinator and our consumers beside recordings of real ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from groupsim.cli import output
from groupsim.cli.assign import opened
from groupsim.cli.errors import BadRequest
from groupsim.cli.fuzz import span

app = typer.Typer(help="The simulator held against recordings of a real Kafka.", no_args_is_help=True)
FilesArgument = Annotated[list[str], typer.Argument(metavar="FILE...", help="Scripts, JSON Lines; .gz is read too.")]
RecordingsArgument = Annotated[
    list[str], typer.Argument(metavar="recording.json...", help="Recorded runs; .gz is read too.")
]
SeedsOption = Annotated[str, typer.Option("--seeds", metavar="A:B", help="From seed A up to, not including, B.")]
JsonlOption = Annotated[str, typer.Option("--format", metavar="jsonl", help="jsonl is the only one.")]


def scripts(file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a file of scripts, numbered from 1. Raises BadRequest."""
    with opened(file) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise BadRequest(f"{file}, line {number}: not JSON ({error})") from None
            if not isinstance(record, dict) or not isinstance(record.get("steps"), list):
                raise BadRequest(f"{file}, line {number}: not a script (an object with `steps` is expected)")
            yield number, record


def recording(file: str) -> dict[str, Any] | None:
    """A file that is one recorded run, or a folder of its recording.json; None if it is something else. Raises
    BadRequest where it can't be read."""
    inside = Path(file) / "recording.json"
    with opened(str(inside) if inside.is_file() else file) as lines:
        try:
            record = json.loads(b"".join(lines))
        except ValueError:
            return None
    return record if isinstance(record, dict) and "actions" in record else None


@app.command()
def play(files: FilesArgument, form: JsonlOption = "jsonl") -> None:
    """Play scripts of requests and print each line again with the simulator's answers.

    Example: groupsim conformance play cases.jsonl.gz
    """
    from groupsim.conformance.scripts.play import BadScript
    from groupsim.conformance.scripts.play import play as play_one

    _only_jsonl(form)
    for file in files:
        for number, record in scripts(file):
            try:
                output.write_json(play_one(record))
            except BadScript as error:
                raise BadRequest(f"{file}, line {number}: {error}") from None


@app.command()
def reenact(files: RecordingsArgument, seeds: SeedsOption = "0:1", form: JsonlOption = "jsonl") -> None:
    """Re-enact recorded runs in the simulator: one line per recording and seed, in the recording's own form.

    Example: groupsim conformance reenact recording.json --seeds 0:50
    """
    from groupsim.conformance.timelines.recording import BadRecording
    from groupsim.conformance.timelines.reenact import reenact as reenact_one

    _only_jsonl(form)
    wanted = span(seeds)
    for file in files:
        record = recording(file)
        if record is None:
            raise BadRequest(f"{file}: not a recorded run (one JSON object with `actions` is expected)")
        try:
            for seed in wanted:
                output.write_json(reenact_one(record, seed))
        except BadRecording as error:
            raise BadRequest(f"{file}: {error}") from None


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Scripts or recorded runs; .gz is read too.")],
    seeds: SeedsOption = "0:20",
) -> None:
    """Play scripts and re-enact recorded runs (under every seed), and compare with what was recorded.

    Example: groupsim conformance check cases.jsonl.gz matrix.jsonl.gz
    """
    wanted = span(seeds)
    differs = False
    for file in files:
        record = recording(file)
        differs |= _check_scripts(file) if record is None else _check_recording(file, record, wanted)
    if differs:
        raise typer.Exit(1)


def _only_jsonl(form: str) -> None:
    if form != "jsonl":
        raise BadRequest(f"--format must be jsonl, not {form!r}")


def _check_scripts(file: str) -> bool:
    """Prints equal or different with the first difference; whether something differs."""
    from groupsim.conformance.scripts.compare import difference
    from groupsim.conformance.scripts.play import BadScript
    from groupsim.conformance.scripts.play import play as play_one

    equal, different, first = 0, 0, None
    for number, record in scripts(file):
        try:
            found = difference(record, play_one(record))
        except (BadScript, KeyError) as error:
            raise BadRequest(f"{file}, line {number}: {error}") from None
        if found is None:
            equal += 1
            continue
        different += 1
        first = first or f"{record.get('name')}: {found}"
    print(f"{output.plain(file)}  {equal} equal  {different} different")
    if first is not None:
        print(f"  first difference: {output.plain(first)}")
    return first is not None


def _check_recording(file: str, record: dict[str, Any], seeds: range) -> bool:
    """Prints what is equal under how many seeds, what no seed shows, and the error of each duration."""
    from groupsim.conformance.timelines.deviation import Duration, deviation
    from groupsim.conformance.timelines.recording import BadRecording

    try:
        found = deviation(record, seeds)
    except BadRecording as error:
        raise BadRequest(f"{file}: {error}") from None
    verdict = "equal" if found.difference is None else "different"
    shares = (
        f"generations {found.generations:.0%}, callbacks {found.callbacks:.0%}, stood still {found.stood_still:.0%}"
    )
    print(f"{output.plain(file)}  {verdict}  of {found.seeds} seeds: {shares}")
    if found.difference is not None:
        print(f"  first difference: {output.plain(found.difference)}")

    def told(d: Duration) -> str:
        span_ms = f"{d.least_ms:,}–{d.most_ms:,}"
        return f"{d.recorded_ms:,} ms recorded, {d.median_ms:,} ({span_ms}) simulated, error {d.error_ms:+,}"

    print(f"  unavailable, all partitions: {told(found.total)}")
    for duration in found.partitions:
        print(f"  unavailable, {output.plain(duration.partition)}: {told(duration)}")
    return found.difference is not None
