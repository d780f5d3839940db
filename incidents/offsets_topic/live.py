"""The live topic: a consumer that only reads `__consumer_offsets`, and writes what it says of groups to a recording.

It is assigned its partitions and commits nothing, so it is no member of any group. Source of the partition of a group:
org.apache.kafka.coordinator.group.GroupCoordinatorService.partitionFor.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from groupsim.assignors.java.hash_order import string_hash
from groupsim.incidents.errors import LogError
from groupsim.incidents.offsets_topic.partitions import TOPIC
from groupsim.incidents.offsets_topic.recording import Head, Line, continued, head_line, record_line

if TYPE_CHECKING:
    from confluent_kafka import Consumer

_AT_ONCE = 500
_POLL_S = 0.5
_ANSWER_S = 20.0
_LOOK_S = 1.0
_NEEDED = "it exists once the cluster had a group, and the user needs READ and DESCRIBE on it"
_OURS = {
    "group.id": "groupsim-incident-record",  # librdkafka wants one; nothing is ever sent under it but a look-up
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "earliest",
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    "allow.auto.create.topics": False,
}
"""Settings that make it a reader; a user's own can't change them."""


def partition_of(group: str, partitions: int) -> int:
    """The partition of `__consumer_offsets` that a group's records are in."""
    unsigned = string_hash(group)
    signed = unsigned - (1 << 32) if unsigned >> 31 else unsigned
    return 0 if signed == -(1 << 31) else abs(signed) % partitions


def group_of(key: bytes | None) -> str | None:
    """The group that a record is about: the first field of every key, also of types that are not known yet."""
    if key is None or len(key) < 4:
        return None
    return key[4 : 4 + int.from_bytes(key[2:4], "big")].decode("utf-8", "replace")


def record(
    bootstrap: str,
    groups: Sequence[str],
    path: Path,
    *,
    settings: Mapping[str, str],
    ended: Callable[[], bool],
    progress: Callable[[int, bool], None] = lambda records, caught_up: None,
    said: Callable[[str], None] = lambda sentence: None,
) -> int:
    """Append the groups' records to the recording until `ended`, but not before the end of the topic was reached once.

    A recording that is there already is continued behind its last record. `progress` is called with the number of
    records written, and whether the end of the topic was reached, `said` with sentences on what is done and what does
    not work yet. Gives the number of records written. Raises LogError
    where there is no confluent-kafka, no broker, no such topic or no permission, and for a file that is something else.
    """
    troubles = _Troubles(said)
    with _consumer(bootstrap, settings, troubles) as consumer:
        said(f"asking {bootstrap} for the partitions of {TOPIC}, for at most {_ANSWER_S:.0f} s")
        count = _partitions(consumer, bootstrap, troubles)
        head = Head(groups=tuple(sorted(set(groups))), partitions=count)
        wanted = sorted({partition_of(group, count) for group in groups})
        last = continued(path, head)
        from confluent_kafka import TopicPartition

        begin = [TopicPartition(TOPIC, each, last[each] + 1 if each in last else -2) for each in wanted]
        consumer.assign(begin)
        try:
            with path.open("ab") as out:
                if out.tell() == 0:
                    out.write(head_line(head))
                return _copy(consumer, frozenset(groups), set(wanted), last, out, ended, progress)
        except OSError as error:
            raise LogError(f"{path} can't be written: {error.strerror or error}") from None


def _copy(
    consumer: Consumer,
    groups: frozenset[str],
    behind: set[int],
    last: dict[int, int],
    out: IO[bytes],
    ended: Callable[[], bool],
    progress: Callable[[int, bool], None],
) -> int:
    """Records of the groups into the file, each once: what is in the file was in the topic before `last`."""
    written = 0
    while behind or not ended():
        lines: list[bytes] = []
        for message in consumer.consume(_AT_ONCE, _POLL_S):
            partition, offset = message.partition() or 0, message.offset() or 0
            if message.error() is not None:
                if _end_of_partition(message.error()):
                    behind.discard(partition)
            elif group_of(message.key()) in groups and offset > last.get(partition, -1):
                at_ms = message.timestamp()[1] if message.timestamp()[0] else -1
                lines.append(record_line(Line(partition, offset, at_ms, message.key(), message.value())))
                last[partition] = offset
        if lines:
            out.write(b"".join(lines))
            out.flush()
            written += len(lines)
        progress(written, not behind)
    return written


