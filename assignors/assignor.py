"""One entry of the list of assignors: the function and what a person choosing one wants to know."""

from __future__ import annotations

from dataclasses import dataclass

from groupsim.assignors.spec import Assign

CLIENT = "client"
SERVER = "server"
BASIC = ("complete", "exclusive", "subscribed-only", "deterministic")


@dataclass(frozen=True, slots=True)
class Assignor:
    """`name` is Kafka's; `protocols` as in Kafka's supportedProtocols (none on the server side); `source` a KIP.

    `laws` are the names (see `assignors.properties.LAWS`) of what the assignor promises of every honest problem.
    """

    name: str
    assign: Assign
    protocols: tuple[str, ...]
    side: str
    source: str
    drawback: str
    laws: tuple[str, ...] = BASIC
