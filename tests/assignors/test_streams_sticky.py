"""Every recorded answer of the coordinator's `sticky` for streams groups (Kafka 4.4.0), hash orders included."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groupsim.assignors.errors import AssignorError, BadSpec
from groupsim.assignors.kafka.streams_sticky import StreamsMember, StreamsProblem, Subtopology, streams_sticky
from tests.thinned import some

GOLDEN = Path(__file__).parents[1] / "golden" / "streams-groups" / "assignor" / "sticky-4.4.0.jsonl.gz"
Answer = dict[str, dict[str, Any]]


def problem(of: Mapping[str, Any], now: Answer) -> StreamsProblem:
    """A recorded problem; in a round of a history, members have `now`, what the round before gave them."""
    members = []
    for member in of["members"]:
        held = {**now.get(member["id"], {}), **member}
        offsets = {name: {int(n): at for n, at in some.items()} for name, some in member.get("offsets", {}).items()}
        standby = held.get("standby", {})
        members.append(StreamsMember(member["id"], member["process"], held.get("active", {}), standby, offsets))
    subtopologies = {name: Subtopology(one["partitions"], one["stateful"]) for name, one in of["subtopologies"].items()}
    return StreamsProblem(tuple(members), subtopologies, of["num_standby_replicas"])


def answer(of: Mapping[str, Any], now: Answer) -> Answer:
    found = streams_sticky(problem(of, now))
    return {
        member: {
            "active": {name: list(numbers) for name, numbers in mine.active.items()},
            "standby": {name: list(numbers) for name, numbers in mine.standby.items()},
        }
        for member, mine in found.items()
    }


def test_every_answer_is_kafkas() -> None:
    with gzip.open(GOLDEN) as file:
        records = some(map(msgspec.json.decode, file), every=4)
    wrong = []
    for record in records:
        rounds = record.get("rounds", [record.get("problem")])
        now: Answer = {}
        for said, kafkas in zip(rounds, record.get("trace", [record.get("assignment")]), strict=True):
            now = answer({**record.get("common", {}), **said}, now)
            if now != kafkas:
                wrong.append(record["id"])
    assert (len(records) >= 500, wrong) == (True, [])


def test_tasks_without_members_are_refused_as_in_kafka() -> None:
    with pytest.raises(AssignorError, match="No process available to assign active task 0_0"):
        streams_sticky(StreamsProblem((), {"0": Subtopology(1)}))


def test_a_member_that_stands_twice_is_named() -> None:
    twice = (StreamsMember("m1", "p"), StreamsMember("m1", "q"))
    with pytest.raises(BadSpec, match="'m1' stands twice"):
        streams_sticky(StreamsProblem(twice, {"0": Subtopology(1)}))
