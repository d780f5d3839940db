"""The what-ifs and remedies that are proposed: those that a group's members can take, and that can be answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.diagnosis.codes import Certainty, Code, GroupType
from groupsim.diagnosis.explain import Explanation, explain_reading
from groupsim.diagnosis.finding import Diagnosis, Finding, Remedy, alternatives
from groupsim.diagnosis.to_json import as_json
from groupsim.diagnosis.to_report import answer_of_run
from groupsim.diagnosis.trying import with_trials
from groupsim.diagnosis.what_if import questions
from groupsim.events.base import WORLD_STREAM, Event, Recorded, group_stream, process_stream
from groupsim.events.classic import JoinPhaseCompleted
from groupsim.events.client import EpochReceived, JoinOk, ProcessStarted
from groupsim.events.consumer import TargetComputed
from groupsim.events.world import GroupDeclared
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.store import RunInfo, RunSource
from tests.analysis.report.conftest import EXAMPLE, imported
from tests.incidents.recordings import logs_of

Facts = list[tuple[str, Event]]
CLASSIC, CONSUMER = GroupType.CLASSIC, GroupType.CONSUMER
STEPWISE = Remedy("x", trial=(("assignor", "cooperative-sticky"),))


def declared(group: str = "g", *topics: str) -> Facts:
    return [(WORLD_STREAM, GroupDeclared(group=group, protocol="classic", topics=topics))]


KNOWN = declared("g", "orders")
TARGET: Facts = [(group_stream("g"), TargetComputed(epoch=3, assignor="uniform", changed={}, at_ms=0))]
EPOCH: Facts = [(process_stream("g", "m1.0"), EpochReceived(process="m1.0", epoch=3, member="m1"))]


def joined(*assignors: str | None, group: str = "g", size: int = 2) -> Facts:
    return [
        (group_stream(group), JoinPhaseCompleted(generation=number, protocol=name, size=size))
        for number, name in enumerate(assignors, start=1)
    ]


def started(*clients: str, library: str | None = "java", group: str = "g") -> Facts:
    found: Facts = []
    for number, client in enumerate(clients):
        name = f"{client}.{number}"
        stream = process_stream(group, name)
        found.append((stream, ProcessStarted(process=name, client_id=client, library=library)))
        found.append((stream, JoinOk(process=name, generation=1, member=name)))
    return found


def asked(facts: Facts, kind: GroupType = CLASSIC, *, known: bool = True, do: tuple[Remedy, ...] = ()) -> list[str]:
    recorded = [Recorded("run", seq, seq, stream, seq, event) for seq, (stream, event) in enumerate(facts)]
    info = RunInfo(id="abc", name="x", source=RunSource.RECORDED, created_at="")
    finding = Finding(code=Code.SCALE_OUT, certainty=Certainty.LIKELY, what="x", do=do)
    group = Diagnosis("g", kind, None, None, (0, 0), None, (finding,), ())
    found = questions(info, recorded, Explanation("x", (group,)), total_known=known)
    return [question.command.removeprefix("groupsim whatif abc ") for question in found]


ROLL, EACH, BACK = "--migrate rolling", "--protocol consumer --protocol classic", "--protocol classic"
TWO = joined("range") + started("m1", "m2")


@pytest.mark.parametrize(
    ("facts", "kind", "command"),
    [
        (KNOWN + TWO, CLASSIC, ROLL),
        (KNOWN + joined(None, None), CLASSIC, ROLL),
        (KNOWN + joined("range") + started("m1", "m2", library="sarama"), CLASSIC, None),
        (KNOWN + joined("range") + started("m1", "m2", library="kafka-python"), CLASSIC, None),
        (KNOWN + TWO, GroupType.STREAMS, "--protocol streams"),
        (KNOWN + TWO, GroupType.CONNECT, None),
        (KNOWN + TWO, GroupType.SCHEMA_REGISTRY, None),
        (declared("g") + TWO, CLASSIC, None),  # no log names a partition: one for each member would be assumed
        (KNOWN + joined("range", size=1) + started("m1", "m2"), CLASSIC, None),  # m1 came back as m2
        (KNOWN + joined("range", size=0) + started("m1"), CLASSIC, None),
        (KNOWN + joined("range", size=0) + started("m1", "m2"), CLASSIC, ROLL),
        (KNOWN + TWO + TARGET, CONSUMER, EACH),
        (KNOWN + TARGET + EPOCH + started("m1", "m2"), CONSUMER, BACK),
        (KNOWN + TARGET + EPOCH + started("m1"), CONSUMER, None),
        (KNOWN + started("m1", "m1"), CLASSIC, None),
        (KNOWN + joined("range") + started("m1")[:1], CLASSIC, None),  # nobody knows how it joined
        (KNOWN + declared("other group") + TWO, CLASSIC, f"{ROLL} --group g"),
    ],
)
def test_the_protocol_that_is_proposed_is_one_that_the_members_can_speak(
    facts: Facts, kind: GroupType, command: str | None
) -> None:
    assert asked(facts, kind) == ([] if command is None else [command])


def test_without_a_total_no_what_if_is_proposed_for_its_answer_would_be_unknown() -> None:
    assert asked(KNOWN + TWO, do=(STEPWISE,)) == ["--assignor cooperative-sticky", ROLL]
    assert asked(KNOWN + TWO, do=(STEPWISE,), known=False) == []


def test_a_group_of_one_gets_no_other_assignor() -> None:
    assert asked(KNOWN + joined("range", size=1) + started("m1"), do=(STEPWISE,)) == []


def test_a_report_ends_with_the_questions_that_its_record_can_answer() -> None:
    run = imported(EXAMPLE)
    answer = answer_of_run(run)
    assert answer is not None
    asked = f"groupsim whatif {run.info.id} --migrate rolling"
    assert (asked, "what the consumer protocol would change, and what a roll to it costs") in answer.questions


def tried(*logs: Path) -> set[str | None]:
    """What JSON proposes to try, of all remedies of these logs."""
    reading = read_files(logs)
    explanation = explain_reading(reading)
    assert explanation is not None
    groups = as_json(with_trials(explanation, reading, simulate=False, compare=True))["groups"]
    return {remedy["try"] for group in groups for finding in group["findings"] for remedy in finding["do"]}


def test_json_proposes_a_what_if_where_there_is_something_to_compare_and_no_other() -> None:
    """The broker's log alone names no partitions and gives no total; with the members' logs it does."""
    logs = logs_of(EXAMPLE)
    assert "groupsim import LOG... && groupsim whatif latest --set membership=static" in tried(*logs)
    assert tried(*[log for log in logs if log.name.startswith("broker")]) == {None}


def diagnosed(tmp_path: Path, client: str, size: int = 2) -> Diagnosis:
    """A member that joins a working group, by its broker's log."""
    head = "[2024-05-17 16:16:2{}] INFO [GroupCoordinator 1]: "
    lines = [
        "Stabilized group g generation 4 (__consumer_offsets-25) with 1 members",
        "Preparing to rebalance group g in state PreparingRebalance with old generation 4 (__consumer_offsets-25)"
        f" (reason: Adding new member {client}-4bbb8859-cf4e-4d2b-8f5f-f5b5d9167829 with group instance id None;"
        " client reason: not provided)",
        f"Stabilized group g generation 5 (__consumer_offsets-25) with {size} members",
    ]
    log = tmp_path / "broker.log"
    ends = " (kafka.coordinator.group.GroupCoordinator)\n"
    log.write_text("".join(f"{head.format(f'{n},000')}{line}{ends}" for n, line in enumerate(lines)))
    explanation = explain_reading(read_files([log]))
    assert explanation is not None
    return explanation.groups[0]


