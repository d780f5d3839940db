"""All records of one group into its ledger: it may be classic, of the consumer protocol, or change between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from groupsim.incidents.offsets_topic import fields as f
from groupsim.incidents.offsets_topic.classic import ClassicFold
from groupsim.incidents.offsets_topic.collected import Commit
from groupsim.incidents.offsets_topic.consumer import ConsumerFold
from groupsim.incidents.offsets_topic.ledger import Ledger
from groupsim.incidents.offsets_topic.record import GroupRecord
from groupsim.wording.lists import listed

_NAMED = 10


class GroupHistory(NamedTuple):
    """What the topic has of one group: its ledger, its commits by offset, and the last instant read of the topic."""

    ledger: Ledger
    commits: Sequence[Commit]
    ended_ms: int


def ledger_of(records: Iterable[GroupRecord], names: Mapping[str, str]) -> Ledger:
    """The ledger of one group; `names` are those of topic ids."""
    ordered = sorted(records, key=lambda record: record.offset)
    ledger = Ledger()
    consumer = ConsumerFold(ledger, {**_only_name(ordered), **names})
    classic = ClassicFold(ledger)
    for _, steps in groupby(ordered, key=lambda record: record.batch):
        _step(list(steps), classic, consumer)
    for what, gaps in ledger.missing.items():
        ledger.notes.setdefault(_missing(what, gaps))
    return ledger


def _missing(what: str, gaps: Sequence[tuple[int, int]]) -> str:
    """A sentence on generations or epochs that have no record."""
    shown = listed([str(first) if first == last else f"{first} to {last}" for first, last in gaps], _NAMED)
    one = len(gaps) == 1 and gaps[0][0] == gaps[0][1]
    which = f"{what.removesuffix('s')} {shown} is" if one else f"{what} {shown} are"
    them, they = ("it", "it") if one else ("them", "they")
    why = (
        "never got an assignment" if what == "generations" else f"{'is' if one else 'are'} older than its first record"
    )
    return f"{which} not in the topic: compaction removed {them}, or {they} {why}; what happened then is unknown"


def _step(batch: list[GroupRecord], classic: ClassicFold, consumer: ConsumerFold) -> None:
    """One batch: what is of the other protocol in it is a conversion."""
    generations = [record for record in batch if record.kind == "GroupMetadata"]
    others = [record for record in batch if record.kind != "GroupMetadata"]
    to_classic = bool(others) and any(record.value is not None for record in generations)
    for record in generations:
        if record.value is not None:
            classic.generation(record, converted=to_classic)
        elif not others:
            classic.deleted(record)
        else:
            consumer.upgraded(classic.forget())
    if to_classic:
        consumer.forget()
    elif others:
        classic.created()
        consumer.batch(others)


def _only_name(records: Iterable[GroupRecord]) -> Mapping[str, str]:
    """The name of the only topic, where all members subscribe to one by name and only one id occurs."""
    subscribed: set[str] = set()
    ids: set[str] = set()
    for record in records:
        value = record.value or {}
        subscribed |= set(f.texts(value.get("subscribedTopicNames")))
        for key in ("topicPartitions", "assignedPartitions"):
            ids |= {str(each.get("topicId")) for each in f.structs(value.get(key)) if each.get("topicId")}
    return {ids.pop(): subscribed.pop()} if len(ids) == len(subscribed) == 1 else {}
