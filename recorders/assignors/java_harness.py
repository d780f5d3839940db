"""The text files of AssignorBench.java and ServerAssignorBench.java: problems in, answers and times out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TextIO

from groupsim.assignors.java.hash_order import string_hash
from groupsim.assignors.spec import Spec
from groupsim.events.types import TopicPartition

SOURCE = Path(__file__).parents[1] / "broker" / "java" / "AssignorBench.java"
JavaAnswer = Mapping[str, list[str]]
"""Each member's partitions as topic:number, in order."""


def topic_id(name: str) -> str:
    """The id that ServerAssignorBench.java gives a topic: the name's hash code, and 31 times that plus its length."""
    unsigned = string_hash(name)
    code = unsigned - (1 << 32) if unsigned >> 31 else unsigned
    return f"{code % (1 << 64):016x}{(code * 31 + len(name)) % (1 << 64):016x}"


def as_coordinator(spec: Spec) -> Spec:
    """The problem as a coordinator has it: topics have ids, and a partition has one previous owner, the first."""
    taken: set[TopicPartition] = set()
    members = []
    for member in spec.members:
        owned = tuple(partition for partition in dict.fromkeys(member.owned) if partition not in taken)
        taken.update(owned)
        members.append(replace(member, owned=owned))
    names = {*spec.partitions, *(partition.topic for partition in taken)}
    return replace(spec, members=tuple(members), topic_ids={name: topic_id(name) for name in sorted(names)})


def write_problem(file: TextIO, head: str, spec: Spec) -> None:
    """One problem in the line format of AssignorBench.java."""
    print("problem", head, file=file)
    for topic, count in spec.partitions.items():
        racks = ";".join(",".join(racks_of_partition) for racks_of_partition in spec.racks.get(topic, ()))
        print("topic", topic, count, *([racks] if count and topic in spec.racks else []), file=file)
    for m in spec.members:
        print("member", m.id, m.generation, m.instance_id or "-", m.rack or "-", ",".join(m.topics) or "-", file=file)
        for topic, owned in groupby(m.owned, key=lambda partition: partition.topic):
            print("owned", topic, ",".join(str(partition.partition) for partition in owned), file=file)
    print("end", file=file)


def read_answers(target: Path) -> dict[str, tuple[int, str, JavaAnswer]]:
    """What AssignorBench.java wrote, by problem: nanoseconds, `ok` or the exception, the answer."""
    result: dict[str, tuple[int, str, JavaAnswer]] = {}
    answer: dict[str, list[str]] = {}
    with target.open() as file:
        for line in file:
            words = line.split()
            if words[0] == "result":
                answer = {}
                result[words[1]] = int(words[2]), line.rstrip("\n").split(" ", 3)[3], answer
            else:
                answer[words[0]] = words[1:]
    return result


def lines(answer: Mapping[str, Iterable[tuple[str, int]]]) -> JavaAnswer:
    """An answer of ours in the form of the harness."""
    return {member: [f"{topic}:{number}" for topic, number in assigned] for member, assigned in answer.items()}
