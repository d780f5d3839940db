"""A setting as a file gives it: its text, where it stands, and what of it is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from groupsim.assignors import JAVA_CLASSES
from groupsim.coordinator.config import Configs, names
from groupsim.simulation.clients.config import ConsumerConfig

INSTANCE_ID = "group.instance.id"
CONCURRENCY = "spring.kafka.listener.concurrency"
CONSUMER_NAMES = (*names(ConsumerConfig()), INSTANCE_ID, "group.id")
"""The settings of a consumer that are looked at."""
BROKER_NAMES = tuple(Configs().names())
_OPENS = re.compile(r"\$[({]")
_CLASSES = {text: name for name, java in JAVA_CLASSES.items() for text in (java, java.rpartition(".")[2])}
_UNITS = {"": 1, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_ISO = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Given:
    """One setting. `text` may have placeholders; `where`: file and key; `spring`: Spring's consumer takes it, as it is.

    `certain`: the consumer surely gets it; a variable of a container may be used by the program in another way.
    """

    text: str | None
    where: str
    spring: bool = False
    certain: bool = True


def resolved(given: Given, environment: Mapping[str, str | None]) -> str | None:
    """The text with every placeholder replaced; None if one of them is not known.

    Spring's `${NAME:default}` has its default where the environment says nothing; elsewhere `${…}` is not known.
    """
    text, rounds = given.text, 0
    while text is not None and _OPENS.search(text):
        inner = re.search(r"\$\(([\w.-]+)\)|\$\{([^${}]*)\}", text)
        rounds += 1
        if inner is None or rounds > 50 or len(text) > 10_000:
            return None
        name, colon, default = (inner[1] or inner[2]).partition(":")
        if inner[2] is not None and not given.spring:
            return None
        value = environment.get(name, default if colon else None)
        text = None if value is None else text[: inner.start()] + value + text[inner.end() :]
    return text


def as_simulated(name: str, text: str) -> str:
    """A value as the simulator has it: assignors by their names instead of Java's classes, Spring's `3s` in ms."""
    if name.endswith(".ms"):
        return _ms(text)
    if name == "group.protocol":
        return text.lower()
    if name != "partition.assignment.strategy":
        return text
    parts = (part.strip() for part in text.strip("[]").split(","))
    return ",".join(_CLASSES.get(part, part) for part in parts)


def _ms(text: str) -> str:
    """A duration as Spring writes it, in milliseconds; another text as it is."""
    if simple := re.fullmatch(r"(\d{1,15})\s*(ms|[smhd]|)", text.strip().lower()):
        return str(int(simple[1]) * _UNITS[simple[2]])
    if (iso := _ISO.fullmatch(text.strip())) and any(iso.groups()):
        hours, minutes, seconds = (float(part or 0) for part in iso.groups())
        return str(round((hours * 3_600 + minutes * 60 + seconds) * 1_000))
    return text
