"""A file that is written completely or not at all, whatever ends the process that writes it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_file(target: Path, unfinished: Path) -> Iterator[None]:
    """Write to `unfinished` inside; it becomes `target` at the end, and is deleted after an error.

    `unfinished` ends with a dot and the number of the process: what killed ones left under such names is deleted.
    So is a folder that was made for it. Raises OSError.
    """
    made = [folder for folder in (target.parent, unfinished.parent) if not folder.exists()]
    try:
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            _remove_left(unfinished)
            yield
        target.parent.mkdir(exist_ok=True)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.replace(target)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        for folder in made:
            with suppress(OSError):  # something is in it
                folder.rmdir()


def _remove_left(unfinished: Path) -> None:
    """Delete what killed processes that wrote the same file left: files that nobody holds any more."""
    for left in unfinished.parent.glob(f"{unfinished.stem}.*"):
        with suppress(OSError):
            if left != unfinished and left.suffix[1:].isdigit():
                with left.open("rb") as abandoned:
                    fcntl.flock(abandoned, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    left.unlink()
