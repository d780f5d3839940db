"""Why something is so, or is not known: the rule, the lines that it rests on, and what to export to know better."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A line of a log: `line` counts from 1."""

    file: str
    line: int


class Rule(NamedTuple):
    """A row of one of the tables.

    `says`: what follows, in a sentence without a subject's name. `export`: which log would tell more; empty if none
    would. `source`: where Kafka does it, by class and method, or KIP.
    """

    name: str
    says: str
    source: str
    export: str = ""


class Why(NamedTuple):
    """A rule, and the lines that it was applied to."""

    rule: Rule
    places: tuple[Place, ...] = ()