def _end_of_partition(error: Any) -> bool:
    """Whether an error says no more than that. Raises LogError for one that waiting does not mend."""
    from confluent_kafka import KafkaError

    if error.code() == KafkaError._PARTITION_EOF:
        return True
    if error.fatal() or error.code() in (
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
    ):
        raise LogError(f"{TOPIC} can't be read: {error.str()}; {_NEEDED}")
    return False


class _Troubles:
    """What librdkafka says of brokers that it does not reach: each sentence once."""

    def __init__(self, said: Callable[[str], None]) -> None:
        self.last = ""
        self.nowhere = False
        self._said = said
        self._known: set[str] = set()

    def __call__(self, error: Any) -> None:
        """Take an error. `nowhere`: none of the names given leads to a host."""
        from confluent_kafka import KafkaError

        sentence = _plain(error.str())
        if error.code() == KafkaError._ALL_BROKERS_DOWN:
            self.nowhere = bool(self._known) and all("resolve" in each.lower() for each in self._known)
        elif sentence not in self._known:
            self._known.add(sentence)
            self.last = sentence
            self._said(f"{sentence}; trying again")


@contextmanager
def _consumer(bootstrap: str, settings: Mapping[str, str], troubles: _Troubles) -> Iterator[Consumer]:
    try:
        from confluent_kafka import Consumer, KafkaException
    except ImportError:
        raise LogError("recording the live topic needs confluent-kafka: pip install 'groupsim[record]'") from None
    how = {"bootstrap.servers": bootstrap, "error_cb": troubles, "logger": _Silent()}
    try:
        consumer = Consumer({**settings, **_OURS, **how})
    except (KafkaException, ValueError) as wrong:
        raise LogError(f"a setting of the consumer is wrong: {_said(wrong)}") from None
    try:
        yield consumer
    except KafkaException as wrong:
        raise LogError(f"{bootstrap}: {_said(wrong)}") from None
    finally:
        consumer.close()


def _partitions(consumer: Consumer, bootstrap: str, troubles: _Troubles) -> int:
    """How many partitions the topic has. Raises LogError where nobody answers or there is no such topic."""
    from confluent_kafka import KafkaException

    until = time.monotonic() + _ANSWER_S
    while True:
        try:
            found = consumer.list_topics(TOPIC, timeout=_LOOK_S).topics[TOPIC]
            break
        except KafkaException as wrong:
            consumer.poll(0)  # hears what is wrong
            if troubles.nowhere or time.monotonic() >= until:
                why = troubles.last or _said(wrong)
                raise LogError(
                    f"no broker answers at {bootstrap}: {why}; check host and port (--bootstrap), and what the listener"
                    " wants (--config: security.protocol and so on)"
                ) from None
    if found.error is not None:
        raise LogError(f"{bootstrap}: {TOPIC}: {found.error.str()}; {_NEEDED}")
    return len(found.partitions)


def _plain(text: str) -> str:
    """Without the number of the thread and how long it took."""
    return re.sub(r" \(after \d{1,9}ms in state [A-Z_]{1,40}(?:, [^)]{1,80})?\)", "", text)


def _said(wrong: Exception) -> str:
    """The sentence in an exception of librdkafka."""
    first = wrong.args[0] if wrong.args else wrong
    described = getattr(first, "str", None)  # KafkaError has it
    return str(described() if callable(described) else first)


class _Silent:
    """Takes librdkafka's own log lines: what matters comes as an error."""

    def log(self, *_: object, **__: object) -> None:
        """Nothing."""