@pytest.mark.parametrize(
    ("client", "has"),
    [("rdkafka", True), ("consumer-g-1", True), ("orders", True), ("sarama", False), ("kafka-python-2.0.2", False),
     ("nestjs-consumer-server", False), ("faust-1.10.4", False)],
)  # fmt: skip
def test_cooperative_sticky_is_not_proposed_to_libraries_that_have_no_such_assignor(
    tmp_path: Path, client: str, has: bool
) -> None:
    group = diagnosed(tmp_path, client)
    said = [remedy.what for finding in group.findings for remedy in finding.do]
    assert any("nothing is wrong" in what for what in said)
    assert any("cooperative-sticky" in what for what in said) is has


def test_a_group_that_never_has_two_members_needs_no_protocol_under_which_only_what_moves_stops(tmp_path: Path) -> None:
    said = [remedy.what for finding in diagnosed(tmp_path, "orders", size=1).findings for remedy in finding.do]
    assert not any("cooperative-sticky" in what for what in said)


def test_what_stands_first_has_no_or_wherever_it_stood_before() -> None:
    given = [Remedy("or use a", brief="a"), Remedy("b"), Remedy("and c")]
    assert [remedy.what for remedy in alternatives(given)] == ["use a", "or b", "and c"]
    assert [remedy.what for remedy in alternatives(reversed(given))] == ["c", "or b", "or use a"]


