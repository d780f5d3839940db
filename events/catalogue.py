"""All fact types by name, and a fingerprint of their shapes that changes when any of them does."""

from __future__ import annotations

import hashlib

from groupsim.events import classic, client, network, world
from groupsim.events.base import Event


def _types() -> dict[str, type[Event]]:
    found = {
        kind.__name__: kind
        for module in (classic, client, network, world)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Event) and kind.__module__ == module.__name__
    }
    del found["ClientEvent"]
    return dict(sorted(found.items()))


CATALOGUE: dict[str, type[Event]] = _types()
"""Tag -> fact type, sorted by tag."""
STATE_CHANGING = tuple(tag for tag, kind in CATALOGUE.items() if not kind.noise)
"""Tags of the facts that change something: what every reader but a listing of all facts asks for."""
NOISE = tuple(tag for tag, kind in CATALOGUE.items() if kind.noise)
"""Tags of the facts that change nothing: most of a run's, where everything is recorded."""


def fingerprint() -> str:
    """SHA-256 over names, versions, fields and their types: a change of shape without a new `schema` shows here."""
    lines = []
    for tag, kind in CATALOGUE.items():
        fields = ",".join(f"{name}:{kind.__annotations__.get(name, 'inherited')}" for name in kind.__struct_fields__)
        lines.append(f"{tag}/{kind.schema}/{fields}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
