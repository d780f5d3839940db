"""Java clients: a prefix names client and group; the sentences are in `java_sentences` and `java_context_sentences`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.patterns import Match, first_match
from groupsim.incidents.logs.producers.java_context_sentences import BARE, CONTEXT
from groupsim.incidents.logs.producers.java_sentences import EVENTS
from groupsim.incidents.logs.producers.streams_and_connect import OF_PRODUCERS, UNITS, UNITS_OF_WORKERS

_PREFIX = re.compile(
    r"\[(?P<what>[A-Z][\w ]{0,40}?) (?:instanceId=(?P<instance>.{1,300}?), )?clientId=(?P<client>.{0,400}?)"
    r"(?:, groupId=(?P<group>.{0,400}?))?\](?: |$)"
)
_HEAD = 4 << 10
_SENTENCES = EVENTS + UNITS_OF_WORKERS + CONTEXT
_ALONE = BARE + UNITS_OF_WORKERS + UNITS


@lru_cache(maxsize=8)
def _prefix(text: str) -> re.Match[str] | None:
    """The prefix of a line, which several producers ask for."""
    return _PREFIX.search(text, 0, _HEAD) if "clientId=" in text else None


def read(record: Record) -> tuple[Match, ...] | None:
    """The rows of a Java client's record; None if it is not one, or not known."""
    prefix = _prefix(record.text)
    if prefix is None:
        return first_match(_ALONE, record)
    if prefix["what"] in ("Producer", "AdminClient"):
        return first_match(OF_PRODUCERS, record) or ()
    inner = record.with_text(record.text[prefix.end() :])
    found = first_match(_SENTENCES, inner)
    if found is None:
        return None
    group = prefix["group"] if prefix["group"] not in (None, "", "null") else None
    instance = {"instance": prefix["instance"]} if prefix["instance"] else {}
    client = prefix["client"] or None
    return tuple([Match(f.kind, f.group or group, f.member, client, f.detail | instance, f.program) for f in found])


class Prefix(NamedTuple):
    """What `[Consumer clientId=..., groupId=...]` names, and the message behind it."""

    client: str | None
    group: str | None
    message: str


def prefix_of(text: str) -> Prefix | None:
    """The prefix of a line of a consumer or a Connect worker; None for other lines."""
    found = _prefix(text)
    if found is None or found["what"] in ("Producer", "AdminClient"):
        return None
    group = found["group"] if found["group"] not in (None, "", "null") else None
    return Prefix(found["client"] or None, group, text[found.end() :])


def message_of(text: str) -> str | None:
    """The message behind the prefix, if this is a Java consumer's line; None if it is not."""
    prefix = _prefix(text)
    if prefix is None or prefix["what"] in ("Producer", "AdminClient"):
        return None
    return text[prefix.end() :]
