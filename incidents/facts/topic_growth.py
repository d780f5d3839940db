"""Topics that grew, or came later, by the assignments in `__consumer_offsets`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from groupsim.events.types import GroupId
from groupsim.incidents.default_settings import METADATA_AGE_MS
from groupsim.incidents.facts.growth import Growth
from groupsim.incidents.facts.typed_fields import partitions_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.offsets_topic.history import GroupHistory
from groupsim.incidents.offsets_topic.ledger import Said


def topic_growths(histories: Mapping[GroupId, GroupHistory], since_ms: int) -> Iterator[Growth]:
    """Each growth that an assignment shows: since the one before it, at most the age of metadata by default."""
    for group, history in histories.items():
        known: dict[str, int] | None = None
        before_ms = since_ms
        for said in sorted(history.ledger.said, key=lambda each: each.at_ms):
            if (named := _named(said)) is None:
                continue
            for topic, count in sorted(named.items()):
                before = 0 if known is None else known.get(topic, 0)
                if known is not None and count > before and said.at_ms > since_ms:
                    since = max(before_ms, said.at_ms - METADATA_AGE_MS)
                    yield Growth(group, topic, before, count, since, said.at_ms, "the group")
            known = {**named, **(known or {}), **{t: max(n, (known or {}).get(t, 0)) for t, n in named.items()}}
            before_ms = max(since_ms, said.at_ms)


def _named(said: Said) -> dict[str, int] | None:
    """How many partitions of each topic an assignment names; None if it is none, or of nobody."""
    plan = said.detail.get("assignment" if said.kind == RowKind.STORED_ASSIGNMENT else "targets")
    if (
        said.kind not in (RowKind.STORED_ASSIGNMENT, RowKind.TARGET_ASSIGNMENT)
        or not isinstance(plan, Mapping)
        or not plan
    ):
        return None
    found: dict[str, int] = {}
    for names in plan.values():
        for topic, partition in partitions_in(names):
            found[topic] = max(found.get(topic, 0), partition + 1)
    return found or None
