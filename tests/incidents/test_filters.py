"""What is skipped before it is parsed must not be what a wording knows."""

from __future__ import annotations

import pytest

from groupsim.incidents.logs.patterns import Wording
from groupsim.incidents.logs.producers import (
    broker,
    broker_consumer,
    broker_lifecycle,
    java_context_sentences,
    java_sentences,
    librdkafka,
    librdkafka_evidence,
    python_clients,
    sarama,
    troubles,
)
from groupsim.incidents.logs.reader import GROUP_ACTIVITY
from groupsim.incidents.logs.scanned_words import KEYWORDS, TROUBLES

BEHIND_A_PREFIX = [*java_sentences.EVENTS, *java_context_sentences.CONTEXT, *troubles.BEHIND_A_PREFIX]
"""`[Consumer clientId=..., groupId=...]` stands before these: the scan finds them by it."""
ALONE = [
    *broker.WORDINGS,
    *broker_consumer.WORDINGS,
    *broker_lifecycle.WORDINGS,
    *sarama.WORDINGS,
    *java_context_sentences.BARE,
    *librdkafka.WORDINGS,
    *librdkafka_evidence.EVIDENCE,
    *python_clients.WORDINGS,
    *troubles.ALONE,
    *troubles.LIBRDKAFKA,
]


OF_LIBRDKAFKA = (*librdkafka.WORDINGS, *librdkafka_evidence.EVIDENCE, *troubles.LIBRDKAFKA)


def named(wordings: list[Wording]) -> list[Wording]:
    return [wording for wording in wordings if wording.kinds]


@pytest.mark.parametrize("wording", named(ALONE), ids=lambda w: w.fixed)
def test_the_scan_stops_at_every_line_that_a_wording_knows(wording: Wording) -> None:
    said = (wording.fixed + wording.pattern.pattern.replace("\\", "")).encode()
    assert any(word in said for word in KEYWORDS + TROUBLES)


@pytest.mark.parametrize("wording", named(ALONE + BEHIND_A_PREFIX), ids=lambda w: w.fixed)
def test_no_line_that_a_wording_knows_is_passed_by_as_without_group_activity(wording: Wording) -> None:
    said = (wording.fixed + wording.pattern.pattern.replace("\\", "")).encode()
    said += b" [thrd:main]: " if wording in OF_LIBRDKAFKA else b""
    assert GROUP_ACTIVITY.search(said)
