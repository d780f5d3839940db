"""Families of recordings: legal settings, ids as in other recordings, halves, and files that can be read."""

from __future__ import annotations

import re
from collections import Counter
from operator import attrgetter
from pathlib import Path

import msgspec
import pytest

from groupsim.conformance.predictions.families import LOGS, read_folder
from groupsim.conformance.timelines.recording import check_actions, parse
from groupsim.conformance.timelines.reenact import reenact
from groupsim.incidents.logs.reading import read_files
from recorders.families import contents, cpu
from recorders.families.__main__ import main
from recorders.families.catalogue import FAMILIES
from recorders.families.family import LOOKED_AT, PUT_ASIDE, Family, choice
from recorders.families.for_delays import FAMILIES as FOR_DELAYS
from recorders.families.logs import client_log, log_records
from recorders.families.planned import FamilyRun, runs
from recorders.page.predictions_page import ABOUT, STORED, page
from recorders.page.scored import Scored, stored

ROOT = Path(__file__).parents[1] / "golden" / "families"
OLD_MS = 240_000
"""An old group is quiet for so long before its first fault: heartbeats of members drift apart by then."""
ID = re.compile(r"[A-Z]\d\d-[a-z0-9-]+__[a-z0-9-]+?(-static|-hb\d+)?__d\d-f\d\d__r\d")
names = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def unrecorded(run: FamilyRun) -> dict[str, object]:
    """A recording in which everything happens when it is planned."""
    incarnations: Counter[str] = Counter()
    actions = []
    for at_ms, action, member, more in run.actions:
        incarnations[member] += action == "start"
        process = {"member": member, "incarnation": incarnations[member] - 1} if member else {"member": None}
        actions.append({**process, "action": action, "t_ms": at_ms, **more})
    window = {"window_ms": [actions[run.first_fault]["t_ms"], run.end_ms]}
    return {**run.head(), "actions": actions, "summary": window}


@names
def test_a_familys_settings_are_legal(family: Family) -> None:
    assert family.heartbeat_ms * 3 <= family.session_ms
    assert all(c.heartbeat_ms is None or c.heartbeat_ms * 3 <= family.session_ms for c in family.named_choices)
    assert max([0, *family.callback_ms.values(), *family.process_ms.values()]) < family.max_poll_ms
    assert 2 <= len(family.named_choices) <= 4
    assert 2 <= len(family.members) <= 14
    times = [at_ms for at_ms, *_ in family.actions]
    assert times == sorted(times)
    first_fault_ms = times[family.founders]
    assert times[-1] + 5_000 <= family.end_ms <= first_fault_ms + 45_000
    assert 8_000 + family.delay_ms // 10 * 3 <= first_fault_ms <= 20_000 or first_fault_ms >= OLD_MS


@names
def test_a_familys_actions_can_happen_one_after_the_other(family: Family) -> None:
    for run in runs(family, 1):
        recorded = parse(unrecorded(run))
        check_actions(recorded)
        assert recorded.members == family.members
        assert set(recorded.topics) == set(run.topics)


def test_a_planned_run_can_be_re_enacted_before_it_is_recorded() -> None:
    grows = next(run for run in runs(FAMILIES[-1], 1))
    assert reenact(unrecorded(grows), 1)["summary"]["last_generation"] >= 2


def test_ids_are_those_of_other_recordings_and_differ() -> None:
    ids = [run.id for family in FAMILIES for run in runs(family, 2)]
    assert all(ID.fullmatch(name) for name in ids)
    assert len(set(ids)) == len(ids)
    assert len({run.group for family in FAMILIES for run in runs(family, 2)}) == len(ids)


def test_every_story_is_in_both_halves_and_no_two_families_have_the_same_settings() -> None:
    halves = Counter((family.story, family.half) for family in FAMILIES)
    assert set(halves) == {(family.story, half) for family in FAMILIES for half in (LOOKED_AT, PUT_ASIDE)}
    numbers = sorted(family.number for family in (*FAMILIES, *FOR_DELAYS))
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(FAMILIES) >= 16
    settings = {(f.session_ms, f.heartbeat_ms, f.max_poll_ms, f.delay_ms, len(f.members)) for f in FAMILIES}
    assert len(settings) == len(FAMILIES)


