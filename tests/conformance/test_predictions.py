"""Predictions are scored by one measure on both sides, in a fixed order, and a scoring can be continued."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from groupsim.conformance.predictions import results
from groupsim.conformance.predictions.ask import as_choice, as_recording, ask
from groupsim.conformance.predictions.families import RecordedRun, families, in_order, read_folder
from groupsim.conformance.predictions.measure import opens_ms, recorded_ms, simulated_ms
from groupsim.conformance.predictions.noise import noise_floor
from groupsim.conformance.predictions.results import Answer, AskedRun, Evidence, Setting
from groupsim.conformance.predictions.score import Pair, figures, pairs, quantile
from groupsim.conformance.predictions.scoring import Budget, score_runs, setting_of
from groupsim.conformance.timelines.recording import BadRecording, parse
from groupsim.events import client as p
from groupsim.events import world as w
from groupsim.events.base import WORLD_STREAM, Event, Recorded, process_stream
from groupsim.events.types import TopicPartition
from groupsim.replay.broker_limits import MIN_SESSION
from groupsim.replay.protocols import STRATEGY
from recorders.page import attribution
from recorders.page.attribution import Cause, attributed
from tests.conformance.runs import NAMES, recording

FOLDER = Path(__file__).parent.parent / "golden" / "predictions" / "recordings"
RANGE, COOPERATIVE = "S03-one-closes__range__d0__r1", "S03-one-closes__cooperative-sticky__d0__r1"
LATER = "S03-one-closes__range__d0-p500__r1"
STATIC, DYNAMIC = "W02-kill9-return__range-static__d0-f02__r1", "W02-kill9-return__range__d0-f02__r1"


@pytest.fixture(scope="module")
def runs() -> dict[str, RecordedRun]:
    found, left_out = read_folder(FOLDER)
    assert left_out == 1  # the consumer protocol
    return {run.id: run for run in found}


def setting(runs: dict[str, RecordedRun], seeds: range = range(2), evidence: Evidence = Evidence.LOGS) -> Setting:
    return setting_of(FOLDER, list(runs.values()), seeds, evidence, 0)


# ── the measure ──


@pytest.mark.parametrize("name", NAMES)
def test_the_truth_is_the_recordings_own_figure_because_nothing_is_missing_just_before_the_fault(name: str) -> None:
    record = recording(name)
    assert recorded_ms(record, parse(record)) == record["summary"]["unavailable_partition_ms"]


def test_the_window_opens_half_a_heartbeat_before_the_fault() -> None:
    assert opens_ms(parse(recording("S04-kill9__sticky__d0__r1"))) == 8_000 - 500 - 50


def facts(*happened: tuple[int, Event]) -> list[Recorded]:
    topic, group = (
        w.TopicCreated(topic="t", partitions=2),
        w.GroupDeclared(group="g", protocol="classic", topics=("t",)),
    )
    stored: list[tuple[int, Event]] = [(0, topic), (0, group), *happened]
    return [Recorded("r", n, at, stream_of(event), n, event) for n, (at, event) in enumerate(stored)]


def stream_of(event: Event) -> str:
    return process_stream("g", event.process) if isinstance(event, p.ClientEvent) else WORLD_STREAM


def test_a_simulated_partition_is_owned_from_the_end_of_assigned_to_revoked_unless_its_owner_is_frozen_or_killed() -> (
    None
):
    one, two = TopicPartition("t", 0), TopicPartition("t", 1)

    def call(process: str, kind: str, *which: TopicPartition) -> tuple[Event, Event]:
        return (
            p.CallbackStart(process=process, kind=kind, partitions=which),
            p.CallbackEnd(process=process, kind=kind),
        )

    taken, taken_end = call("a.0", "assigned", one)
    other, other_end = call("b.0", "assigned", two)
    given, given_end = call("a.0", "revoked", one)
    story = facts(
        (100, taken), (120, taken_end), (100, other), (100, other_end),
        (300, p.Frozen(process="b.0")), (350, p.Thawed(process="b.0")),
        (400, given), (450, given_end), (900, p.Crashed(process="b.0")),
    )  # fmt: skip
    unowned = (120 + 100) + 50 + (1_000 - 400) + (1_000 - 900)
    assert simulated_ms(story, "g", 0, 1_000) == unowned
    assert simulated_ms(story, "g", None, 1_000) == 50 + 600 + 100  # from the first full ownership at 120
    grown = facts((500, w.PartitionsAdded(topic="t", partitions=3)))
    assert simulated_ms(grown, "g", 0, 1_000) == 2 * 1_000 + 500


# ── choices ──


def test_a_choice_is_what_differs_between_two_recordings(runs: dict[str, RecordedRun]) -> None:
    given, wanted = runs[RANGE].recorded, runs[COOPERATIVE].recorded
    assert dict(as_choice("c", given, wanted).settings) == {STRATEGY: "cooperative-sticky"}
    assert as_choice("c", given, wanted).static is None
    static = as_choice("s", runs[DYNAMIC].recorded, runs[STATIC].recorded)
    assert (static.static, dict(static.settings)) == (True, {})
    assert as_choice("d", runs[STATIC].recorded, runs[DYNAMIC].recorded).static is False
    record = runs[DYNAMIC].record()
    record["config"] |= {"session.timeout.ms": 3_000, "heartbeat.interval.ms": 700}
    settings = dict(as_choice("t", runs[DYNAMIC].recorded, parse(record)).settings)
    assert settings == {"session.timeout.ms": "3000", "heartbeat.interval.ms": "700", MIN_SESSION: "3000"}


def test_a_changed_recording_has_the_settings_of_the_choice_and_the_actions_of_the_run(
    runs: dict[str, RecordedRun],
) -> None:
    given, wanted = runs[DYNAMIC], runs[STATIC]
    changed = parse(as_recording(given.record(), given.recorded, wanted.recorded))
    assert all(program.instance for program in changed.programs.values())
    assert changed.actions == given.recorded.actions
    back = parse(as_recording(wanted.record(), wanted.recorded, given.recorded))
    assert not any(program.instance for program in back.programs.values())


# ── order, budget, continuation ──


def test_families_hold_the_choices_of_one_story_and_repetitions_at_other_phases(runs: dict[str, RecordedRun]) -> None:
    found = families(list(runs.values()))
    assert {name: {choice: len(own) for choice, own in by.items()} for name, by in found.items()} == {
        "S03-one-closes d0": {"cooperative-sticky": 1, "range": 2},
        "W02-kill9-return d0 f02": {"range": 1, "range-static": 1},
    }


def test_the_order_takes_families_in_turn_and_does_not_depend_on_the_order_of_the_files(
    runs: dict[str, RecordedRun],
) -> None:
    found = [(run.id, [other.choice for other in others]) for run, others in in_order(list(runs.values()))]
    assert [run.split("-")[0] for run, _ in found] == ["S03", "W02", "S03", "W02", "S03"]
    assert found == [(r.id, [o.choice for o in os]) for r, os in in_order(list(runs.values())[::-1])]


def test_a_scoring_is_continued_from_its_file_and_a_torn_line_is_written_again(
    runs: dict[str, RecordedRun], tmp_path: Path
) -> None:
    file, wanted = tmp_path / "results.jsonl", setting(runs, range(1))
    _, first = score_runs(list(runs.values()), wanted, file, Budget(pairs=2))
    assert len(first) == 2
    lines = file.read_bytes().splitlines(keepends=True)
    tampered = json.loads(lines[1]) | {"misread": ["kept as it stands in the file"]}
    file.write_bytes(lines[0] + json.dumps(tampered).encode() + b"\n" + lines[2][:50])
    _, every = score_runs(list(runs.values()), wanted, file, Budget(pairs=3))
    assert [run.run for run in every][:2] == [run.run for run in first]
    assert every[0].misread == ("kept as it stands in the file",)
    assert every[1] == first[1]
    assert results.read(file)[1] == every
    _, apart = score_runs(list(runs.values()), wanted, None, Budget(pairs=3, jobs=2))
    assert apart == [*first[:1], *every[1:]]
    _, none = score_runs(list(runs.values()), wanted, None, Budget(seconds=0))
    assert none == []
    with pytest.raises(BadRecording, match="other seeds"):
        score_runs(list(runs.values()), setting(runs, range(3)), file, Budget())


def test_a_file_of_something_else_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"folder": 3}\n')
    with pytest.raises(BadRecording, match=r"x.jsonl, line 1: not a line of results"):
        results.read(file)


# ── one run asked ──


def test_logs_alone_and_true_actions_answer_every_other_choice(runs: dict[str, RecordedRun]) -> None:
    for evidence in Evidence:
        found = ask(runs[LATER], [runs[COOPERATIVE]], range(2), evidence)
        assert [answer.choice for answer in found.answers] == ["cooperative-sticky"]
        assert len(found.baseline.ms) == len(found.answers[0].ms) == 2
        assert min(found.baseline.ms) > 0
    known = ask(runs[DYNAMIC], [], range(1), Evidence.KNOWN)
    assert known.settings["session.timeout.ms"] == (5_000, 5_000)
    logs = ask(runs[DYNAMIC], [], range(1), Evidence.LOGS)
    assert logs.settings["session.timeout.ms"][0] == 5_000


def test_a_run_that_cannot_be_read_is_refused_with_the_reason(runs: dict[str, RecordedRun], tmp_path: Path) -> None:
    empty = tmp_path / "run"
    (empty / "logs").mkdir(parents=True)
    with gzip.open(FOLDER / RANGE / "recording.json.gz", "rt") as file:
        (empty / "recording.json").write_text(file.read())
    (run,), _ = read_folder(tmp_path)
    found = ask(run, [runs[COOPERATIVE]], range(2), Evidence.LOGS)
    assert found.answers[0].ms == ()
    assert found.answers[0].refused
    over = figures(pairs(setting(runs), [found]))
    assert (over.pairs, over.answered, over.median_error) == (1, 0, None)


def test_a_folder_without_recordings_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadRecording, match="holds no recordings"):
        read_folder(tmp_path)


# ── figures ──


def pair(
    given: tuple[int, ...], real: tuple[int, ...], predicted: tuple[int, ...], misread: tuple[str, ...] = ()
) -> Pair:
    """A pair whose baseline is right."""
    return Pair(
        run="r",
        story="s",
        family="f",
        given="a",
        asked="b",
        given_ms=given,
        real_ms=real,
        baseline_ms=given,
        predicted_ms=predicted,
        misread=misread,
    )


def test_clear_is_more_than_a_fifth_of_the_greater_and_500_ms_without_overlap() -> None:
    assert pair((1_000, 1_100), (2_000, 2_100), (1,)).clear
    assert not pair((10_000,), (12_400,), (1,)).differs  # a fifth of 12,400 is 2,480
    assert pair((10_000,), (12_600,), (1,)).clear
    assert not pair((100,), (590,), (1,)).differs
    overlapping = pair((1_000, 2_000, 1_100), (1_900, 4_000, 4_100), (1,))
    assert overlapping.differs
    assert not overlapping.clear


def test_signs_are_of_clear_pairs_errors_and_ranges_of_all() -> None:
    right = pair((10_000,), (20_000,), (18_000, 16_000, 21_000))
    wrong = pair((10_000,), (20_000,), (9_000, 8_000))
    unclear = pair((10_000,), (10_100,), (5_050, 5_050))
    refused = pair((10_000,), (20_000,), ())
    over = figures([right, wrong, unclear, refused])
    assert (over.pairs, over.answered, over.clear, over.sign_right) == (4, 3, 2, 0.5)
    assert over.median_error == 0.5
    assert over.p90_error == pytest.approx(0.575)
    assert over.inside == pytest.approx(1 / 3)
    assert over.line() == "pairs 4  sign-right 50 %  median error 50 %  p90 57 %  inside 33 %"
    assert figures([]).line() == "pairs 0  sign-right —  median error —  p90 —  inside —"


def test_a_truth_of_nothing_is_met_by_nothing_only() -> None:
    assert pair((0,), (0, 0), (0, 0)).error == 0
    assert pair((0,), (0, 0), (40, 40)).error == 40
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0


def test_the_noise_floor_is_one_repetition_against_the_others_and_one_seed_against_the_median(
    runs: dict[str, RecordedRun],
) -> None:
    truths = {"f": {"a": {"1": 100, "2": 200}, "b": {"3": 5_000}, "c": {"4": 6_000, "5": 150, "6": 900}}}
    given = setting(runs)
    made = Setting(folder="x", evidence=given.evidence, seeds=(0, 2), date="", version="", truths=truths)
    asked = AskedRun(run="1", story="s", family="f", choice="a", baseline=answer(100, 300), answers=())
    floor = noise_floor(made, [asked])
    assert floor.repetitions.number == 5
    assert floor.seeds == type(floor.seeds)(number=2, median=0.5, p90=0.5)
    assert (floor.clear, floor.overlapping) == (1, 2)


def answer(*ms: int) -> Answer:
    return Answer(choice="a", ms=ms)


def test_an_error_comes_from_the_first_step_at_which_it_appears() -> None:
    far, near = (
        pair((1,), (1_000, 1_001), (2_000,), misread=("kill m2.0 at 7,350 ms read -957 ms off",)),
        pair((1,), (1_000, 1_001), (1_100,)),
    )
    steps = {
        Cause.NONE: (near, far, far),
        Cause.SIMULATION: (far, near, far),
        Cause.STORY: (far, far, near),
        Cause.TIMEOUTS: (far, near, near),
    }
    for cause, (logs, known, actions) in steps.items():
        assert [each.cause for each in attributed([logs], [known], [actions])] == [cause]
    below = pair((1,), (1_000, 1_001), (300,))  # as far, in the other direction
    assert [each.cause for each in attributed([far], [far], [below])] == [Cause.STORY]
    assert attributed([far], [], [far]) == []
    assert attribution.right(pair((1,), (10, 1_000), (900,)))  # within the repetitions
    assert attribution.misread([far, far]) == [("kill a member at N ms read N ms off", 2)]
