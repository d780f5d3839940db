"""`groupsim conformance`: the simulator compared with recordings of a real Kafka."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from groupsim.cli import output
from groupsim.cli.assign import open_lines
from groupsim.cli.errors import BadRequest
from groupsim.cli.options import seed_range
from groupsim.cli.predict import predict

app = typer.Typer(help="Compare the simulator with recordings of a real Kafka.", no_args_is_help=True)
app.command()(predict)
FilesArgument = Annotated[list[str], typer.Argument(metavar="FILE...", help="Scripts as JSON Lines, also .gz.")]
RecordingsArgument = Annotated[list[str], typer.Argument(metavar="recording.json...", help="Recorded runs, also .gz.")]
SeedsOption = Annotated[str, typer.Option("--seeds", metavar="A:B", help="The seeds from A up to B - 1.")]
JsonlOption = Annotated[str, typer.Option("--format", metavar="jsonl", help="Only jsonl is supported.")]


def _read(text: bytes) -> Any:
    """JSON; Python's reader also takes what JSON does not have. Raises OverflowError for a number without an end."""
    return json.loads(text, parse_float=_finite, parse_constant=_finite)


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise OverflowError(f"{text} is no finite number")
    return value


def scripts(file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a file of scripts, numbered from 1. Raises BadRequest."""
    with open_lines(file) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = _read(line)
            except (ValueError, OverflowError, RecursionError) as error:
                raise BadRequest(f"{file}, line {number}: not JSON ({error})") from None
            if not isinstance(record, dict) or not isinstance(record.get("steps"), list):
                raise BadRequest(f"{file}, line {number}: not a script (an object with `steps` is expected)")
            yield number, record


def with_topic_ids(file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The scripts of a file with the topic ids that the index beside it has. Raises BadRequest."""
    from groupsim.conformance.scripts.groups.topics import beside
    from groupsim.conformance.scripts.groups.topics import with_topic_ids as known
    from groupsim.conformance.scripts.script import BadScript

    try:
        ids = beside(Path(file))
    except BadScript as error:
        raise BadRequest(str(error)) from None
    return ((number, known(record, ids)) for number, record in scripts(file))


def recording(file: str) -> dict[str, Any] | None:
    """The recorded run in a file, or in recording.json of a folder; None if the file holds something else.

    Raises BadRequest if it can't be read.
    """
    inside = Path(file) / "recording.json"
    with open_lines(str(inside) if inside.is_file() else file) as lines:
        try:
            record = _read(b"".join(lines))
        except OverflowError as error:
            raise BadRequest(f"{file}: {error}") from None
        except (ValueError, RecursionError):
            return None
    return record if isinstance(record, dict) and "actions" in record else None


@app.command()
def play(files: FilesArgument, form: JsonlOption = "jsonl") -> None:
    """Play request scripts against the simulated coordinator and print each line with its answers.

    Example: groupsim conformance play cases.jsonl.gz
    """
    from groupsim.conformance.scripts.play import play as play_one
    from groupsim.conformance.scripts.script import BadScript

    _only_jsonl(form)
    for file in files:
        for number, record in with_topic_ids(file):
            try:
                output.write_json(play_one(record))
            except BadScript as error:
                raise BadRequest(f"{file}, line {number}: {error}") from None


@app.command()
def reenact(files: RecordingsArgument, seeds: SeedsOption = "0:1", form: JsonlOption = "jsonl") -> None:
    """Simulate recorded runs: one line per recording and seed, in the format of the recording.

    Example: groupsim conformance reenact recording.json --seeds 0:50
    """
    from groupsim.conformance.timelines.recording import BadRecording
    from groupsim.conformance.timelines.reenact import reenact as reenact_one

    _only_jsonl(form)
    wanted = seed_range(seeds)
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
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Scripts or recorded runs, also .gz.")],
    seeds: SeedsOption = "0:20",
) -> None:
    """Play scripts, simulate recorded runs under every seed, and compare the results with the recordings.

    Example: groupsim conformance check cases.jsonl.gz matrix.jsonl.gz
    """
    wanted = seed_range(seeds)
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
    """Print how many scripts and steps are equal, and the first difference. Returns whether one differs."""
    from groupsim.conformance.scripts.check import Shares
    from groupsim.conformance.scripts.script import BadScript

    shares = Shares()
    for number, record in with_topic_ids(file):
        try:
            shares.add(record)
        except (BadScript, KeyError) as error:
            raise BadRequest(f"{file}, line {number}: {error}") from None
    print(f"{output.plain(file)}  {shares.equal} equal  {shares.different} different")
    of_steps = shares.of_steps()
    if of_steps is not None:
        print(f"  {of_steps}")
    if shares.first is not None:
        print(f"  first difference: {output.plain(shares.first)}")
    return shares.first is not None


def _check_recording(file: str, record: dict[str, Any], seeds: range) -> bool:
    """Print the share of equal seeds, the first difference, and the error of each duration.

    Returns whether something differs under every seed.
    """
    from groupsim.conformance.timelines.deviation import Duration, deviation
    from groupsim.conformance.timelines.recording import BadRecording

    try:
        found = deviation(record, seeds)
    except BadRecording as error:
        raise BadRequest(f"{file}: {error}") from None
    verdict = "equal" if found.difference is None else "different"
    shares = (
        f"generations {found.generations:.0%}, callbacks {found.callbacks:.0%}, "
        f"unavailable partitions {found.unavailable_partitions:.0%}"
    )
    print(f"{output.plain(file)}  {verdict}  agreement over {found.seeds} seeds: {shares}")
    if found.difference is not None:
        print(f"  first difference: {output.plain(found.difference)}")

    def described(d: Duration) -> str:
        span_ms = f"{d.least_ms:,}–{d.most_ms:,}"
        return f"{d.recorded_ms:,} ms recorded, {d.median_ms:,} ({span_ms}) simulated, error {d.error_ms:+,}"

    print(f"  unavailable, all partitions: {described(found.total)}")
    for duration in found.partitions:
        print(f"  unavailable, {output.plain(duration.partition)}: {described(duration)}")
    return found.difference is not None
