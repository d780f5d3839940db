"""One entry of the list of assignors: the function, and what a person who chooses one wants to know."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from groupsim.assignors.spec import Assign


class Side(StrEnum):
    """Who runs the assignor: the leader of a classic group, or the group coordinator (KIP-848)."""

    CLIENT = "client"
    SERVER = "server"


class Property(StrEnum):
    """What an assignor can promise of its answers; `assignors.properties` has a check for each."""

    COMPLETE = "complete"
    EXCLUSIVE = "exclusive"
    SUBSCRIBED_ONLY = "subscribed-only"
    DETERMINISTIC = "deterministic"
    BALANCED_WHEN_EQUAL = "balanced-when-equal"
    BALANCED = "balanced"
    STICKY = "sticky"


CLIENT, SERVER = Side.CLIENT, Side.SERVER
BASIC = (Property.COMPLETE, Property.EXCLUSIVE, Property.SUBSCRIBED_ONLY, Property.DETERMINISTIC)
"""What every assignor promises unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Assignor:
    """`name` is Kafka's; `protocols` as in Kafka's supportedProtocols (none on the server side); `source` a KIP.

    `properties`: what the assignor promises for every honest problem, by the values of `Property`.
    """

    name: str
    assign: Assign
    protocols: tuple[str, ...]
    side: str
    source: str
    drawback: str
    properties: tuple[str, ...] = BASIC
