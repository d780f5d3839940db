"""What applications print in their callbacks, in any language: a verb beside `partitions`, and a list of them.

Such a line counts only where the client's own line is not in the log (`logs.repeated`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.partition_lists import PartitionList, list_at, partitions_of_any_client
from groupsim.incidents.logs.patterns import Detail, Match
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program

_HEAD, _VERBS = 400, 4
_NOUN = re.compile(r"(?i)partition|assignment|rebalanc|claims|callback|\bon_?(?:assign|revok|lost)")
_VERB = re.compile(
    r"(?i)(?<![a-z])(?:on|post|pre)?_?(?:topic[-_ ]?)?(?:partitions?_?)?"
    r"(?:(?P<revoked>revo[kc]|un-?assign|relinquish)|(?P<lost>lost|los(?:e|ing)\b)|(?P<assigned>assign(?!ments)|claims(?=\s?[=:])))[a-z_]{0,20}"
)
_WORDS_BETWEEN = re.compile(
    r"[ _:=-]{0,3}(?:(?:topic[- ])?(?:partitions?|topics?|event|callback|invoked|called|with|new|list|were|the|to|are"
    r"|now|is|consumer|for|from|by|this|instance|member|received|current|previously|newly|all|following|info"
    r"|\d{1,6}(?= (?:topic[- ])?partition))"
    r"(?:\(s\))?[ _:=!,-]{1,3}){0,6}(?:\([A-Za-z ]{1,40}\)[ :=-]{1,3})?"
)
_KAFKAS_OWN = re.compile(
    r"(?:aiokafka|org\.apache\.kafka|o\.a\.k|kafka\.(?:admin|client|cluster|conn|consumer|controller|coordinator|log"
    r"|metrics|network|producer|protocol|server|utils|zk))\b"
)
"""Loggers of brokers and clients: their lines are other producers'."""
_COUNTED = re.compile(r"(?<![\w.-])(\d{1,6}) (?:new |topic[- ])?partition(?:\(s\)|s)?\b")
_PLURALS = re.compile(
    r"[Pp]artition\(?s?\)? (\d{1,9}(?:, ?\d{1,9}){0,4000}) (?:of|from|in|for) (?:the )?(?:topic )?['\"]?([\w.-]{1,249})"
)
_GROUP = re.compile(
    r"(?i)(?<![a-z])group(?:[_ -]?id)?(?:\s?[:=]\s?['\"`]?|\s?['\"`])(?P<quoted>[\w.-]{1,249})"
    r"|(?<![a-z])(?:for|of|in|from) (?:consumer )?group (?P<named>[\w.-]{1,249})"
)
_SPRING = re.compile(r"(?:^|\s)(?P<group>[\w.-]{1,249}): partitions (?:assigned|revoked|lost): ?\[")
_MEMBER = re.compile(r"(?i)(?<![a-z])member[_ ]?id\s?[:=]\s?['\"]?([\w./:-]{1,400})")
_GENERATION = re.compile(r"(?i)(?<![a-z])generation(?:[_ ]?id)?\s?[:=]\s?(\d{1,9})")
_GROUP_KEYS = (
    "group",
    "groupId",
    "group_id",
    "groupID",
    "consumer_group",
    "consumerGroup",
    "consumer_group_id",
    "group.id",
)


class _Said(NamedTuple):
    """A verb of a callback, and the partitions it is about."""

    verb: str
    listed: PartitionList


def read(record: Record) -> tuple[Match, ...] | None:
    """A row for a line of a callback; None if the record is none, or does not say which partitions, or how many."""
    head = record.text[:_HEAD]
    if _NOUN.search(head) is None or _KAFKAS_OWN.match(record.logger or head) is not None:
        return None
    said = _said(record.text, head)
    if said is None:
        return None
    detail: Detail = {}
    if said.listed.partitions is None:
        detail["partition_count"] = said.listed.size
    else:
        detail["partitions"] = said.listed.partitions
    generation = _GENERATION.search(head)
    if generation is not None:
        detail["generation"] = int(generation[1])
    member = _MEMBER.search(head)
    named = None if member is None else member[1]
    program = Program.JAVA if _SPRING.search(head) else None
    return (Match(RowKind(f"listener_{said.verb}"), _group(record, head), named, None, detail, program),)


def _said(text: str, head: str) -> _Said | None:
    """The first verb with a list behind it, or before it."""
    verbs = [(found.lastgroup or "", found) for found in _VERB.finditer(head)][:_VERBS]
    for place, (verb, found) in enumerate(verbs):
        between = _WORDS_BETWEEN.match(text, found.end())
        listed = list_at(text, found.end() if between is None else between.end())
        if listed is not None:
            # "revoking previously assigned partitions": the first verb says what happens to them
            return _Said(verbs[0][0] if place and verbs[0][0] != "assigned" else verb, listed)
    if len({verb for verb, _ in verbs}) != 1:
        return None
    verb, found = verbs[0]
    of_topic = _PLURALS.search(head)
    if of_topic is not None:
        named = [f"{of_topic[2]}-{int(n)}" for n in of_topic[1].split(",")]
        return _Said(verb, PartitionList(named, len(named), of_topic.end()))
    before = _before(head[: found.start()])
    if before is not None:
        return _Said(verb, before)
    counted = _COUNTED.findall(head)
    return _Said(verb, PartitionList(None, int(counted[0]), len(head))) if len(counted) == 1 else None


def _before(text: str) -> PartitionList | None:
    """The list that ends before the verb: `partitions [orders-0] were assigned`."""
    noun = re.search(r"[Pp]artition(?:s|\(s\))?[: ]{1,3}", text)
    if noun is None:
        return None
    listed = list_at(text, noun.end())
    if listed is not None and listed.partitions is None:
        return None
    named = (
        partitions_of_any_client(text[noun.end() :])
        if listed is None and text[noun.end() : noun.end() + 1] in "[{("
        else []
    )
    return PartitionList(named, len(named), len(text)) if named else listed


def _group(record: Record, head: str) -> str | None:
    found = _SPRING.search(head)
    if found is not None:
        return found["group"]
    named = next((value for key in _GROUP_KEYS if isinstance(value := record.fields.get(key), str) and value), None)
    if named is not None:
        return named
    found = _GROUP.search(head)
    return None if found is None else found["quoted"] or found["named"]
