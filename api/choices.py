"""The choices of a what-if: what settings, an assignor and a protocol mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groupsim.api.errors import BadRequest
from groupsim.wording.lists import either

if TYPE_CHECKING:
    from groupsim.replay.choice import Choice
    from groupsim.replay.replayable import ReplayableRun

PROTOCOL, STRATEGY, REMOTE = "group.protocol", "partition.assignment.strategy", "group.remote.assignor"
CLASSIC, CONSUMER = "classic", "consumer"
PROTOCOLS = (CLASSIC, CONSUMER, "streams")
ON_THE_SERVER = ("uniform", "range")


def choices(
    assignors: Sequence[str], sets: Sequence[Mapping[str, str]], protocols: Sequence[str], dashes: str = ""
) -> list[Choice]:
    """The choices in order: one for each protocol and assignor of it, each other assignor, and each dict of settings.

    An assignor that only brokers have means the consumer protocol. `dashes`: before options, in errors.
    Raises BadRequest, BadSetting.
    """
    for protocol in protocols:
        if protocol not in PROTOCOLS:
            raise BadRequest(f"{dashes}protocol must be {either(PROTOCOLS)}, not {protocol!r}")
    choices, taken = [], set()
    for protocol in protocols:
        fitting = [name for name in assignors if (name in ON_THE_SERVER) == (protocol == CONSUMER)]
        if protocol == CLASSIC and CONSUMER not in protocols:
            fitting = [name for name in assignors if name == "range" or name not in ON_THE_SERVER]
        taken |= set(fitting)
        choices += [_protocol(protocol, name, dashes) for name in fitting] or [_protocol(protocol, None, dashes)]
    choices += [_assignor(name, dashes) for name in assignors if name not in taken]
    choices += [_set(settings, f"{dashes}{'set' if dashes else 'settings'}") for settings in sets]
    names = [choice.name for choice in choices]
    for name in names:
        if names.count(name) > 1:
            raise BadRequest(f"the choice {name} is given twice")
    return choices


def notes(assignors: Sequence[str]) -> list[str]:
    """A sentence on each --assignor with several names, which may have been meant as several choices."""
    return [
        f"--assignor {names} is one choice: members offer all of these; for one choice each repeat --assignor"
        for names in assignors
        if "," in names
    ]


def meant(incident: ReplayableRun, chosen: Sequence[Choice]) -> list[Choice]:
    """The choices of an incident: `range` is the brokers' assignor where all members speak the consumer protocol.

    A choice of that protocol without an assignor says which one is meant.
    """
    from groupsim.replay.choice import AS_RECORDED
    from groupsim.replay.protocols import assignor_meant, protocols

    if incident.incident is None:
        return list(chosen)
    if protocols(incident.incident, AS_RECORDED) == {CONSUMER}:
        chosen = [_of_brokers(choice) for choice in chosen]
    named = [(choice, assignor_meant(incident.incident, choice)) for choice in chosen]
    return [replace(each, name=f"{each.name} ({assignor})") if assignor else each for each, assignor in named]


def _of_brokers(choice: Choice) -> Choice:
    """A choice that names an assignor, not whose it is: the brokers', if they have it."""
    assignor = choice.settings.get(STRATEGY)
    if choice.protocol is not None or assignor not in ON_THE_SERVER or STRATEGY in choice.name:
        return choice
    others = {key: value for key, value in choice.settings.items() if key != STRATEGY}
    return replace(choice, settings={**others, REMOTE: assignor})


def _protocol(protocol: str, assignor: str | None, dashes: str) -> Choice:
    from groupsim.replay.choice import Choice

    settings: dict[str, str] = {}
    if assignor is not None and protocol == CONSUMER:
        settings = {REMOTE: assignor}
    elif assignor is not None:
        settings = dict(_assignor(assignor, dashes).settings)
    name = ",".join(f"{key}={value}" for key, value in {PROTOCOL: protocol, **settings}.items())
    return Choice(name=name, settings=settings, protocol=protocol)


def _assignor(names: str, dashes: str) -> Choice:
    from groupsim.assignors import ASSIGNORS
    from groupsim.coordinator.config import near
    from groupsim.replay.choice import Choice

    clients = sorted(name for name, assignor in ASSIGNORS.items() if assignor.side == "client")
    if names in ON_THE_SERVER and names not in clients:
        return _protocol(CONSUMER, names, dashes)
    servers = f"; with {dashes}protocol {CONSUMER}, one at a time: {', '.join(ON_THE_SERVER)}"
    for name in (several := names.split(",")):
        if name in ON_THE_SERVER and name not in clients and len(several) > 1:
            raise BadRequest(
                f"{dashes}assignor {names}: {name!r} is a broker's, and a broker's assignor is named alone; repeat"
                f" {dashes}assignor for each (brokers offer {', '.join(ON_THE_SERVER)})"
            )
        if name not in clients:
            why = "is not an assignor that a broker offers" if name in ASSIGNORS else "is unknown"
            raise BadRequest(
                f"{dashes}assignor {name!r} {why}{near(name, clients)}; known: {', '.join(clients)}{servers}"
            )
    return Choice(name=names, settings={STRATEGY: names})


def _set(settings: Mapping[str, str], option: str) -> Choice:
    from groupsim.replay.choice_settings import choice_of

    return choice_of(settings, ",".join(f"{key}={value}" for key, value in settings.items()), option)
