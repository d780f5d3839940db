"""`groupsim conformance predict`: what-ifs on recorded runs, scored against the recorded runs of the other choice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.options import FormatOption, seed_range
from groupsim.cli.output import Format
from groupsim.cli.progress import progress
from groupsim.wording.numbers import counted

if TYPE_CHECKING:
    from groupsim.conformance.predictions.results import AskedRun, Setting
    from groupsim.conformance.predictions.score import Pair

SEEDS = "0:10"
_WORST = 10
_LONGEST = 120
COLUMNS = ("family", "pairs", "clear", "sign_right", "median_error", "p90_error", "inside")
WORST_COLUMNS = ("run", "asked", "real_ms", "predicted_ms", "error", "sign", "misread")


def predict(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of recordings, each with its logs.")],
    pairs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="At most so many pairs, a sample of all families.")
    ] = None,
    seeds: Annotated[
        str, typer.Option("--seeds", metavar="A:B", help="The seeds from A up to B - 1 of every what-if.")
    ] = SEEDS,
    minutes: Annotated[
        float | None, typer.Option(metavar="M", min=0, help="Begin no further run after so many minutes.")
    ] = None,
    known: Annotated[bool, typer.Option("--known", help="Give each what-if the true timeouts of the group.")] = False,
    actions: Annotated[
        bool, typer.Option("--actions", help="Re-enact the recorded actions and settings instead of reading the logs.")
    ] = False,
    across: Annotated[
        bool, typer.Option("--across", help="Pairs of the two group protocols, and no others (KIP-848).")
    ] = False,
    results: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the results here; what a file holds is not asked again.")
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, help="So many processes at once.")] = 1,
    form: FormatOption = Format.TABLE,
) -> None:
    """Score what-ifs: import the logs of each recorded run, ask for the other choices, compare with the truth.

    A pair is a run and another choice that its family of recordings has. The measure on both sides: the time, over all
    partitions, without a live owner, from just before the first fault to the end of the run; of the choice asked for,
    the median of its repetitions. sign-right counts only pairs whose real medians differ by more than 20 % (and 500
    partition-ms) and whose repetitions do not overlap. inside: the truth lies between the least and the most of the
    seeds.

    Example: groupsim conformance predict recordings --pairs 40 --results predictions.jsonl
    """
    from groupsim.conformance.predictions import score
    from groupsim.conformance.predictions.families import read_folder
    from groupsim.conformance.predictions.results import Evidence
    from groupsim.conformance.predictions.scoring import Budget, score_runs, setting_of

    if known and actions:
        raise BadRequest("--known and --actions exclude each other: the recorded actions come with the true timeouts")
    if form not in (Format.TABLE, Format.JSON):
        raise BadRequest(f"--format must be table or json for predict, not {form}")
    wanted = seed_range(seeds)
    evidence = Evidence.KNOWN if known else Evidence.ACTIONS if actions else Evidence.LOGS
    if across and actions:
        raise BadRequest("--across and --actions exclude each other: recorded actions are of one protocol")
    runs, left_out = read_folder(folder, across=across)
    if left_out:
        what = "of the consumer protocol without the group's own times, or of both protocols"
        output.note(f"note: {counted(left_out, 'recording')} {what}: left out")
    budget = Budget(pairs, None if minutes is None else minutes * 60, jobs)
    setting = setting_of(folder, runs, wanted, evidence, left_out, across=across)
    with progress("predicting") as bar:
        setting, asked = score_runs(runs, setting, results, budget, bar)
    scored = score.pairs(setting, asked)[:pairs]
    if form is Format.JSON:
        output.write_json(_as_json(setting, asked, scored))
    else:
        _print(setting, asked, scored)


def _print(setting: Setting, asked: Sequence[AskedRun], scored: Sequence[Pair]) -> None:
    from groupsim.conformance.predictions.score import figures

    output.table(_by_family(scored), COLUMNS)
    output.table(list(_worst(scored)), WORST_COLUMNS, title="\ngreatest errors")
    for sentence in _refused(asked):
        output.note(f"note: {sentence}")
    for line in _noise(setting, asked):
        print(line)
    print(figures(scored).line())


def _by_family(scored: Sequence[Pair]) -> list[dict[str, Any]]:
    from groupsim.conformance.predictions.score import figures, percent

    found: dict[str, list[Pair]] = defaultdict(list)
    for pair in scored:
        found[pair.family].append(pair)
    shares = ("sign_right", "median_error", "p90_error", "inside")
    rows = []
    for family, own in sorted(found.items()):
        over = figures(own)
        rows.append(
            {
                "family": family,
                "pairs": over.pairs,
                "clear": over.clear,
                **{name: percent(getattr(over, name)) for name in shares},
            }
        )
    return rows


def _worst(scored: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """The pairs with the greatest errors, and what their logs were misread to say."""
    from groupsim.conformance.predictions.score import percent

    for pair in sorted((p for p in scored if p.answered), key=lambda p: -p.error)[:_WORST]:
        yield {
            "run": pair.run,
            "asked": pair.asked,
            "real_ms": round(pair.real),
            "predicted_ms": round(pair.predicted),
            "error": percent(pair.error),
            "sign": None if not pair.clear else "right" if pair.sign_right else "wrong",
            "misread": _shortened("; ".join(pair.misread)) or None,
        }


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _refused(asked: Sequence[AskedRun]) -> list[str]:
    """Which choices of which runs have no answer, and why."""
    return [
        f"{run.run}, {answer.choice}: no answer: {answer.refused}"
        for run in asked
        for answer in (run.baseline, *run.answers)
        if answer.refused is not None
    ]


def _noise(setting: Setting, asked: Sequence[AskedRun]) -> Iterator[str]:
    """Two lines on the noise floor."""
    from groupsim.conformance.predictions.noise import noise_floor
    from groupsim.conformance.predictions.score import percent

    floor = noise_floor(setting, asked)
    named = ((floor.repetitions, "one repetition against the others"), (floor.seeds, "one seed against the median"))
    for noise, what in named:
        yield f"noise floor, {what}: median {percent(noise.median)}  p90 {percent(noise.p90)}  of {noise.number}"


def _as_json(setting: Setting, asked: Sequence[AskedRun], scored: Sequence[Pair]) -> dict[str, Any]:
    from groupsim.conformance.predictions.noise import noise_floor
    from groupsim.conformance.predictions.score import figures

    total = figures(scored)
    return {
        "folder": setting.folder,
        "evidence": setting.evidence,
        "seeds": list(setting.seeds),
        "date": setting.date,
        "version": setting.version,
        "left_out": setting.left_out,
        **asdict(total),
        "line": total.line(),
        "noise": asdict(noise_floor(setting, asked)),
        "rows": [_row(pair) for pair in scored],
        "refused": _refused(asked),
    }


def _row(pair: Pair) -> dict[str, Any]:
    answered = pair.answered
    return {
        **asdict(pair),
        "real": pair.real,
        "predicted": pair.predicted if answered else None,
        "clear": pair.clear,
        "sign_right": pair.sign_right if answered else None,
        "error": pair.error if answered else None,
        "inside": pair.inside if answered else None,
    }
