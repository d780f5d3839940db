"""Problems in the golden JSON format: one line in, one answer out; malformed lines are named, never guessed at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assignors.spec import Member, Spec
from events.types import NO_GENERATION, TopicPartition


def spec_of(problem: Mapping[str, Any]) -> Spec:
    """The Spec of a single problem."""
    members = tuple(
        Member(
            id=m["id"],
            topics=tuple(m["topics"]),
            owned=tuple(TopicPartition(t, p) for t, p in m.get("owned", ())),
            generation=m.get("generation", NO_GENERATION),
            instance_id=m.get("group_instance_id"),
            rack=m.get("rack"),
        )
        for m in problem["members"]
    )
    return Spec(
        members, problem["topics"], problem.get("partition_racks", {}), problem.get("generation_source") == "userdata"
    )
