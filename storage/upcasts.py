"""Old facts read by newer code: one function per (type, schema) converts a body to the next schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Body = dict[str, Any]
"""A fact's body as plain JSON values, its `type` included."""
Upcast = Callable[[Body], Body]

UPCASTS: dict[tuple[str, int], Upcast] = {}
"""(type, n) -> the function from a body of schema n to one of schema n + 1.

When the fields of a fact change, its `schema` is raised by one and a function for the old schema is added here. Types
are never renamed (a new name is a new type) and entries are never removed: old stores must stay readable.
"""


def upcast_body(kind: str, schema: int, target: int, body: Body) -> Body:
    """`body` of schema `schema`, converted to schema `target`. Raises LookupError if a step is missing."""
    for step in range(schema, target):
        upcast = UPCASTS.get((kind, step))
        if upcast is None:
            raise LookupError(f"there is no step from schema {step} to {step + 1}")
        body = upcast(body)
    return body
