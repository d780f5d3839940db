"""What `groupsim whatif` prints: the answer, the table of choices, what it rests on."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from groupsim.analysis.tables.headline import amount
from groupsim.api.what_if_rows import generations_of
from groupsim.cli import output
from groupsim.wording.numbers import counted, partition_seconds, partition_time, percent, seconds, with_range
from groupsim.wording.seeds import seed_changes_nothing
from groupsim.wording.times import duration

if TYPE_CHECKING:
    from groupsim.replay.ask import Answer
    from groupsim.replay.choice_result import ChoiceResult, Range
    from groupsim.replay.replayable import ReplayableRun
    from groupsim.replay.rests_on import Basis

BASIS = (
    "Given by you:",
    "Inferred from the logs:",
    "Unknown, so each seed draws a value:",
    "Assumptions, because the recording does not show it:",
)
"""Titles of what is given, inferred, drawn and assumed."""
GENERATIONS = ("generation", "cause", "members", "join_recorded_ms", "join_ms", "sync_recorded_ms", "sync_ms", "note")


def print_answer(incident: ReplayableRun, answer: Answer) -> None:
    """For people: the sentence, the table, and what both rest on."""
    from groupsim.replay.choice_result import MEASURES
    from groupsim.replay.sentences.all_choices import starting
    from groupsim.replay.sentences.one_choice import line
    from groupsim.replay.verdict import Verdict

    print(output.plain(answer.headline))
    baseline, *choices = answer.results
    if not incident.window.given:
        what = "recorded" if incident.incident is not None else "this run"
        print(f"{what}: unavailable {output.plain(amount(incident.unavailable))}")
    window = incident.window
    begins = "" if window.given else ", when the group first worked,"
    print(
        f"\n{output.plain(incident.name)}  group {output.plain(incident.group)}  "
        f"from {duration(window.from_ms)}{begins} to {duration(window.to_ms)}"
    )
    simulated, trust = counted(len(baseline.costs), "time"), answer.trust
    trusted = "" if trust.unknown or trust.low else f"; an amount to trust is this range, {_wider(answer)}"
    print(f"each simulated {simulated}, with another seed each time: median (least–most){trusted}")
    ranges = [result.unavailable_partition_ms for result in answer.results if result.costs]
    if len(baseline.costs) > 1 and all(cost.least == cost.most for cost in ranges):
        print(seed_changes_nothing(len(baseline.costs)))
    rows = [_shown(result, answer.verdict(result)) for result in answer.results]
    stuck = any(result.unpolled_partition_ms.most for result in answer.results if result.costs)
    columns = ("choice", *MEASURES, "versus_baseline", "versus_record", "verdict")
    output.table(rows, [name for name in columns if stuck or name != "unpolled_partition_ms"])
    for choice in choices:
        if answer.verdict(choice) is not Verdict.UNKNOWN:
            print(f"  {output.plain(line(choice, answer.trust))}")
    for result in answer.results:
        _print_humps(result)
    for sentence in answer.rests_on:
        print(output.plain(sentence))
    print(f"start-up, in no comparison: {output.plain(starting(answer.results))}")
    print()
    _print_fidelity(incident, answer)
    print_basis(answer.basis)


def print_basis(basis: Basis) -> None:
    """What an answer rests on besides the logs, each kind under its title."""
    for title, sentences in zip(BASIS, astuple(basis), strict=True):
        if sentences:
            print(title)
        for sentence in sentences:
            print(f"  {output.plain(sentence)}")


def _wider(answer: Answer) -> str:
    return f"widened by {percent(answer.trust.margin)}"


def _print_humps(result: ChoiceResult) -> None:
    """A small histogram, where the seeds fall into two kinds."""
    from groupsim.replay.spread import histogram

    if result.costs and len(result.modes) > 1:
        cost = result.unavailable_partition_ms
        drawn = histogram(result.values)
        print(f"{output.plain(result.choice)}: {cost.least:,} ▕{drawn}▏ {cost.most:,} partition-ms, by simulation")


def _print_fidelity(incident: ReplayableRun, answer: Answer) -> None:
    close, trusted = answer.close, answer.trust
    errors = ""
    if close.median_error_ms is not None:
        errors = (
            f"; the lengths of their phases differ from the record by {close.median_error_ms} ms (median),"
            f" {close.p95_error_ms} ms (p95)"
        )
    simulated = partition_time(trusted.replayed_ms)
    print(
        "compared is the time in which no running process held a partition, and not that in which one held it and"
        f" did not read: recorded {_recorded_cost(incident, answer)}; simulated exactly {simulated}"
    )
    played = counted(close.played, "generation")
    print(f"simulated exactly: {played}, {close.matched} of {close.recorded} as recorded{errors}")
    if differing := [row for row in generations_of(close) if row["note"]]:
        output.table(differing, GENERATIONS)


def _recorded_cost(incident: ReplayableRun, answer: Answer) -> str:
    if not incident.partitions_known:
        return "no log names a partition, so the unavailable time is unknown"
    known, unknown = partition_time(incident.cost.unavailable_partition_ms), incident.cost.unknown_ms
    least, most = incident.cost.range_ms
    if answer.trust.unknown is not None:
        known = f"at least {partition_time(least)}"
    elif most > least:
        bounds = f"{seconds(least)} to {seconds(most)}"
        why = "when a member died is known in bounds only"
        if incident.cost.precision.ms:
            why = incident.cost.precision.why()
        known = f"about {known} ({bounds}: {why})"
    return f"{known}; {partition_seconds(unknown)} are unknown from the logs" if unknown else known


def _shown(result: ChoiceResult, verdict: str | None) -> dict[str, Any]:
    """A row for people: medians with ranges, and differences in percent."""
    from groupsim.replay.choice import AS_RECORDED
    from groupsim.replay.choice_result import MEASURES
    from groupsim.wording.numbers import percent_change

    row: dict[str, Any] = {"choice": result.choice, "verdict": verdict}
    if result.costs:
        row |= {name: _ranged(getattr(result, name)) for name in MEASURES}
        row["versus_record"] = percent_change(result.versus_record)
    if result.choice == AS_RECORDED.name:
        return row
    return row | {"versus_baseline": percent_change(result.versus_baseline)}


def _ranged(found: Range) -> str:
    return with_range(*(f"{number:,}" for number in (found.median, found.least, found.most)), to="–")
