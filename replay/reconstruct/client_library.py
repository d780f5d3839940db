"""Which client library a group uses, and which assignors its members offer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from groupsim.assignors import ASSIGNORS
from groupsim.events.types import RejoinCause
from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.rebalances import Generation
from groupsim.simulation.clients.config import CLASSIC, JAVA, KAFKA_PYTHON, LIBRDKAFKA
from groupsim.simulation.clients.traits import TRAITS

DEFAULT_ASSIGNOR = "range"
_COOPERATIVE = "cooperative-sticky"
_OF_BROKERS = ("uniform",)
"""A broker's assignors that no client has; its range is called like theirs."""
_SIMILAR = {"RoundRobinAssigner": "roundrobin", "stream": "cooperative-sticky"}
"""Assignors of other libraries, and the one of Kafka's that is simulated instead; for any other it is `range`."""


def client_library(incarnations: Sequence[Incarnation]) -> str:
    """The library that most logs are of; where no log shows it, what the members' first joins look like."""
    logged = [incarnation for incarnation in incarnations if incarnation.logged]
    named = Counter(incarnation.library for incarnation in logged if incarnation.library in TRAITS)
    if LIBRDKAFKA in named:
        return LIBRDKAFKA
    if named:
        return str(named.most_common(1)[0][0])
    classic = [incarnation for incarnation in logged if incarnation.protocol == CLASSIC]
    silent = [i for i in classic if i.rejoined_with_id and RejoinCause.MEMBER_ID_REQUIRED not in i.rejoin_causes]
    return KAFKA_PYTHON if silent and len(silent) * 2 > len(logged) else JAVA


def offered_assignors(incarnation: Incarnation, generations: Sequence[Generation]) -> tuple[str, ...]:
    """The assignors that were selected while it was a member, the latest first: it must have offered them."""
    member_ids = set(incarnation.member_ids)
    selected: dict[str, None] = dict.fromkeys(reversed(incarnation.protocols))
    if not selected:
        own = [g.protocol for g in generations if g.protocol and (g.members is None or member_ids & set(g.members))]
        selected = dict.fromkeys(reversed(own))
    names = [_SIMILAR.get(name, name) for name in selected]
    known = [name for name in names if _is_simulated(name)]
    common = [g.protocol for g in generations if g.protocol and _is_simulated(g.protocol)]
    offered = list(dict.fromkeys(known)) or [str(common[-1]) if common else DEFAULT_ASSIGNOR]
    if incarnation.revokes_all and offered == [_COOPERATIVE]:  # it also offered an eager one, which was never selected
        offered.append(next((name for name in common if name != _COOPERATIVE), DEFAULT_ASSIGNOR))
    return tuple(offered)


def assignor_notes(generations: Sequence[Generation]) -> list[str]:
    """A note if no log names an assignor, and one on each that is not a consumer's of Kafka: Connect's, Streams' …"""
    named = dict.fromkeys(g.protocol for g in generations if g.protocol)
    if not named:
        return [f"partition.assignment.strategy={DEFAULT_ASSIGNOR} is assumed; no log names the assignor"]
    return [
        f"assignor {name} is simulated as {_SIMILAR.get(name, DEFAULT_ASSIGNOR)}, which is not the same"
        for name in named
        if not _is_simulated(name) and name not in _OF_BROKERS
    ]


def _is_simulated(name: str) -> bool:
    return name in ASSIGNORS and ASSIGNORS[name].side == "client"
