"""Kafka's settings in Spring Boot's `application.yml` and `application.properties`.

`spring.kafka.consumer.…` in any spelling that Spring takes (`max-poll-records`, `maxPollRecords`), the maps
`spring.kafka.properties` and `spring.kafka.consumer.properties`, and `spring.kafka.listener.concurrency`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from groupsim.checking.given import CONCURRENCY, CONSUMER_NAMES, Given

LONGEST_KEY = 1_000
_OWN = {
    "heartbeatinterval": "heartbeat.interval.ms",
    "autocommitinterval": "auto.commit.interval.ms",
    "maxpollinterval": "max.poll.interval.ms",
    "maxpollrecords": "max.poll.records",
    "enableautocommit": "enable.auto.commit",
    "autooffsetreset": "auto.offset.reset",
    "groupid": "group.id",
}
"""Properties of Spring's own (KafkaProperties.Consumer), and Kafka's setting that each becomes."""
_MAPS = ("spring.kafka.properties", "spring.kafka.consumer.properties")
_CONSUMER, _LISTENER = "spring.kafka.consumer.", "spring.kafka.listener.concurrency"


def is_spring(flat: Iterable[str]) -> bool:
    """Whether one of these keys is Spring's."""
    return any(key.startswith("spring.") for key in flat)


def flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a document with its keys joined by dots; a list as texts with commas."""
    if len(path) > LONGEST_KEY:  # no setting has such a name
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            name = str(key).strip("[]")
            yield from flat(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        if all(isinstance(each, str) for each in value):
            yield path, ",".join(value)
    elif value is not None:
        yield path, str(value)


def for_a_profile(flat: Mapping[str, str]) -> bool:
    """Whether a document holds only where a profile is active; which one that is, no file says."""
    return any(key.startswith(("spring.config.activate", "spring.profiles")) for key in flat)


def settings(flat: Mapping[str, str], file: str) -> dict[str, Given]:
    """Kafka's settings of a consumer among Spring's properties (KafkaProperties.buildConsumerProperties)."""
    common, own, mapped = dict[str, Given](), dict[str, Given](), dict[str, Given]()
    for key, text in flat.items():
        plain = _spelt(key)
        given = Given(text, f"{file}: {key}", spring=True)
        for start, found in zip(_MAPS, (common, mapped), strict=True):
            name = key[len(start) + 1 :].strip("[]")
            if plain.startswith(f"{start}.") and name in CONSUMER_NAMES:
                found[name] = given
        if plain.startswith(_CONSUMER) and (kafkas := _OWN.get(plain[len(_CONSUMER) :])):
            own[kafkas] = given
        if plain == _LISTENER:
            own[CONCURRENCY] = given
    return {**common, **own, **mapped}


def from_variable(name: str) -> str | None:
    """The property that a variable of the environment sets: `SPRING_KAFKA_CONSUMER_MAXPOLLRECORDS`."""
    plain = name.lower()
    for start in (*(f"{each}." for each in _MAPS), _CONSUMER, "spring.kafka."):
        if plain.startswith(begins := start.replace(".", "_")):
            within = "" if start == _CONSUMER else "."  # dashes and dots are underscores in a variable
            return start + plain[len(begins) :].replace("_", within)
    return None


def _spelt(key: str) -> str:
    """A key without what Spring does not look at: capitals, dashes, underscores."""
    return key.lower().replace("-", "").replace("_", "")
