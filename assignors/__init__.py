"""Consumer-group assignors: pure functions from a Spec to an Answer, by Kafka's names in ASSIGNORS."""

from __future__ import annotations

from assignors.assignor import CLIENT, SERVER, Assignor
from assignors.by_range import by_range
from assignors.round_robin import round_robin
from assignors.server_range import server_range
from assignors.spec import COOPERATIVE, EAGER
from assignors.sticky import cooperative_sticky, sticky
from assignors.uniform import uniform

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
    Assignor(
        "uniform",
        uniform,
        (),
        SERVER,
        "KIP-848",
        "who gets one more depends on hash order; moves more than needed when members join",
    ),
    Assignor(
        "server-range",
        server_range,
        (),
        SERVER,
        "KIP-848",
        "not sticky: a member more or less shifts every range",
    ),
)

ASSIGNORS: dict[str, Assignor] = {assignor.name: assignor for assignor in _ALL}

__all__ = ["ASSIGNORS", "Assignor"]
