"""The rebalances of a group as far as somebody says, with their phases: by a broker's lines, else by clients'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from groupsim.incidents.account.incarnation import Incarnation, Said
from groupsim.incidents.account.when import When
from groupsim.incidents.facts.typed_fields import int_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind


@dataclass(slots=True)
class Rebalance:
    """One of them. `number`: its generation or epoch, None if it never got one that a line names.

    `started`: the coordinator began it, or the first of those whose logs are given asked to join. `joined`: it has its
    members, or the first of them heard so. `stored`: its assignment is in force, or the first of them has its part; of
    a consumer group, its target is computed. Each is None where no line says it. `reason`: the broker's sentence, or
    the clients' for asking. `size`: the number of members, if a line says it. `said`: its lines, in order.
    """

    number: int | None = None
    started: When | None = None
    joined: When | None = None
    stored: When | None = None
    reason: str | None = None
    member: str | None = None
    size: int | None = None
    by_broker: bool = False
    said: list[Said] = field(default_factory=list)


def rebalances_of(brokers: Iterable[Said], incarnations: Sequence[Incarnation]) -> list[Rebalance]:
    """All of them, in the order of their lines; where brokers' lines are given, those say which there were."""
    return _by_brokers(brokers) or _by_clients(incarnations)


def _by_brokers(said: Iterable[Said]) -> list[Rebalance]:
    found: list[Rebalance] = []
    begun: Rebalance | None = None
    for each in said:
        row = each.row
        number = int_in(row.detail.get("generation"))
        match row.kind:
            case RowKind.REBALANCE_START:
                if begun is None or begun.joined is not None:
                    begun = _new(found)
                    begun.reason, begun.member = text_in(row.detail.get("reason")), row.member
                    begun.started = each.when
            case RowKind.STABILIZED:
                begun = begun if begun is not None and begun.joined is None else _new(found)
                begun.number, begun.size = number, int_in(row.detail.get("members"))
                begun.joined = each.when
            case RowKind.ASSIGNMENT_RECEIVED | RowKind.STORED_ASSIGNMENT:
                begun = begun if begun is not None and begun.number in (number, None) else _new(found)
                begun.number, begun.stored = number, each.when
                begun.size = int_in(row.detail.get("members")) or begun.size
            case RowKind.GROUP_EPOCH_BUMPED:
                begun = _new(found)
                begun.number, begun.started = int_in(row.detail.get("epoch")), each.when
            case RowKind.TARGET_ASSIGNMENT:
                epoch = int_in(row.detail.get("epoch"))
                begun = begun if begun is not None and begun.number == epoch else _new(found)
                begun.number, begun.stored = epoch, each.when
            case _:
                continue
        if begun is not None:
            begun.said.append(each)
        if begun is not None and begun.stored is not None and row.kind != RowKind.REBALANCE_START:
            begun = None
    return found


def _new(found: list[Rebalance]) -> Rebalance:
    found.append(Rebalance(by_broker=True))
    return found[-1]


_OF_CLIENTS = frozenset(
    [RowKind.REJOIN_REQUESTED, RowKind.JOINING, RowKind.JOINED, RowKind.SYNCED, RowKind.STATE_CHANGE]
)


def _by_clients(incarnations: Sequence[Incarnation]) -> list[Rebalance]:
    """By generation or epoch; what is asked for belongs to the one that its process joins next."""
    by_number: dict[int, Rebalance] = {}
    unfinished: list[Rebalance] = []
    for own in incarnations:
        asked: list[Said] = []
        number: int | None = None
        for each in own.said:
            row = each.row
            if row.kind not in _OF_CLIENTS:
                continue
            if row.kind in (RowKind.REJOIN_REQUESTED, RowKind.JOINING) or row.detail.get("to") == "JOINING":
                asked.append(each)
                continue
            shown = int_in(row.detail.get("generation" if row.kind != RowKind.STATE_CHANGE else "epoch"))
            number = shown if shown is not None else number
            if number is None or number <= 0:
                continue
            one = by_number.setdefault(number, Rebalance(number))
            _take(one, asked, each)
            asked = []
        if asked:
            unfinished.append(Rebalance(started=asked[0].when, reason=_reason(asked), said=asked))
    return [by_number[number] for number in sorted(by_number)] + unfinished


def _take(one: Rebalance, asked: list[Said], said: Said) -> None:
    if asked:
        one.started = asked[0].when if one.started is None else min(one.started, asked[0].when)
        one.reason = one.reason or _reason(asked)
    one.said += [*asked, said]
    kind, state = said.row.kind, said.row.detail.get("to")
    if kind == RowKind.JOINED or state == "RECONCILING":
        one.joined = said.when if one.joined is None else min(one.joined, said.when)
    elif kind == RowKind.SYNCED or state == "STABLE":
        one.stored = said.when if one.stored is None else min(one.stored, said.when)


def _reason(asked: Sequence[Said]) -> str | None:
    return next((reason for each in asked if (reason := text_in(each.row.detail.get("reason"))) is not None), None)