def _loop() -> str:
    """Two batches that take 30 s each where 10 s are allowed; the log begins with the application's own line."""
    internals = "o.a.k.c.c.internals.ConsumerCoordinator : [Consumer clientId=app-1, groupId=g] "
    left = "Member {} sending LeaveGroup request to coordinator b:9092 (id: 1 rack: null) due to consumer poll timeout"
    late = "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than"
    steps = [
        ("00.313", "o.s.k.l.KafkaMessageListenerContainer : g: partitions assigned: [t-0, t-1, t-2, t-3]"),
        ("10.398", internals + late),
        ("10.398", internals + left.format("app-1-x")),
        ("30.393", internals + "Giving away all assigned partitions as lost since generation has been reset"),
        ("30.393", internals + "Lost previously assigned partitions t-0, t-1, t-2, t-3"),
        ("30.394", internals + "(Re-)joining group"),
        ("30.397", internals + "Successfully joined group with generation Generation{generationId=45,"
         " memberId='app-1-y', protocol='range'}"),
        ("30.398", internals + "Finished assignment for group at generation 45: {app-1-y=Assignment(partitions=[t-0,"
         " t-1, t-2, t-3])}"),
        ("30.399", internals + "Successfully synced group in generation Generation{generationId=45, memberId='app-1-y',"
         " protocol='range'}"),
        ("30.400", internals + "Adding newly assigned partitions: t-0, t-1, t-2, t-3"),
        ("40.476", internals + late),
        ("40.476", internals + left.format("app-1-y")),
        ("59.443", "x.App : still working"),
    ]  # fmt: skip
    return "".join(f"2026-03-01 10:00:{at}  INFO 1 --- [main] {text}\n" for at, text in steps)


def test_a_trial_that_does_not_resemble_its_record_gives_no_figure(tmp_path: Path) -> None:
    """What a log shows of the first assignment is a line of the application alone, from which no total follows."""
    log = tmp_path / "app.log"
    log.write_text(_loop(), encoding="utf-8")
    reading = read_files([log])
    explanation = explain_reading(reading)
    assert explanation is not None
    tried = with_trials(explanation, reading)
    (group,) = tried.groups
    assert any(remedy.trial for remedy in group.findings[0].do)
    assert {(remedy.effect, remedy.verdict) for remedy in group.findings[0].do} == {(None, None)}
    assert tried.answer.endswith("lower max.poll.records or raise max.poll.interval.ms.")


def test_under_the_consumer_protocol_session_and_heartbeat_are_the_brokers(tmp_path: Path) -> None:
    manager = "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
    said = [
        "Member aaa joins the consumer group using the consumer protocol.",
        "Bumped group epoch to 2 with metadata hash 77.",
        "Computed a new target assignment for epoch 2 with 'uniform' assignor in 1ms.",
        "Member aaa fenced from the group because the member session expired.",
    ]
    lines = [
        f"[2026-03-01 10:0{n}:00,000] INFO [GroupCoordinator id=1] [GroupId g] {each} {manager}"
        for n, each in enumerate(said)
    ]
    log = tmp_path / "broker.log"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    explanation = explain_reading(read_files([log]))
    assert explanation is not None
    (finding, *_) = explanation.groups[0].findings
    named = {name for remedy in finding.do for name in remedy.settings}
    assert "group.consumer.session.timeout.ms" in named
    assert "session.timeout.ms" not in named
    assert all(" session.timeout.ms" not in remedy.what for remedy in finding.do)