@pytest.mark.parametrize("name", ["fair", "range-", "range-hb", "range-hbfast", "range-hb1000-static"])
def test_an_unknown_choice_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no choice"):
        choice(name)


LOG = """a warning without a time
[2026-11-22 16:38:40,100] INFO of the process's first consumer (a)
[2026-11-22 16:38:40,295] INFO ConsumerConfig values:
\tgroup.id = g
 (b)
[2026-11-22 16:38:40,301] INFO Subscribed (c)
[2026-11-22 16:38:41,000] INFO after the run (d)
"""


@pytest.mark.parametrize(("prints", "lines"), [(True, 4), (False, 1)])
def test_a_clients_log_begins_with_its_start_and_may_leave_out_its_settings(prints: bool, lines: int) -> None:
    at_ms, _ = next(log_records(LOG.splitlines()))
    kept = client_log(LOG.splitlines(), at_ms + 195, at_ms + 500, prints)
    assert len(kept.splitlines()) == lines
    assert kept.endswith("Subscribed (c)\n")


def test_lines_of_librdkafka_begin_with_their_seconds() -> None:
    lines = ["%7|1795174254.599|MEMBERID|m1#consumer-1| [thrd:app]: one", "%5|1795174255.000|X|m1| two"]
    assert [at_ms for at_ms, _ in log_records(lines)] == [1_795_174_254_599, 1_795_174_255_000]


def test_a_member_of_a_consumer_group_leaves_assignor_and_times_to_the_broker() -> None:
    family = next(family for family in FAMILIES if any(c.protocol == "consumer" for c in family.named_choices))
    for run in runs(family, 1):
        config = run.head()["config"]
        assert config["group_config"] == {
            "consumer.session.timeout.ms": family.session_ms,
            "consumer.heartbeat.interval.ms": run.choice.heartbeat_ms or family.heartbeat_ms,
        }
        assert config["group.remote.assignor"] == run.choice.assignor
        assert not {"partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms"} & config.keys()


def test_the_share_of_processors_is_that_of_all_of_them() -> None:
    ticks = cpu.TICKS_PER_S
    found = cpu.shares([(0.0, 0, 0), (1.0, ticks, 0), (2.0, 3 * ticks, ticks)], 2)
    assert found == {"mean": 0.75, "max_1s": 1.0, "mean_of_this_harness": 0.25, "max_1s_of_this_harness": 0.5}


def test_an_unknown_family_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.argv", ["families", "record", str(tmp_path), "--family", "f99"])
    with pytest.raises(SystemExit, match="no family 'f99'; there are f01"):
        main()


@pytest.mark.parametrize("half", [LOOKED_AT, PUT_ASIDE])
def test_the_recordings_of_the_repository_are_those_of_the_families_and_can_be_read(half: str) -> None:
    planned = {run.id for family in FAMILIES if family.half == half for run in runs(family, 2)}
    found, left_out = read_folder(ROOT / half)
    assert left_out == 0
    assert {run.id for run in found} == planned
    for run in found:
        logs = sorted((run.folder / LOGS).glob("*"))
        starts = [action for action in run.recorded.actions if action.kind == "start"]
        assert len(logs) == len(starts) + 1
        assert run.starts is not None
    assert read_files(sorted((found[0].folder / LOGS).glob("*"))).rows


def test_the_readme_lists_every_family_with_all_its_choices() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert "not recorded" not in text
    assert text == contents.readme(ROOT), "run: python -m recorders.families readme tests/golden/families"


@pytest.mark.parametrize(("half", "says"), [(LOOKED_AT, "are a fit"), (PUT_ASIDE, "no longer a first look")])
def test_a_section_of_the_page_says_whether_its_figures_are_a_fit(half: str, says: str) -> None:
    setting, asked, scored = attrgetter("setting", "asked", "pairs")(stored(STORED)[0])
    shown = page([Scored(msgspec.structs.replace(setting, folder=half), asked, scored)])
    assert says in shown
    assert ABOUT[half] in shown
