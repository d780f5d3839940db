"""Consumer-group assignors: pure functions from a Spec to an Answer, by Kafka's names in ASSIGNORS."""

from __future__ import annotations

from assignors.assignor import CLIENT, Assignor
from assignors.by_range import by_range
from assignors.round_robin import round_robin
from assignors.spec import COOPERATIVE, EAGER
from assignors.sticky import cooperative_sticky, sticky

_ALL = (
    Assignor(
        "range",
        by_range,
        (EAGER,),
        CLIENT,
        "Kafka 0.9; KIP-881 (racks)",
        "the first members get more of every topic: skewed when topics are many and small",
    ),
    Assignor(
        "roundrobin",
        round_robin,
        (EAGER,),
        CLIENT,
        "Kafka 0.9",
        "forgets who owned what: one member more or less moves nearly every partition",
    ),
    Assignor(
        "sticky",
        sticky,
        (EAGER,),
        CLIENT,
        "KIP-54, KIP-341",
        "everybody gives up everything in every rebalance, although little moves in the end",
    ),
    Assignor(
        "cooperative-sticky",
        cooperative_sticky,
        (COOPERATIVE, EAGER),
        CLIENT,
        "KIP-429",
        "what moves has no owner until a second rebalance gives it to its new one",
    ),
)

ASSIGNORS: dict[str, Assignor] = {assignor.name: assignor for assignor in _ALL}

__all__ = ["ASSIGNORS", "Assignor"]
