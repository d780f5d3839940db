"""How long some partitions were unavailable: in the answer of a run, of an import, and of logs that name partitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import groupsim
from groupsim.api.run import Run
from groupsim.diagnosis.answer import answered
from groupsim.diagnosis.explain import Explanation, explain_reading
from groupsim.diagnosis.finding import Outage
from groupsim.diagnosis.kept import explanation_of
from groupsim.diagnosis.times import outage_in_words
from groupsim.diagnosis.to_text import as_text
from groupsim.diagnosis.trying import with_trials
from groupsim.incidents.logs.reading import read_files

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"
KILLED = EXAMPLES / "kill9-range"


def logs_of_one_that_was_killed() -> list[Path]:
    return sorted(KILLED.glob("*.log.gz"))


def answer_of_logs() -> Explanation:
    reading = read_files(logs_of_one_that_was_killed())
    found = explain_reading(reading)
    assert found is not None
    return with_trials(found, reading)


def test_a_dead_owner_costs_more_than_the_pause_of_all() -> None:
    """Its partitions wait for its session; the others stop only while the group rebalances."""
    found = answer_of_logs()
    (group,) = found.groups
    assert group.stopped_ms is not None
    assert group.stopped_ms[1] is not None
    assert group.outage is not None
    least, most = group.outage.ms
    assert least is not None
    assert most is not None
    assert group.stopped_ms[1] < least < most
    assert "one or more partitions were unavailable for about " in found.answer
    assert any(line.startswith("some partitions of group ") and ": about " in line for line in as_text(found))


def test_its_import_says_the_same_sentence_and_the_same_figure() -> None:
    run = groupsim.import_logs(logs_of_one_that_was_killed())
    kept = explanation_of(run.store, run.info)
    assert kept is not None
    assert kept.groups[0].outage == answer_of_logs().groups[0].outage
    outage = run.total().outage
    assert outage is not None
    assert f"about {outage.total_seconds():.1f} s" in kept.answer


def test_the_outage_of_a_simulated_run_is_that_of_its_total() -> None:
    run = groupsim.run("everybody_too_slow", seed=1, settings={"host": "ideal"})
    found = explanation_of(run.store, run.info)
    assert found is not None
    assert found.groups[0].outage is not None
    outage = run.total().outage
    assert outage is not None
    outage_ms = round(outage.total_seconds() * 1_000)
    assert found.groups[0].outage.ms == (outage_ms, outage_ms)
    assert "one or more partitions were unavailable for" in found.answer


@pytest.mark.parametrize(
    ("outage", "said"),
    [
        (Outage((4_000, 4_000)), "4.0 s"),
        (Outage((4_200, 12_200), 7_200), "about 7.2 s"),
        (Outage((4_200, 12_200)), "4.2 s to 12.2 s"),
    ],
)
def test_how_long_it_lasted(outage: Outage, said: str) -> None:
    assert outage_in_words(outage) == said


def test_one_that_is_hardly_longer_or_not_bounded_is_not_in_the_answer() -> None:
    (group,) = answer_of_logs().groups
    for outage in (Outage((100, 190)), Outage((4_200, None)), Outage((100, 90_000))):
        assert "unavailable" not in answered([replace(group, outage=outage)])


def totals_of(run: Run) -> dict[str, int]:
    """Milliseconds of each group's partitions together, after start-up."""
    sums = run.unavailable().groupby("group")["duration"].sum()
    return {str(group): round(total.total_seconds() * 1_000) for group, total in sums.items()}


def test_of_several_simulated_groups_the_answer_is_about_the_one_that_cost_most() -> None:
    run = groupsim.run("one_slow_member", settings={"client": "java", "batch_ms": 20_000})
    found = groupsim.explain(run)
    totals = totals_of(run)
    assert totals["eager"] > 10 * totals["cooperative"] > 0
    assert [group.group for group in found.groups] == ["eager", "cooperative"]
    assert found.answer.startswith('In group "eager" ')


def test_of_several_imported_groups_the_answer_is_about_the_one_that_cost_most() -> None:
    """Although in the other one something failed, and nobody could read meanwhile."""
    logs = [log for name in ("max-poll-range", "rolling-restart-cooperative") for log in EXAMPLES.glob(f"{name}/*.gz")]
    run = groupsim.import_logs(sorted(logs))
    found = groupsim.explain(run, simulate=False)
    totals = totals_of(run)
    first, second = (totals[group.group or ""] for group in found.groups)
    assert first > second > 0
    assert found.groups[1].findings[0].code == "poll-timeout"
    assert (found.groups[0].group or "?") in found.answer
