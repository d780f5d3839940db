"""Look once when the present instant is over, however often it was asked for: several changes may belong together."""

from __future__ import annotations

from collections.abc import Callable

import simpy


class OnceAnInstant:
    """Calls `look` behind everything that is due now; asked again before, it calls it once."""

    def __init__(self, env: simpy.Environment, look: Callable[[], None]) -> None:
        self._env = env
        self._look = look
        self._asked = False

    def __call__(self) -> None:
        """Ask for a look."""
        if not self._asked:
            self._asked = True
            self._env.timeout(0).callbacks.append(lambda _: self._now())

    def _now(self) -> None:
        self._asked = False
        self._look()
