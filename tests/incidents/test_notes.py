"""What an import says of the whole: two incidents in one, lines without a fact, one sentence for many groups; KIP-848."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path

from groupsim.analysis.availability.intervals import intervals
from groupsim.events import client, consumer
from groupsim.events.types import TopicPartition
from tests.incidents.imported import BROKER, import_logs, joined, of
from tests.incidents.lines import CLASS, NEW, OLD, stamped, write

JAVA = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7] [GroupId billing] "
U1, U2 = "aBcD1234efGH5678ijKL90", "XyZw1234efGH5678ijKL91"


def member(second: float, c: str, who: str, epoch: int, before: str, after: str) -> str:
    prefix = f"[Consumer clientId={c}, groupId=billing] "
    return stamped(
        second,
        prefix
        + f"Member {who} with epoch {epoch} transitioned from {before} to {after}. (x.y.ConsumerMembershipManager)",
    )


def reconciling(second: float, c: str, who: str, assigned: str, owned: str) -> list[str]:
    prefix = f"[Consumer clientId={c}, groupId=billing] "
    return [
        stamped(second, prefix + "Reconciling assignment with local epoch 1"),
        f"\tMember:                                    {who}",
        f"\tAssigned partitions:                       [{assigned}]",
        f"\tCurrent owned partitions:                  [{owned}]",
        "\tAdded partitions (assigned - owned):       []",
        "\tRevoked partitions (owned - assigned):     []",
        " (x.y.ConsumerMembershipManager)",
    ]


def adding(second: float, c: str, *names: str) -> str:
    return stamped(
        second, f"[Consumer clientId={c}, groupId=billing] Adding newly assigned partitions: {', '.join(names)}{CLASS}"
    )


def consumer_group(folder: Path) -> list[Path]:
    """Two members of a KIP-848 group: the first has both partitions, the second gets one a second later."""
    broker = write(
        folder,
        stamped(1, JAVA + f"Member {U1} joins the consumer group using the consumer protocol. {NEW}"),
        stamped(1, JAVA + f"Bumped group epoch to 1. {NEW}"),
        stamped(1, JAVA + f"Computed a new target assignment for epoch 1 with 'uniform' assignor in 1ms. {NEW}"),
        stamped(5, JAVA + f"Member {U2} joins the consumer group using the consumer protocol. {NEW}"),
        stamped(5, JAVA + f"Bumped group epoch to 2. {NEW}"),
        stamped(5.013, JAVA + f"Computed a new target assignment for epoch 2 with 'uniform' assignor in 1ms. {NEW}"),
        stamped(9, JAVA + f"Member {U2} fenced from the group because the member session expired.. {NEW}"),
        stamped(9.5, JAVA + f"Computed a new target assignment for epoch 3 with 'uniform' assignor in 1ms. {NEW}"),
        name="broker.log",
    )
    first = write(
        folder,
        member(0.9, "c1", U1, 0, "UNSUBSCRIBED", "JOINING"),
        member(1.1, "c1", U1, 1, "JOINING", "RECONCILING"),
        *reconciling(1.1, "c1", U1, "orders-0, orders-1", ""),
        adding(1.2, "c1", "orders-0", "orders-1"),
        member(1.3, "c1", U1, 1, "RECONCILING", "ACKNOWLEDGING"),
        member(5.5, "c1", U1, 1, "STABLE", "RECONCILING"),
        *reconciling(5.5, "c1", U1, "orders-0", "orders-0, orders-1"),
        stamped(5.5, "[Consumer clientId=c1, groupId=billing] Revoke previously assigned partitions orders-1" + CLASS),
        member(5.501, "c1", U1, 1, "RECONCILING", "ACKNOWLEDGING"),
        name="c1.log",
    )
    second = write(
        folder,
        member(4.903, "c2", U2, 0, "UNSUBSCRIBED", "JOINING"),
        member(5.1, "c2", U2, 2, "JOINING", "STABLE"),
        member(6.0, "c2", U2, 2, "STABLE", "RECONCILING"),
        *reconciling(6.0, "c2", U2, "orders-1", ""),
        adding(6.0, "c2", "orders-1"),
        name="c2.log",
    )
    return [broker, first, second]


def test_a_consumer_group_has_the_brokers_epochs_and_the_targets_and_steps_of_its_clients_logs(tmp_path: Path) -> None:
    _, facts = import_logs(*consumer_group(tmp_path))
    first, second = TopicPartition("orders", 0), TopicPartition("orders", 1)
    assert [(e.epoch, e.cause, e.member) for e in of(facts, consumer.GroupEpochBumped)] == [
        (1, "subscription-changed", U1),
        (2, "subscription-changed", U2),
        (3, "member-removed", U2),
    ]
    assert [(e.epoch, e.assignor, e.changed) for e in of(facts, consumer.TargetComputed)] == [
        (1, "uniform", {U1: (first, second)}),
        (2, "uniform", {U1: (first,), U2: (second,)}),
        (3, "uniform", {}),
    ]
    steps = [
        (e.member, e.epoch, e.state, len(e.assigned), len(e.pending)) for e in of(facts, consumer.MemberReconciled)
    ]
    assert steps[1:] == [
        (U1, 1, "stable", 2, 0),
        (U1, 1, "unrevoked-partitions", 1, 1),
        (U1, 2, "stable", 1, 0),
        (U2, 2, "stable", 1, 0),
        (U1, 3, "stable", 1, 0),
    ]
    assert [(e.process, e.epoch) for e in of(facts, client.EpochReceived)] == [("c1.0", 1), ("c2.0", 2)]


def test_a_consumer_groups_partition_is_out_from_its_revocation_to_its_next_owner_and_no_other_is(
    tmp_path: Path,
) -> None:
    _, facts = import_logs(*consumer_group(tmp_path))
    found = [(i.partition, i.from_ms, i.to_ms, i.label) for i in intervals(facts) if 4_600 <= i.from_ms < 8_600]
    assert found == [
        (0, 4_600, 4_601, "PAUSED_CALLBACK"),
        (0, 4_601, 8_600, "OK"),
        (1, 4_600, 4_601, "PAUSED_CALLBACK"),
        (1, 4_601, 5_100, "WITHHELD"),
        (1, 5_100, 8_100, "OWNER_DEAD"),
        (1, 8_100, 8_600, "WITHHELD"),
    ]


def test_lines_without_a_kind_of_fact_are_counted(tmp_path: Path) -> None:
    unreleased = f"Static member {U2} with instance id i1 cannot join the group because the instance id is is owned by member {U1}."
    log = write(
        tmp_path,
        stamped(1, JAVA + f"Member {U1} joins the consumer group using the consumer protocol. {NEW}"),
        stamped(2, JAVA + unreleased + NEW),
    )
    result, _ = import_logs(log)
    assert any(note.endswith("there is no kind of fact: instance_id_unreleased 1") for note in result.notes)


def test_logs_that_share_no_group_and_lie_hours_apart_are_noted(tmp_path: Path) -> None:
    late = [line.replace("2024-03-01 10:", "2024-03-01 19:").replace("billing", "shipping") for line in joined(1, 4)]
    a, b = write(tmp_path, *joined(1, 4), name="a.log"), write(tmp_path, *late, name="b.log")
    result, _ = import_logs(a, b)
    (remark,) = result.remarks
    assert "2 incidents that have no group in common: a.log and b.log 9.0 hours apart" in remark
    assert remark in result.notes
    together, _ = import_logs(
        a, write(tmp_path, *(line.replace("billing", "shipping") for line in joined(1, 4)), name="c.log")
    )
    assert together.remarks == ()


def test_six_incidents_in_one_import_are_one_remark(tmp_path: Path) -> None:
    logs = []
    for hour in range(12, 24, 2):
        lines = [line.replace("2024-03-01 10:", f"2024-03-01 {hour}:") for line in joined(1, 4)]
        logs.append(write(tmp_path, *(x.replace("billing", f"g{hour}") for x in lines), name=f"{hour}.log"))
    (remark,) = import_logs(*logs)[0].remarks
    assert all(said in remark for said in ("6 incidents", "12.log and 14.log 2.0 hours apart", "2 more gaps"))


def test_a_clock_that_fits_is_noted_with_its_support_and_one_that_does_not_is_a_remark(tmp_path: Path) -> None:
    def pair(ahead: float) -> list[Path]:
        client = [line for n, s in enumerate((1.003, 11.003, 21.003), 4) for line in joined(s + ahead, n)]
        broker = [
            stamped(s + 0.05, f"{BROKER}Stabilized group billing generation {n} (__consumer_offsets-7) {OLD}")
            for n, s in enumerate((1.003, 11.003, 21.003), 4)
        ]
        return [write(tmp_path, *client, name="c.log"), write(tmp_path, *broker, name="b.log")]

    fits, _ = import_logs(*pair(0.01))
    assert fits.remarks == ()
    assert [note.partition("c.log: ")[2] for note in fits.notes if "clock" in note] == [
        "its clock fits the broker's; 3 events that both log would allow -60 to +40 ms"
    ]
    differs, _ = import_logs(*pair(30))
    assert "30" in differs.remarks[0]


def test_what_is_true_of_many_groups_is_said_once(tmp_path: Path) -> None:
    lines = [stamped(n / 10, BROKER + f"Group g{n} with generation 5 is now empty {OLD}") for n in range(8)]
    result, _ = import_logs(write(tmp_path, *lines))
    assert [note for note in result.notes if "names a partition" in note] == [
        'groups "g0", "g1", "g2", "g3", "g4" and 3 more: no log names a partition, so which partitions were'
        " unavailable is unknown"
    ]
