"""All fact types by name, and a fingerprint of their shapes that changes when any of them does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from types import ModuleType

from groupsim.events import classic, client, consumer, group, network, share, streams, world
from groupsim.events.base import Event
from groupsim.events.errors import GroupsimError

MODULES = (group, classic, consumer, share, streams, client, network, world)
"""Every module of facts. A new protocol adds its own."""
ABSTRACT = (client.ClientEvent,)
"""Bases that are never recorded themselves."""


class DuplicateTag(GroupsimError):
    """Two fact types have the same name, which is the tag that logs carry."""


def fact_types(modules: Iterable[ModuleType]) -> dict[str, type[Event]]:
    """The fact types that these modules define, by tag. Raises DuplicateTag."""
    by_tag: dict[str, type[Event]] = {}
    for module in modules:
        for kind in vars(module).values():
            own = isinstance(kind, type) and issubclass(kind, Event) and kind.__module__ == module.__name__
            if not own or kind in ABSTRACT:
                continue
            other = by_tag.setdefault(kind.__name__, kind)
            if other is not kind:
                raise DuplicateTag(f"{kind.__name__} is a fact of {other.__module__} and of {module.__name__}")
    return dict(sorted(by_tag.items()))


CATALOGUE: dict[str, type[Event]] = fact_types(MODULES)
"""Tag -> fact type, sorted by tag."""
STATE_CHANGING = tuple(tag for tag, kind in CATALOGUE.items() if not kind.noise)
"""Tags of the facts that change something: what every reader but a listing of all facts asks for."""


def fingerprint() -> str:
    """SHA-256 over names, versions, fields and their types: a change of shape without a new `schema` shows here."""
    lines = []
    for tag, kind in CATALOGUE.items():
        fields = ",".join(f"{name}:{kind.__annotations__.get(name, 'inherited')}" for name in kind.__struct_fields__)
        lines.append(f"{tag}/{kind.schema}/{fields}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
