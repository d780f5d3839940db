"""Every recorded answer of the `uniform` assignor of Kafka 4.4.0, and what only the coordinator knows of a problem."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.errors import AssignorError, BadSpec
from groupsim.assignors.history import Round, play
from groupsim.assignors.problem_files import Line, read, specs_of
from groupsim.assignors.spec import Answer, Member, Spec
from groupsim.events.types import TopicPartition

GOLDEN = Path(__file__).parents[1] / "golden" / "assignors"
OLD, NEW = ASSIGNORS["uniform"], ASSIGNORS["uniform-4.1"]


def lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt") as file:
        yield from file


def answers(line: Line) -> Iterator[Any]:
    """What `uniform-4.1` answers to each problem of a line: each member's partitions, or the exception."""
    if line.rounds is not None:
        found = [(call.answer, call.error) for call in play(NEW, [Round(spec) for spec in specs_of(line)])]
    else:
        try:
            found = [(NEW.assign(specs_of(line)[0]), None)]
        except AssignorError as error:
            found = [(None, str(error))]
    for plan, exception in found:
        yield exception if plan is None else {member: [list(p) for p in mine] for member, mine in plan.items()}


def of_2024(found: dict[str, Any]) -> list[Any]:
    """What the older edition answered to each problem of a line."""
    if "trace" in found:
        return [call.get("error") or call["assignments"] for call in found["trace"][OLD.name]]
    return [found.get("errors", {}).get(OLD.name) or found["assignments"][OLD.name]]


def recorded(found: dict[str, Any]) -> list[Any]:
    """What Kafka 4.4.0 answered."""

    def one(assignment: dict[str, Any]) -> Any:
        if "error" in assignment:
            return assignment["error"]
        return {m: [[topic, n] for topic in mine for n in mine[topic]] for m, mine in assignment.items()}

    if "rounds" in found:
        return [one(assignment) for assignment in found["rounds"]]
    return [found["error"] if "error" in found else one(found["assignment"])]


def test_every_answer_is_that_of_kafka_4_4() -> None:
    wanted = {found["id"]: found for found in map(msgspec.json.decode, lines(GOLDEN / "4.4.0" / "uniform.jsonl.gz"))}
    assert len(wanted) == 3733
    wrong, like_old = [], 0
    for path in sorted(GOLDEN.glob("*.jsonl.gz")):
        for text in lines(path):
            line = read(text)
            found = wanted.pop(line.id)
            same_as_old = len(found) == 1
            like_old += same_as_old
            kafkas = of_2024(msgspec.json.decode(text)) if same_as_old else recorded(found)
            if list(answers(line)) != kafkas:
                wrong.append(line.id)
    assert (wrong, wanted, like_old) == ([], {}, 2336)


def held(*partitions: str) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(p.split("-")[0], int(p.split("-")[1])) for p in partitions)


def sizes(found: Answer) -> dict[str, int]:
    return {member: len(mine) for member, mine in found.items()}


def test_who_has_one_more_keeps_it_since_4_1() -> None:
    """KAFKA-18688: with three partitions for two members, in the map order b, c."""
    spec = Spec((Member("b", ("t",), held("t-0")), Member("c", ("t",), held("t-1", "t-2"))), {"t": 3})
    assert sizes(OLD.assign(spec)) == {"b": 2, "c": 1}
    assert sizes(NEW.assign(spec)) == {"b": 1, "c": 2}
    nobody = replace(spec, members=tuple(replace(m, owned=()) for m in spec.members))
    assert sizes(OLD.assign(nobody)) == {"b": 2, "c": 1}
    assert sizes(NEW.assign(nobody)) == {"b": 1, "c": 2}


def test_partitions_are_dealt_in_the_order_of_the_topic_ids() -> None:
    """Hash codes of topic ids decide which topic is dealt first: 0 and 3 here."""
    members = (Member("m1", ("t1", "t2")), Member("m2", ("t1", "t2")))
    spec = Spec(members, {"t1": 2, "t2": 2})
    ids = ("AAAAAAAAAAEAAAAAAAAAAQ", "AAAAAAAAAAEAAAAAAAAAAg")
    forward = replace(spec, topic_ids=dict(zip(("t1", "t2"), ids, strict=True)))
    backward = replace(spec, topic_ids=dict(zip(("t2", "t1"), ids, strict=True)))
    assert NEW.assign(forward)["m1"] == held("t1-0", "t1-1")
    assert NEW.assign(backward)["m1"] == held("t2-0", "t2-1")
    in_hexadecimal = replace(spec, topic_ids={"t1": "00000000-0000-0001-0000-000000000001", "t2": ids[1]})
    assert NEW.assign(in_hexadecimal) == NEW.assign(forward)


def test_the_coordinator_says_whether_subscriptions_are_equal() -> None:
    """Equal topics by different names and expressions are unequal subscriptions (Kafka: SubscriptionType)."""
    owned = held("t-0", "t-1", "t-4")
    spec = Spec((Member("a", ("t",), owned), Member("b", ("t",), held("t-2", "t-3"))), {"t": 5, "u": 4})
    unequal = replace(spec, equal_subscriptions=False)
    assert sizes(NEW.assign(spec)) == sizes(NEW.assign(unequal))
    grown = replace(spec, partitions={"t": 8})
    assert NEW.assign(grown) == NEW.assign(replace(grown, equal_subscriptions=True))
    assert NEW.assign(grown) != NEW.assign(replace(grown, equal_subscriptions=False))


@pytest.mark.parametrize("text", ["", "t1", "AAAAAAAAAAEAAAAAAAAAA*", "00000000-0000-0001-0000-00000000000"])
def test_what_is_no_topic_id_is_named(text: str) -> None:
    with pytest.raises(BadSpec, match="is no topic id"):
        NEW.assign(Spec((Member("a", ("t",)),), {"t": 1}, topic_ids={"t": text}))
