"""Python's garbage collector while facts are made or read by the thousand."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

NEW_OBJECTS = 100_000
"""How many containers more than before there are when the collector looks; Python's own default is 700."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the collector look seldom inside the block.

    Facts, and a simulation's messages and timeouts, hold no cycles: counting references frees them at once. The
    collector would find little, and looks at everything that waits each time: a third of the time of a thousand
    consumers, a fifth of the time in which a run's facts are read and judged.
    """
    before = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
