"""All families. Each story is in two of them, with other settings: one may be looked at, the other is put aside."""

from __future__ import annotations

from recorders.families import looked_at, put_aside

FAMILIES = tuple(sorted((*looked_at.FAMILIES, *put_aside.FAMILIES), key=lambda family: family.number))
