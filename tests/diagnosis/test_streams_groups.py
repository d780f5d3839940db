"""Streams groups and classic Kafka Streams: lines of recordings of Kafka 4.4.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Code, GroupType
from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.finding import Diagnosis
from groupsim.incidents.logs.reading import read_files

_BROKER = (
    "[2026-11-26 11:{at}] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=0] [GroupId k03.{kind}.r1]"
)
_SOURCE = " (org.apache.kafka.coordinator.group.GroupMetadataManager)"
_A, _B, _C = "xXK_XjJnTRGa7p4P6hlQBg", "uDWtNvhqRjKHujVu6vlTWw", "KiO7eEu6TsK89QJvwOLZNA"
_JOINING = (
    "[2026-11-26 11:30:36,000] INFO [Consumer clientId=m1.0-StreamThread-1-consumer, groupId=k01] (Re-)joining group"
    " (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
)
_THREAD = "[2026-11-26 11:30:{at}] INFO stream-thread [m1.0-StreamThread-1-consumer] {text}"
_STREAMS = " (org.apache.kafka.streams.processor.internals.StreamsPartitionAssignor)"


def _diagnosed(folder: Path, *lines: str) -> Diagnosis:
    path = folder / "app.log"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    explanation = explain_reading(read_files([path]))
    assert explanation is not None
    return explanation.groups[0]


def _joins(at: str, member: str, kind: str) -> str:
    return _BROKER.format(at=at, kind=kind) + f"[MemberId {member}] Member joins the {kind} group.{_SOURCE}"


@pytest.mark.parametrize("kind", ["streams", "share"])
def test_the_coordinator_says_whose_session_expired(tmp_path: Path, kind: str) -> None:
    group = _diagnosed(
        tmp_path,
        _joins("32:16,768", _B, kind),
        _joins("32:17,465", _A, kind),
        _BROKER.format(at="32:30,854", kind=kind)
        + f" {kind.capitalize()} member {_A} fenced from the group because the member session expired..{_SOURCE}",
    )
    assert group.type is GroupType(kind)
    assert group.findings[0].code is Code.SESSION_EXPIRED
    assert group.findings[0].members == (_A,)


def test_members_that_leave_while_others_join_are_restarted(tmp_path: Path) -> None:
    target = " Computed a new target assignment for epoch 1 with 'sticky' assignor in 7ms."
    lines = [
        _joins("33:30,589", _A, "streams"),
        _BROKER.format(at="33:30,930", kind="streams") + target + _SOURCE,
        _joins("33:31,574", _B, "streams"),
    ]
    for second, old, new in ((39, _A, _C), (45, _B, "45wkPVqaTbmzlWG34kqBFA")):
        left = f"[MemberId {old}] Member {old} left the streams group."
        lines.append(_BROKER.format(at=f"33:{second},704", kind="streams") + left + _SOURCE)
        lines.append(_joins(f"33:{second + 2},848", new, "streams"))
    assert _diagnosed(tmp_path, *lines).findings[0].code is Code.ROLLING_RESTART


def test_the_second_rebalance_of_a_hand_over_probes_for_nothing(tmp_path: Path) -> None:
    group = _diagnosed(
        tmp_path,
        _JOINING,
        _THREAD.format(at="36,100", text="Finished stable assignment of tasks, no followup rebalances required.")
        + _STREAMS,
        _THREAD.format(
            at="37,000",
            text="Requested to schedule immediate rebalance for new tasks to be safely revoked from current",
        )
        + f" owner.{_STREAMS}",
    )
    assert Code.STREAMS_PROBING not in {finding.code for finding in group.findings}


@pytest.mark.parametrize(("records", "waits"), [(12, False), (48_000, True)])
def test_state_of_a_few_records_is_there_at_once(tmp_path: Path, records: int, waits: bool) -> None:
    group = _diagnosed(
        tmp_path,
        _JOINING,
        "[2026-11-26 11:30:36,558] INFO state-updater [m1.0-StateUpdater-1] Finished restoring changelog"
        f" k01-counts-changelog-0 to store counts with a total number of {records} records"
        " (org.apache.kafka.streams.processor.internals.StoreChangelogReader)",
    )
    assert (Code.STREAMS_RESTORE in {finding.code for finding in group.findings}) is waits


_GOLDEN = Path(__file__).parents[1] / "golden" / "recordings-streams"


def _recorded(name: str) -> Diagnosis:
    (folder,) = _GOLDEN.glob(f"{name}*")
    explanation = explain_reading(read_files(sorted((folder / "logs").glob("*.gz"))))
    assert explanation is not None
    return explanation.groups[0]


def test_tasks_of_a_streams_group_that_restore_on_a_new_instance_need_standbys_of_the_group() -> None:
    first = _recorded("K06").findings[0]
    assert first.code is Code.STREAMS_RESTORE
    assert first.what == "3 tasks of Kafka Streams waited up to 9.9 s until their state was restored"
    assert "group.streams.num.standby.replicas" in first.do[0].settings


def test_a_classic_instance_that_is_closed_does_not_leave() -> None:
    first = _recorded("K04").findings[0]
    assert first.code is Code.SESSION_EXPIRED
    assert "Kafka Streams does not leave the group" in first.what
    assert "group.instance.id" in first.do[0].settings


def test_a_member_of_a_streams_group_that_expires_was_not_only_closed(tmp_path: Path) -> None:
    group = _diagnosed(
        tmp_path,
        _joins("32:16,768", _B, "streams"),
        _joins("32:17,465", _A, "streams"),
        _BROKER.format(at="32:30,854", kind="streams")
        + f" Streams member {_A} fenced from the group because the member session expired..{_SOURCE}",
    )
    assert not any("does not leave" in remedy.what for remedy in group.findings[0].do)
    assert any("group.streams.session.timeout.ms" in remedy.settings for remedy in group.findings[0].do)
