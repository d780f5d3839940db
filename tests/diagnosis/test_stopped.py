"""How long nobody could read: what a log does not show widens the bounds, what a member keeps narrows them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from groupsim.analysis.runs import Run
from groupsim.diagnosis.explain import explain_reading, explain_run
from groupsim.diagnosis.finding import Bounds
from groupsim.diagnosis.from_facts import FACTS
from groupsim.incidents.logs.reading import read_files
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.analysis.in_ms import ms
from tests.scenarios.shorter import every_scenario

_COORDINATOR = "INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=7]"
_MANAGER = "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
_INTERNALS = "org.apache.kafka.clients.consumer.internals"


def broker(at: str, said: str) -> str:
    return f"[2026-03-01 10:{at}] {_COORDINATOR} {said} {_MANAGER}"


def rebalance(starts: str, stable: str, stored: str, generation: int, members: int, why: str) -> list[str]:
    old = f"in state PreparingRebalance with old generation {generation - 1} (reason: {why})."
    return [
        broker(starts, f"Preparing to rebalance group g {old}"),
        broker(stable, f"Stabilized group g generation {generation} with {members} members."),
        broker(
            stored,
            f"Assignment received from leader m1-x for group g for generation {generation}. The group has {members}"
            " members, 0 of which are static.",
        ),
    ]


def client(at: str, said: str, cls: str = "ConsumerCoordinator", name: str = "m1") -> str:
    return f"[2026-03-01 10:{at}] INFO [Consumer clientId={name}, groupId=g] {said} ({_INTERNALS}.{cls})"


def joins(at: str, generation: int, protocol: str) -> str:
    inside = f"generationId={generation}, memberId='m1-x', protocol='{protocol}'"
    return client(at, f"Successfully joined group with generation Generation{{{inside}}}")


def stopped(folder: Path, **logs: list[str]) -> Bounds | None:
    paths = [folder / f"{name}.log" for name in logs]
    for path, lines in zip(paths, logs.values(), strict=True):
        path.write_text("".join(line + "\n" for line in lines))
    found = explain_reading(read_files(paths))
    assert found is not None
    return found.groups[0].stopped_ms


SECOND = rebalance("01:00,000", "01:03,000", "01:03,100", 6, 2, "Adding new member m2-x")


def test_without_an_assignor_nobody_knows_whether_all_gave_up_everything(tmp_path: Path) -> None:
    assert stopped(tmp_path, broker=SECOND) == (0, 3_100)


def rebalanced(protocol: str, given_up: str | None) -> list[str]:
    revoked = [] if given_up is None else [client("01:01,000", f"Revoke previously assigned partitions {given_up}")]
    return [
        client("00:10,000", "Adding newly assigned partitions: t-0, t-1"),
        client("01:00,500", "Request joining group due to: group is already rebalancing"),
        *revoked,
        client("01:01,001", "(Re-)joining group"),
        joins("01:03,001", 6, protocol),
        client("01:03,150", f"Adding newly assigned partitions: {'t-0' if given_up else ''}"),
        client("01:09,000", "Request joining group due to: group is already rebalancing"),
    ]  # fmt: skip


def test_a_group_stops_while_its_members_have_given_up_everything(tmp_path: Path) -> None:
    assert stopped(tmp_path, broker=SECOND, m1=rebalanced("range", "t-0, t-1")) == (100, 2_150)


def test_what_a_cooperative_member_keeps_is_read_throughout_a_rebalance(tmp_path: Path) -> None:
    assert stopped(tmp_path, broker=SECOND, m1=rebalanced("cooperative-sticky", None)) == (0, 0)


def test_of_one_client_alone_nobody_knows_what_others_had(tmp_path: Path) -> None:
    assert stopped(tmp_path, m1=rebalanced("range", "t-0, t-1")) == (0, 2_150)


def test_a_client_that_is_alone_in_every_plan_stops_its_group_when_it_restarts(tmp_path: Path) -> None:
    plan = "Finished assignment for group at generation {0}: {{m1-{1}=Assignment(partitions=[t-0, t-1])}}"

    def process(minute: str, generation: int, member: str) -> list[str]:
        inside = f"generationId={generation}, memberId='m1-{member}', protocol='range'"
        return [
            client(f"{minute}:00,000", "Subscribed to topic(s): t", "KafkaConsumer"),
            client(f"{minute}:00,500", "(Re-)joining group"),
            client(f"{minute}:03,000", f"Successfully joined group with generation Generation{{{inside}}}"),
            client(f"{minute}:03,010", plan.format(generation, member)),
            client(f"{minute}:03,100", "Adding newly assigned partitions: t-0, t-1"),
            client(f"{minute}:30,000", "Revoke previously assigned partitions t-0, t-1"),
            client(f"{minute}:30,010", f"Member m1-{member} sending LeaveGroup request to coordinator b:9092 (id: 1"
                   " rack: null) due to the consumer is being closed"),
        ]  # fmt: skip

    low, high = stopped(tmp_path, m1=[*process("00", 5, "x"), *process("02", 7, "y")]) or (None, None)
    assert low is not None
    assert high is not None
    assert 90_000 <= low <= 93_100 <= high <= 96_300  # the start counts above


LEAVES = "Member m1-x has left group g through explicit `LeaveGroup`; client reason: the consumer is being closed"
EMPTY = [
    broker("00:00,000", "Stabilized group g generation 5 with 1 members."),
    broker("00:00,010", "Assignment received from leader m1-x for group g for generation 5. The group has 1 members,"
           " 0 of which are static."),
    broker("00:30,000", LEAVES),
    broker("00:30,000", "Group g with generation 6 is now empty."),
    *rebalance("00:40,000", "00:43,000", "00:43,010", 7, 1, "Adding new member m2-x"),
]  # fmt: skip


def test_a_group_without_members_is_stopped_until_the_next_one_has_its_part(tmp_path: Path) -> None:
    low, high = stopped(tmp_path, broker=EMPTY) or (None, None)
    assert low == 13_010
    assert high is not None
    assert 13_010 <= high <= 14_300


def test_the_time_after_the_last_member_does_not_count(tmp_path: Path) -> None:
    assert (stopped(tmp_path, broker=EMPTY[:4]) or (None,))[0] == 0


def never_stored(members: int = 1) -> list[str]:
    """The old member is removed; the rebalance has `members`, one of them new, and no assignment is stored."""
    starts = "with old generation 5 (reason: Adding new member m2-x)."
    return [
        *rebalance("00:00,000", "00:03,000", "00:03,010", 5, 2, "Adding new member m1-x"),
        broker("01:00,000", f"Preparing to rebalance group g in state PreparingRebalance {starts}"),
        broker("01:15,000", "Member m1-x in group g has failed, removing it from the group."),
        broker("01:15,000", f"Stabilized group g generation 6 with {members} members."),
        broker("01:45,000", "Member m2-x in group g has failed, removing it from the group."),
        broker("01:45,000", "Group g with generation 7 is now empty."),
        *rebalance("04:00,000", "04:00,002", "04:00,010", 8, 1, "Adding new member m3-x"),
    ]


def test_members_that_all_are_new_have_nothing_until_an_assignment_arrives(tmp_path: Path) -> None:
    assert (stopped(tmp_path, broker=never_stored()) or (None,))[0] == 165_010  # from "Stabilized" of generation 6
    one_stays = stopped(tmp_path, broker=never_stored(members=2)) or (None,)
    assert one_stays[0] == 135_010  # from "is now empty"
    not_printed = [line for line in never_stored() if "Assignment received" not in line]
    assert (stopped(tmp_path, broker=not_printed) or (None,))[0] == 135_002


def consumer(at: str, said: str) -> str:
    return broker(at, f"[GroupId g] {said}")


def joined(at: str, member: str, epoch: int) -> list[str]:
    return [
        consumer(at, f"Member {member} joins the consumer group using the consumer protocol."),
        consumer(at, f"Bumped group epoch to {epoch} with metadata hash 77."),
        consumer(at, f"Computed a new target assignment for epoch {epoch} with 'uniform' assignor in 1ms."),
    ]


def test_nobody_stops_while_a_consumer_group_reconciles(tmp_path: Path) -> None:
    lines = [*joined("00:00,000", "aaa", 2), *joined("00:30,000", "bbb", 3), *joined("01:00,000", "ccc", 4)]
    lines.append(consumer("01:30,000", "Member bbb left the consumer group."))
    assert stopped(tmp_path, broker=lines) == (0, 400)  # the start


def test_a_log_that_begins_late_does_not_show_the_members_that_a_new_one_waits_for(tmp_path: Path) -> None:
    lines = [*joined("00:00,000", "bbb", 7), consumer("00:01,000", "Member aaa left the consumer group.")]
    lines += joined("00:20,000", "ccc", 9)
    found = stopped(tmp_path, broker=lines)
    assert found is not None
    assert found[0] == 0
    assert found[1] is not None
    assert found[1] >= 5_000  # a heartbeat: only then bbb hears of it


def test_a_member_that_comes_back_under_its_id_is_one(tmp_path: Path) -> None:
    lines = [*joined("00:00,000", "aaa", 2), *joined("00:30,000", "bbb", 3)]
    for minute in ("01", "02"):
        lines.append(
            consumer(f"{minute}:00,000", "Member aaa fenced from the group because the member session expired.")
        )
        lines += joined(f"{minute}:30,000", "aaa", 3 + int(minute))
    lines.append(consumer("03:00,000", "Member bbb left the consumer group."))
    assert stopped(tmp_path, broker=lines) == (0, 65_400)  # at first the other one may still have waited for its part


def test_who_stayed_in_a_rebalance_may_have_had_nothing_yet(tmp_path: Path) -> None:
    """A cooperative member that had all, and died before the second rebalance in which others would have got a part."""
    lines = [
        broker("00:20,000", "Preparing to rebalance group g in state PreparingRebalance with old generation 3"),
        broker("00:32,000", "Member m0-x in group g has failed, removing it from the group."),
        *rebalance("00:20,000", "00:32,000", "00:32,100", 4, 3, "Adding new member m9-x")[1:],
    ]
    bounds = stopped(tmp_path, broker=lines, m1=[joins("00:05,000", 2, "cooperative-sticky")])
    assert bounds is not None
    assert bounds[1] is not None
    assert bounds[1] > 26_000


def test_a_leader_that_sends_no_assignment_may_have_died_with_all_that_the_group_had(tmp_path: Path) -> None:
    lines = [
        *rebalance("00:00,000", "00:00,100", "00:00,200", 1, 1, "Adding new member m1-x"),
        *rebalance("00:02,000", "00:03,000", "00:03,100", 2, 2, "Adding new member m2-x"),
        *rebalance("00:03,200", "00:06,000", "00:06,100", 3, 2, "Leader m1-x re-joining group during Stable")[:2],
        broker("00:39,000", "Preparing to rebalance group g in state PreparingRebalance with old generation 3"),
        broker("00:45,000", "Stabilized group g generation 4 with 2 members."),
    ]
    bounds = stopped(tmp_path, broker=lines, m1=[joins("00:00,150", 1, "cooperative-sticky")])
    assert bounds is not None
    assert bounds[1] is not None
    assert bounds[1] > 33_000


AWAY = "Static member aaa with instance id a1 temporarily left the consumer group."
CLOSED = [
    client("00:00,500", "Member aaa with epoch 2 transitioned from STABLE to PREPARE_LEAVING.", "M", "a"),
    client("00:03,500", "Member aaa with epoch -2 transitioned from PREPARE_LEAVING to LEAVING.", "M", "a"),
]


def test_a_static_member_whose_sync_never_came_may_be_gone_since_the_rebalance_began(tmp_path: Path) -> None:
    """It kept its place without joining (KIP-345), so the new member waited for nobody that lived."""
    lines = [
        *rebalance(
            "00:00.000", "00:00.003", "00:00.005", 1, 1, "Adding new member m0-a with group instance id Some(m0)"
        ),
        *rebalance("00:40.000", "00:50.000", "00:50.002", 2, 2, "Adding new member m1-x with group instance id None"),
        broker(
            "01:00.000",
            "Preparing to rebalance group g in state PreparingRebalance with old generation 2 (reason: Removing m0-a on"
            " pending sync request expiration).",
        ),
        broker("01:01.000", "Stabilized group g generation 3 with 1 members."),
    ]
    member = [
        "[2026-03-01 10:00:40.000] INFO ConsumerConfig values: session.timeout.ms = 18000",
        joins("00:50.001", 2, "cooperative-sticky"),
        client("00:50.003", "Adding newly assigned partitions: t-1"),
        client("01:01.500", "Adding newly assigned partitions: t-0"),
    ]
    found = stopped(tmp_path, broker=[line.replace(".", ",", 1) for line in lines], m1=member)
    assert found is not None
    assert found[0] == 0
    assert found[1] is not None
    assert found[1] >= 10_000


def test_what_a_static_member_had_waits_until_its_session_ends(tmp_path: Path) -> None:
    lines = [*joined("00:00,000", "aaa", 2), *joined("00:01,000", "bbb", 3), consumer("00:03,500", AWAY)]
    lines.append(consumer("00:40,000", "Member aaa fenced from the group because the member session expired."))
    lines.append(consumer("00:40,000", "Bumped group epoch to 4 with metadata hash 77."))
    lines.append(consumer("01:30,000", "Bumped group epoch to 5 with metadata hash 77."))
    bounds = stopped(tmp_path, broker=lines, a=CLOSED)
    assert bounds is not None
    assert bounds[1] is not None
    assert 36_000 < bounds[1] < 46_000


def test_what_a_static_member_had_waits_until_it_is_back(tmp_path: Path) -> None:
    lines = [*joined("00:00,000", "aaa", 2), *joined("00:01,000", "bbb", 3), consumer("00:03,500", AWAY)]
    again = "Static member with instance id a1 re-joins the consumer group using the consumer protocol. Created a new"
    lines.append(consumer("00:33,500", f"{again} member ccc to replace the existing member aaa."))
    lines.append(consumer("01:30,000", "Bumped group epoch to 4 with metadata hash 77."))
    bounds = stopped(tmp_path, broker=lines, a=CLOSED)
    assert bounds is not None
    assert bounds[1] is not None
    assert 29_000 < bounds[1] < 37_000


SCENARIOS = (
    "rolling_restart",
    "everybody_too_slow",
    "consumer_rolling_restart",
    "eager_vs_cooperative",
    "slow_assignor",
)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_runs_stopped_time_is_that_of_its_unavailable_partitions(name: str) -> None:
    store = MemoryStore()
    info = run(find(name), store, settings=dict(every_scenario())[name], record="facts").info
    explanation = explain_run(store.read(info.id, types=FACTS))
    assert explanation is not None
    table = Run(store, info)
    for group in explanation.groups:
        assert group.stopped_ms == (together(table, str(group.group)),) * 2


def together(table: Run, group: str) -> int:
    """How long all partitions of a group are in the table of `groupsim unavailable` at once, after its start-up."""
    all_rows = table.availability().assign(from_ms=lambda t: ms(t["start"]), to_ms=lambda t: ms(t["end"]))
    rows = all_rows[all_rows["group"] == group]
    worked = table.worked[group]
    assert worked is not None
    gone = rows[~rows["available"]]
    spans = list(zip(gone["from_ms"], gone["to_ms"], gone["label"], strict=True))
    edges = sorted({worked, *rows["from_ms"], *rows["to_ms"]})
    total = tail = 0
    for begin, end in pairwise(edges):
        here = [label for since, to, label in spans if since <= begin and end <= to]
        alive = ((rows["from_ms"] <= begin) & (rows["to_ms"] >= end)).sum()
        if begin < worked or len(here) < alive:
            tail = 0
            continue
        total += end - begin
        tail = tail + end - begin if {*here} <= {"UNOWNED", "OWNER_DEAD"} else 0
    return int(total - tail)


def test_what_an_applications_listener_was_given_is_held(tmp_path: Path) -> None:
    """Spring prints the group and the partitions, and not which client it is."""
    begins = "[2026-03-01 10:00:00,003] INFO g: partitions assigned: [t-0, t-1] (o.s.k.l.KafkaMessageListenerContainer)"
    late = "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than"
    lines = [
        client("00:10,007", late),
        client("00:10,007", "Member m1-x sending LeaveGroup request to coordinator b:9092 (id: 1 rack: null) due to"
               " consumer poll timeout has expired"),
        client("00:30,009", "Lost previously assigned partitions t-0, t-1"),
        client("00:30,010", "(Re-)joining group"),
        joins("00:30,050", 7, "range"),
        client("00:30,109", "Adding newly assigned partitions: t-0, t-1"),
        client("00:40,013", "Revoke previously assigned partitions t-0, t-1"),
    ]  # fmt: skip
    assert stopped(tmp_path, m1=[begins, *lines]) == (0, 20_102)  # it had them for the first 10 of 40 s


def test_what_an_application_says_before_its_client_does_is_part_of_the_time(tmp_path: Path) -> None:
    """It says that its consumer is late, and starts it again: for how long it then had nothing is not known to be 0."""
    lines = [
        '{"level":"warn","ts":"2026-03-01T10:00:00.000Z","msg":"consumer group expired","consumerName":"g"}',
        '{"level":"info","ts":"2026-03-01T10:00:05.000Z","msg":"beginning heartbeat loop","group":"g"}',
        '{"level":"info","ts":"2026-03-01T10:00:05.010Z","msg":"assigning partitions","why":"newly fetched offsets for'
        ' group g","how":"assigning everything new, keeping current assignment","input":"t[2{42 e-1 ce0}]"}',
        '{"level":"info","ts":"2026-03-01T10:09:00.000Z","msg":"heartbeat errored","group":"g","err":'
        '"REBALANCE_IN_PROGRESS: The group is rebalancing, so a rejoin is needed."}',
    ]  # fmt: skip
    assert stopped(tmp_path, app=lines) == (0, 5_010)


def test_a_client_that_follows_another_leader_is_not_alone(tmp_path: Path) -> None:
    plan = "Finished assignment for group at generation {}: {{m1-x=Assignment(partitions=[t-0, t-1])}}"
    lost = "Lost previously assigned partitions t-0, t-1"
    log = [
        client("00:00,000", "Adding newly assigned partitions: t-0, t-1"),
        client("00:10,000", lost),
        client("00:10,001", "(Re-)joining group"),
        joins("00:15,000", 5, "range"),
        client("00:15,010", "Adding newly assigned partitions: t-0"),
        client("00:20,000", "Revoke previously assigned partitions t-0"),
        client("00:20,001", "(Re-)joining group"),
        joins("00:20,010", 6, "range"),
        client("00:20,011", plan.format(6)),
        client("00:20,020", "Adding newly assigned partitions: t-0, t-1"),
    ]
    followed = stopped(tmp_path, m1=log)
    assert followed is not None
    assert followed[0] == 0
    led = stopped(tmp_path, m1=[*log[:4], client("00:15,001", plan.format(5)), *log[4:]])
    assert led is not None
    assert led[0] is not None
    assert led[0] > 4_000


def test_nobody_had_anything_while_the_first_generation_waited_for_its_assignment(tmp_path: Path) -> None:
    joined = (
        "Dynamic member with unknown member id joins group g in {} state. Created a new member id m2-x and requested"
        " the member to rejoin with this id."
    )
    later = rebalance("00:00,020", "00:02,000", "00:05,000", 2, 2, "Adding new member m2-x")
    own = [joins("00:02,001", 2, "range"), client("00:05,001", "Adding newly assigned partitions: t-0")]
    found = {
        state: stopped(tmp_path, broker=[broker("00:00,010", joined.format(state)), *later], m1=own)
        for state in ("CompletingRebalance", "Stable")
    }
    assert found["CompletingRebalance"] is not None
    assert found["CompletingRebalance"][0] == 0
    assert found["Stable"] is not None
    assert found["Stable"][0] == 3_000


def test_a_rebalance_right_behind_the_first_assignment_may_have_come_before_anybody_had_it(tmp_path: Path) -> None:
    first = rebalance("00:00,005", "00:00,005", "00:00,007", 1, 1, "Adding new member m1-x")
    own = [joins("00:00,006", 1, "range"), client("00:03,001", "Adding newly assigned partitions: t-0")]
    for begins, least in (("00:00,011", 0), ("00:01,000", 1_000)):
        second = rebalance(begins, "00:02,000", "00:03,000", 2, 2, "Adding new member m2-x")
        found = stopped(tmp_path, broker=[*first, *second], m1=own)
        assert found is not None
        assert found[0] == least


def test_what_a_log_begins_with_is_handed_over_first(tmp_path: Path) -> None:
    stored = rebalance("00:00,000", "00:00,000", "00:00,988", 6, 1, "Adding new member m1-x")[2:]
    assert stopped(tmp_path, broker=[*stored, broker("00:09,000", "Some other line")]) == (0, 400)
