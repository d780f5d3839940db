"""The screen of an answer: when, what to do before the lines, several groups, and what is not shown."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from groupsim.diagnosis.answer import answered
from groupsim.diagnosis.explain import Explanation, explain_run
from groupsim.diagnosis.finding import Cost, Remedy
from groupsim.diagnosis.times import bounds
from groupsim.diagnosis.to_json import as_json
from groupsim.diagnosis.to_text import as_text
from groupsim.diagnosis.trying import with_trials_of_run
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore
from tests.diagnosis.small_logs import explained

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"
ONE_CLIENT = EXAMPLES / "max-poll-range" / "m2.0.log.gz"
MAXPOLL = "Application maximum poll interval (300000ms) exceeded by 162ms (adjust max.poll.interval.ms for long-running"
EPOCH = f"%4|1681132527.138|MAXPOLL|app#consumer-1| [thrd:main]: {MAXPOLL} message processing): leaving group"
COORDINATOR = "INFO [GroupCoordinator 0]: "
OF = " (kafka.coordinator.group.GroupCoordinator)"


def screen(folder: Path, text: str) -> list[str]:
    return list(as_text(explained(folder, text)))


def broker(second: int, text: str) -> str:
    return f"[2026-03-01 10:{second // 60:02d}:{second % 60:02d},000] {COORDINATOR}{text}{OF}\n"


def expired(group: str, member: str, second: int) -> str:
    """A member is removed, its group stops, and after 20 s somebody else is there."""
    begins = f"Preparing to rebalance group {group} in state PreparingRebalance with old generation {{}} (reason: {{}})"
    return "".join(
        [
            broker(second, f"Member {member}-x in group {group} has failed, removing it from the group"),
            broker(second, begins.format(4, f"removing member {member}-x on heartbeat expiration")),
            broker(second, f"Group {group} with generation 5 is now empty (__consumer_offsets-3)"),
            broker(second + 20, begins.format(5, f"Adding new member {member}-y")),
            broker(second + 23, f"Stabilized group {group} generation 6 (__consumer_offsets-3) with 1 members"),
            broker(second + 23, f"Assignment received from leader {member}-y for group {group} for generation 6."),
        ]
    )


def test_when_is_written_as_the_lines_have_it_and_in_utc_where_they_have_it_otherwise(tmp_path: Path) -> None:
    assert "  when: 2023-04-10 13:15:27 UTC" in screen(tmp_path, EPOCH)
    log = gzip.decompress(ONE_CLIENT.read_bytes()).decode()
    (when, *_) = [line for line in screen(tmp_path, log) if line.startswith("  when: ")]
    assert not when.endswith("UTC")
    assert when.removeprefix("  when: ")[11:19] in log


def test_a_time_within_what_the_lines_print_is_not_said_to_be_another_zones(tmp_path: Path) -> None:
    """The lines that are shown are the clearest ones, which need not be the first and the last."""
    begins = "Preparing to rebalance group g in state PreparingRebalance with old generation {} (reason: {})"
    joins = "Adding new member {} with group instance id None"
    lines = [
        broker(0, begins.format(5, joins.format("m-y"))),
        broker(20, "Member m-x in group g has failed, removing it from the group"),
        broker(20, "Stabilized group g generation 6 (__consumer_offsets-3) with 1 members"),
        broker(40, "Member m-y in group g has failed, removing it from the group"),
        broker(40, "Group g with generation 7 is now empty (__consumer_offsets-3)"),
        broker(60, begins.format(7, joins.format("m-z"))),
    ]
    assert "  when: 2026-03-01 10:00:00 to 10:01:00" in screen(tmp_path, "".join(lines))


def test_what_to_do_stands_before_the_lines_which_may_be_long(tmp_path: Path) -> None:
    shown = screen(tmp_path, EPOCH)
    do = next(number for number, line in enumerate(shown) if line.startswith("  do: "))
    assert do < shown.index("  lines:") < next(n for n, line in enumerate(shown) if "|MAXPOLL|" in line)


def test_how_long_nobody_could_read_is_not_said_in_figures_that_say_nothing(tmp_path: Path) -> None:
    later = '%7|1681132557.138|HEARTBEAT|app#consumer-1| [thrd:main]: Group "orders" heartbeat error response'
    shown = screen(tmp_path, f"{EPOCH}\n{later} in state up: Broker: Unknown member\n")
    assert not [line for line in shown if line.startswith("nobody in")]
    (missing,) = [line for line in shown if line.startswith("not shown: ")]
    assert missing.startswith('not shown: how long nobody in group "orders" could read')
    assert missing.endswith("the log of the broker that coordinates the group shows it")


def test_how_long_nobody_could_read_stands_right_below_the_answer(tmp_path: Path) -> None:
    shown = screen(tmp_path, expired("slow", "app", 10))
    assert shown[1].startswith('nobody in group "slow" could read: 23.0 s')
    table = screen(tmp_path, expired("slow", "app", 10) + expired("other", "web", 100))
    assert [line.split('"')[1] for line in table if line.startswith("nobody in")] == ["slow", "other"]


def test_lines_without_times_say_that_these_are_missing(tmp_path: Path) -> None:
    shown = screen(tmp_path, f"WARN [Consumer clientId=app-1, groupId=orders] {POLL_TIMEOUT}\n")
    assert "not shown: how long it took: no line has a time; export the same lines with their times" in shown
    assert not [line for line in shown if line.startswith("  when: ")]


POLL_TIMEOUT = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the "
    "configured max.poll.interval.ms, which typically implies that the poll loop is spending too much time processing"
)


def test_of_several_groups_the_one_that_stopped_longest_stands_first_and_is_named(tmp_path: Path) -> None:
    quick = expired("quick", "web", 100).replace("10:02:00", "10:01:41").replace("10:02:03", "10:01:44")
    shown = screen(tmp_path, expired("slow", "app", 10) + quick)
    assert shown[0].startswith('In "slow", the worst of 2 groups, ')
    table = shown.index("2 groups, the worst first:")
    assert [line.split('"')[1] for line in shown[table + 1 : table + 3]] == ["slow", "quick"]
    assert [line for line in shown if line.startswith('group "quick": ')]


def test_a_group_in_which_nothing_failed_is_in_the_table_only(tmp_path: Path) -> None:
    begins = "Preparing to rebalance group calm in state PreparingRebalance with old generation {} (reason: {})"
    calm = broker(5, begins.format(0, "Adding new member cli-z")) + broker(
        8, "Stabilized group calm generation 1 (__consumer_offsets-4) with 1 members"
    )
    shown = screen(tmp_path, expired("slow", "app", 10) + calm)
    assert [line for line in shown if line.startswith('  "calm": ')]
    assert not [line for line in shown if line.startswith('group "calm"')]


@pytest.fixture(scope="module")
def recorded() -> tuple[MemoryStore, Explanation, str]:
    """A recorded run, its explanation with trials, and when it began."""
    store = MemoryStore()
    info = import_run(read_files(sorted(ONE_CLIENT.parent.glob("*.log.gz"))), store, name=None, topics={}).run
    explanation = explain_run(store.read(info.id), origin=info.origin)
    assert explanation is not None
    assert info.origin is not None
    return store, with_trials_of_run(explanation, store, info), info.origin


def test_a_recorded_run_has_the_dates_of_its_logs(recorded: tuple[MemoryStore, Explanation, str]) -> None:
    _, explanation, origin = recorded
    (group,) = as_json(explanation)["groups"]
    assert group["from"] == origin
    assert f"  when: {origin[:10]} " in "\n".join(as_text(explanation))


def test_what_was_tried_does_not_drop_the_words_of_the_evidence(
    recorded: tuple[MemoryStore, Explanation, str],
) -> None:
    shown = list(as_text(recorded[1]))
    assert [line for line in shown if "simulated with" in line]
    lines = [line for line in shown if line.startswith("    run:")]
    assert lines
    assert all(" ms: " in line for line in lines)


def test_a_simulated_run_has_no_dates() -> None:
    store = MemoryStore()
    info = import_run(read_files([ONE_CLIENT]), store, name=None, topics={}).run
    explanation = explain_run(store.read(info.id))
    assert explanation is not None
    (group,) = as_json(explanation)["groups"]
    assert (group["from"], group["from_ms"]) == (None, 0)
    whens = [line for line in as_text(explanation) if line.startswith("  when: ")]
    assert whens
    assert all(when.endswith("from the start of the run") for when in whens)


def test_what_was_seen_to_cost_more_is_no_advice(tmp_path: Path) -> None:
    explanation = explained(tmp_path, EPOCH)
    (group,) = explanation.groups
    tried = (Remedy("do a"), Remedy("or do b", effect="costs more here", verdict=1))
    changed = replace(group, findings=(replace(group.findings[0], do=tried),))
    shown = list(as_text(replace(explanation, groups=(changed,))))
    assert shown[shown.index("  do: do a") :][:3] == ["  do: do a", "  not advised here: do b", "      costs more here"]


def test_a_group_that_never_stopped_says_so_and_a_short_cost_is_not_in_the_answer(tmp_path: Path) -> None:
    explanation = explained(tmp_path, expired("slow", "app", 10))
    (group,) = explanation.groups
    never = replace(group, stopped_ms=(0, 0))
    assert 'somebody in group "slow" could read all the time since it first worked' in list(
        as_text(replace(explanation, groups=(never,)))
    )
    first = replace(group.findings[0], what="app went", cost=Cost(member_without_partitions_ms=(48, 48)), do=())
    short = replace(group, findings=(first,), stopped_ms=None, first_ms=0, last_ms=14_000)
    assert answered([short]) == "App went."
    longer = replace(first, cost=Cost(member_without_partitions_ms=(4_800, 4_800)))
    assert (
        answered([replace(short, findings=(longer,))])
        == "App went: app-x had no partitions for 4.8 s (34 % of the time recorded)."
    )


def test_bounds_that_are_too_long_for_an_answer_leave_the_lower_one(tmp_path: Path) -> None:
    (group,) = explained(tmp_path, expired("slow", "app", 10)).groups
    first = replace(group.findings[0], what="10 clients of slow went 26 times without leaving", do=())
    worse = replace(group, findings=(first,), stopped_ms=(515_000, 843_000), first_ms=0, last_ms=843_000)
    said = answered([worse])
    assert said == "10 clients of slow went 26 times without leaving: nobody could read for at least 8m35s."


def test_an_answer_names_no_remedy_that_was_seen_to_be_of_no_use(tmp_path: Path) -> None:
    (group,) = explained(tmp_path, expired("slow", "app", 10)).groups
    static = Remedy("use a", brief="use a", trial=(("membership", "static"),))

    def said(*remedies: Remedy, tried: bool) -> str:
        first = replace(group.findings[0], what="app went", do=remedies)
        return answered([replace(group, findings=(first,), stopped_ms=None)], tried=tried)

    assert said(static, tried=False) == "App went."  # it may cost more than it saves
    assert said(static, tried=True) == "App went; use a."  # it cannot be simulated
    assert said(static._replace(verdict=-1), tried=True) == "App went; use a."
    assert said(static._replace(verdict=1), tried=True) == "App went; no simulated remedy helps."
    assert said(static._replace(verdict=0), Remedy("b", brief="do b"), tried=True) == "App went; do b."


def test_a_cost_is_left_out_only_where_the_sentence_says_about_the_same(tmp_path: Path) -> None:
    (group,) = explained(tmp_path, expired("slow", "app", 10)).groups
    first = replace(group.findings[0], what="a rebalance waited 27.2 s for app", do=())

    def said(stopped_ms: int) -> str:
        return answered([replace(group, findings=(first,), stopped_ms=(stopped_ms, stopped_ms))])

    assert said(27_300) == "A rebalance waited 27.2 s for app."
    assert said(214_000).startswith("A rebalance waited 27.2 s for app: nobody could read for 3m34s")


def test_what_was_done_on_purpose_begins_with_that_nothing_is_wrong(tmp_path: Path) -> None:
    left = broker(5, "Member app-1-x has left group g through explicit `LeaveGroup`; client reason: closed")
    others = broker(1, "Stabilized group g generation 4 (__consumer_offsets-4) with 2 members")
    assert explained(tmp_path, others + left).answer.startswith("Nothing is wrong: ")


def test_a_lower_bound_is_rounded_down_and_an_upper_one_up() -> None:
    assert bounds((39_970, None)) == "at least 39.9 s"
    assert bounds((None, 50_010)) == "at most 50.1 s"
    assert bounds((39_970, 50_010)) == "39.9 s to 50.1 s"
    assert bounds((119_999, 121_001)) == "1m59s to 2m02s"
    assert bounds((4_940, 4_940)) == "4.9 s"
