"""A process that was removed for silence and wrote on later: frozen, or cut off; where no line tells, bounds say so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from groupsim.events import classic as c
from groupsim.events.client import Frozen
from tests.adversary.written_runs import NEAR_MS, counted, hold
from tests.incidents.drawn_groups import GROUP, drawn, with_logs
from tests.incidents.imported import BROKER, C1, adding, import_logs, joined, joined_keeping
from tests.incidents.lines import CLASS, M1, stamped, write
from tests.incidents.offsets_topic.simulated_topic import write_dump
from tests.incidents.offsets_topic.truth import measure
from tests.incidents.written_logs import BEGINS_MS

_CONFIG = "ConsumerConfig values: \n\tclient.id = c1\n\tgroup.id = billing"
_PRINTED = "\n\tsession.timeout.ms = 12000\n\theartbeat.interval.ms = 2000"
_REMOVED_S = 30.0


def _silent(
    folder: Path, back: float, *meanwhile: float, config: str = _PRINTED
) -> tuple[str, list[float], list[tuple[float, float]]]:
    """The note on a member that was removed, when it froze, and the bounds, seconds after its removal."""
    found = C1 + "Discovered group coordinator 127.0.0.1:9092 (id: 2147483646 rack: null)" + CLASS
    lines = [stamped(0, _CONFIG + config), *joined(1, 1), adding(1.4, "orders-0")]
    lines += [stamped(second, found) for second in (*meanwhile, back)]
    gone = f"Member {M1} in group billing has failed, removing it from the group"
    said = [
        stamped(1.05, f"{BROKER}Stabilized group billing generation 1 (__consumer_offsets-1) with 1 members"),
        stamped(1.15, f"{BROKER}Assignment received from leader for group billing for generation 1"),
        stamped(_REMOVED_S, f"{BROKER}{gone} (kafka.coordinator.group.GroupCoordinator)"),
    ]
    result, facts = import_logs(write(folder, *lines), write(folder, *said, name="b.log"))
    note = next(each for each in result.notes if "removed by the broker" in each)
    doubts = [each for each in result.run.summary["doubts"] if each["inexact"]]  # type: ignore[attr-defined]
    bounds = [(each["from_ms"] / 1_000 - _REMOVED_S, each["to_ms"] / 1_000 - _REMOVED_S) for each in doubts]
    frozen = [fact.at_ms / 1_000 - _REMOVED_S for fact in facts if isinstance(fact.event, Frozen)]
    return note, frozen, bounds


def test_a_classic_client_that_does_not_say_that_its_session_ended_was_frozen(tmp_path: Path) -> None:
    note, frozen, bounds = _silent(tmp_path, 40)
    assert note.endswith("it may have frozen up to 2000 ms later, before its next heartbeat")
    assert (frozen, bounds) == ([-12], [(-12, -10)])


def test_one_that_writes_as_soon_as_it_is_removed_may_have_been_cut_off(tmp_path: Path) -> None:
    note, frozen, bounds = _silent(tmp_path, 30.5)
    assert note.endswith("no line tells that from being cut off from the coordinator and serving until it was removed")
    assert (frozen, bounds) == ([-12], [(-12, 0)])


def test_one_that_wrote_after_its_next_heartbeat_was_due_ran_but_perhaps_did_not_serve(tmp_path: Path) -> None:
    note, frozen, bounds = _silent(tmp_path, 40, 22.0)
    assert "while it ran (cut off from the coordinator); it counts as serving what it held until then" in note
    assert (frozen, bounds) == ([], [(-12, 0)])


def test_an_interval_that_no_log_shows_is_called_an_assumption(tmp_path: Path) -> None:
    note, frozen, bounds = _silent(tmp_path, 40, config="\n\tsession.timeout.ms = 12000")
    assert "up to 4000 ms later, before its next heartbeat (an assumption: no log shows the interval" in note
    assert (frozen, bounds) == ([-12], [(-12, -8)])


@pytest.mark.parametrize("seed", [25, 97_778, 224_371, 330_642, 491_637, 511_593, 687_979, 924_700])
@pytest.mark.parametrize("topic", [False, True], ids=["logs", "with the topic"])
def test_the_time_that_freezes_and_kills_cost_is_within_the_bounds(seed: int, topic: bool, tmp_path: Path) -> None:
    facts, files = with_logs(drawn(seed), tmp_path)
    files += [write_dump(facts, GROUP, tmp_path / "dump.txt")] if topic else []
    first = next(fact.at_ms for fact in facts if isinstance(fact.event, c.AssignmentStored))
    window = BEGINS_MS + first, BEGINS_MS + facts[-1].at_ms
    said = measure(files, GROUP, window[1], window)[0].rests_on
    least, most = counted(facts, window[0] - BEGINS_MS, window[1] - BEGINS_MS)
    assert said.at_least_ms <= most + NEAR_MS
    assert said.at_most_ms is None or said.at_most_ms >= least - NEAR_MS


@pytest.mark.parametrize(
    ("seed", "missing"),
    [
        pytest.param(837_002, "m0.1", id="a static member without a log, which is replaced later"),
        pytest.param(123, "m0.1", id="a static member whose successor has no log: replaced, its process has ended"),
        pytest.param(8, "m1.0", id="a static member that joined its generation twice is one member"),
        pytest.param(488_406, "m1.0", id="what a frozen member lost is not withheld: others have it"),
    ],
)
def test_with_one_log_missing_the_bounds_hold(seed: int, missing: str, tmp_path: Path) -> None:
    facts, files = with_logs(drawn(seed), tmp_path)
    kept = [path for path in files if path.stem != missing]
    assert len(kept) == len(files) - 1
    hold(Random(0), facts, kept, "logs", None, f"without {missing}")


@pytest.mark.parametrize(
    ("seed", "logs", "session_ms"),
    [
        pytest.param(745_680, "m0.0 m2.1", None, id="a static member that closes begins no rebalance"),
        pytest.param(620_765, "m0.0 m2.0", None, id="nor does this one"),
        pytest.param(400_654, "m0.1 m1.1 m1.0 m0.2", None, id="nor does one that joins its present generation"),
        pytest.param(844_809, "m1.1 m0.2", 4_881, id="a member that commits within a rebalance is not gone yet"),
        pytest.param(534_773, "m0.0 m0.1 m1.0 m2.1", None, id="a static member that was removed and is back at once"),
        pytest.param(539_052, "m0.0 m0.1 m0.2 m1.0 m1.1", 45_000, id="a member that others' rebalance went on without"),
    ],
)
def test_with_the_topic_and_some_logs_the_bounds_hold(
    seed: int, logs: str, session_ms: int | None, tmp_path: Path
) -> None:
    facts, files = with_logs(drawn(seed), tmp_path)
    kept = [path for path in files if path.stem in logs.split()]
    assert len(kept) == len(logs.split())
    hold(
        Random(0), facts, [*kept, write_dump(facts, GROUP, tmp_path / "dump.txt")], "both", session_ms, f"group {seed}"
    )


@pytest.mark.parametrize(
    ("asked", "lost", "doubted"),
    [
        pytest.param(5, 41, True, id="the answer of the last join is read late: it was removed meanwhile"),
        pytest.param(39, 41, False, id="it asked again when it ran"),
        pytest.param(5, 52, False, id="it was a member for a session after it had run again"),
    ],
)
def test_a_join_that_is_answered_after_a_silence_may_be_of_a_member_that_was_removed(
    asked: int, lost: int, doubted: bool, tmp_path: Path
) -> None:
    lines = [stamped(0, _CONFIG + _PRINTED), *joined_keeping(1, 1), adding(1.4, "orders-0")]
    lines += [stamped(4.9, f"{C1}Request joining group due to: group is already rebalancing{CLASS}")]
    said = f"Generation{{generationId=2, memberId='{M1}', protocol='cooperative-sticky'}}"
    lines += [
        stamped(asked, f"{C1}(Re-)joining group{CLASS}"),
        stamped(40, f"{C1}Successfully joined group with generation {said}{CLASS}"),
        *(stamped(second, f"{C1}Discovered group coordinator b:9092 (id: 1){CLASS}") for second in range(43, lost, 3)),
        stamped(lost, f"{C1}Lost previously assigned partitions orders-0{CLASS}"),
    ]
    result, _ = import_logs(write(tmp_path, *lines))
    silent = [doubt for doubt in result.run.summary["doubts"] if "for a session since" in doubt["why"]]  # type: ignore[attr-defined]
    assert [(doubt["from_ms"], doubt["to_ms"]) for doubt in silent] == [(5_000, lost * 1_000)] * doubted


@pytest.mark.parametrize(
    ("seed", "session_ms", "leaders", "missing"),
    [
        pytest.param(746_801, None, True, "broker", id="a process that froze while it joined"),
        pytest.param(324_302, None, True, "broker", id="an assignment that was stored, and nobody got"),
        pytest.param(847_668, None, True, "broker", id="the group's first assignment, which nobody got"),
        pytest.param(119_024, 34_891, True, "", id="a static member that came back a moment after it had joined"),
        pytest.param(620_993, 7_500, False, "", id="a member that did not get its part of a generation"),
    ],
)
def test_of_cooperative_members_the_bounds_hold(
    seed: int, session_ms: int | None, leaders: bool, missing: str, tmp_path: Path
) -> None:
    group = replace(drawn(seed), assignor="cooperative-sticky")
    facts, files = with_logs(group, tmp_path, leaders=leaders)
    kept = [path for path in files if path.stem != missing]
    hold(Random(0), facts, kept, "no broker's log" if missing else "logs", session_ms, f"group {seed}")
