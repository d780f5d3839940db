"""Choice: what is different in a replay from the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is different. `settings` by Kafka's names; `static`: with instance ids, or without (None: as recorded).

    `protocol`: the group protocol that all members speak, `classic` or `consumer` (None: as recorded). `restart_ms`:
    how long a member that is restarted is away.
    """

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)
    static: bool | None = None
    protocol: str | None = None
    restart_ms: int | None = None


AS_RECORDED = Choice(name="as recorded")
