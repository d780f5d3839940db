"""Old facts read by newer code: one function per (type, schema) lifts a body to the next schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Body = dict[str, Any]
"""A fact's body as plain JSON values, its `type` included."""
Upcast = Callable[[Body], Body]

UPCASTS: dict[tuple[str, int], Upcast] = {}
"""(type, n) -> what turns a body of schema n into one of schema n + 1.

When the fields of a fact change, its `schema` grows by one and a function for the old shape is added here; types are
never renamed (a new name is a new type), and no entry is ever removed, since stores live longer than versions.
"""


def lift(kind: str, schema: int, target: int, body: Body) -> Body:
    """`body` of schema `schema` in the shape of schema `target`. Raises LookupError where a step is missing."""
    for step in range(schema, target):
        upcast = UPCASTS.get((kind, step))
        if upcast is None:
            raise LookupError(f"nothing lifts schema {step} to {step + 1}")
        body = upcast(body)
    return body
