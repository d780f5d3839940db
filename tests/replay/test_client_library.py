"""Which client library is simulated: the one that the logs name; without a name, by the first joins."""

from __future__ import annotations

from groupsim.events.types import RejoinCause
from groupsim.replay.reconstruct.client_library import client_library
from groupsim.replay.reconstruct.incarnation import Incarnation


def incarnation(library: str | None = None, *, logged: bool = True, rejoined_with_id: bool = False) -> Incarnation:
    return Incarnation("c.0", "c", logged=logged, library=library, rejoined_with_id=rejoined_with_id)


def test_the_library_of_most_logs_is_simulated() -> None:
    assert client_library([incarnation("java")]) == "java"
    assert (
        client_library([incarnation("kafka-python"), incarnation("kafka-python"), incarnation("java")])
        == "kafka-python"
    )
    assert client_library([incarnation("librdkafka"), incarnation("java"), incarnation("java")]) == "librdkafka"


def test_a_library_that_is_not_simulated_or_not_named_goes_by_the_first_joins() -> None:
    assert client_library([incarnation("franz-go")]) == "java"
    assert client_library([incarnation(rejoined_with_id=True)]) == "kafka-python"
    with_reason = incarnation(rejoined_with_id=True)
    with_reason.rejoin_causes.add(RejoinCause.MEMBER_ID_REQUIRED)
    assert client_library([with_reason]) == "java"


def test_members_without_a_log_do_not_count() -> None:
    assert (
        client_library([incarnation("kafka-python"), incarnation(logged=False), incarnation(logged=False)])
        == "kafka-python"
    )
    assert client_library([incarnation(logged=False, rejoined_with_id=True)]) == "java"
