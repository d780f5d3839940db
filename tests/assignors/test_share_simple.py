"""Every recorded answer of the coordinator's `simple` for share groups (Kafka 4.4.0), with hash orders and errors."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.kafka.share_simple import share_simple
from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import TopicPartition
from tests.thinned import some

GOLDEN = Path(__file__).parents[1] / "golden" / "share-groups" / "assignor" / "simple-4.4.0.jsonl.gz"


def problem(of: Mapping[str, Any], now: Mapping[str, Any]) -> Spec:
    """A recorded problem; in a round of a history, members own `now`, what the round before gave them."""
    members = []
    for member in of["members"]:
        owned = member.get("owned", now.get(member["id"], {}))
        partitions = tuple(TopicPartition(topic, n) for topic, numbers in owned.items() for n in numbers)
        members.append(Member(member["id"], tuple(member["topics"]), partitions))
    return Spec(tuple(members), of["topics"], assignable=of.get("assignable"))


def answer(spec: Spec) -> Any:
    try:
        found = share_simple(spec)
    except AssignorError as error:
        return str(error).removeprefix("java.util.")
    result: dict[str, dict[str, list[int]]] = {member: {} for member in found}
    for member, mine in found.items():
        for topic, number in mine:
            result[member].setdefault(topic, []).append(number)
    return result


def test_every_answer_and_every_error_is_kafkas() -> None:
    with gzip.open(GOLDEN) as file:
        records = list(map(msgspec.json.decode, file))
    records = some([r for r in records if "error" not in r], every=3) + [r for r in records if "error" in r]
    wrong = []
    for record in records:
        rounds = record.get("rounds", [record.get("problem")])
        now: Any = {}
        kafkas = record.get("trace") or [record.get("assignment", record.get("error"))]
        for said, wanted in zip(rounds, kafkas, strict=True):
            now = answer(problem({**record.get("common", {}), **said}, now))
            if now != wanted:
                wrong.append(record["id"])
    assert (len(records) >= 340, wrong) == (True, [])


def test_partitions_that_are_not_initialised_are_given_to_nobody() -> None:
    members = (Member("a", ("t",)), Member("b", ("t",)))
    assert answer(Spec(members, {"t": 4}, assignable={"t": (1, 3)})) in (
        {"a": {"t": [1]}, "b": {"t": [3]}},
        {"a": {"t": [3]}, "b": {"t": [1]}},
    )
    assert answer(Spec(members, {"t": 4}, assignable={})) == {"a": {}, "b": {}}


def test_more_members_than_partitions_share_them() -> None:
    members = tuple(Member(f"m{i}", ("t",)) for i in range(6))
    found = answer(Spec(members, {"t": 2}))
    holders = {n: [m for m, mine in found.items() if n in mine.get("t", ())] for n in range(2)}
    assert {n: len(some) for n, some in holders.items()} == {0: 3, 1: 3}
