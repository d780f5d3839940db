"""The text of a file that somebody else may have written: of limited size, and nothing but text."""

from __future__ import annotations

from pathlib import Path

from groupsim.checking.errors import BadFile

MOST_BYTES = 1_000_000
"""A manifest of a hundred deployments has a tenth of this."""


def text_of(path: Path) -> str:
    """The whole text of a file. Raises BadFile."""
    try:
        with path.open("rb") as file:
            found = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadFile(f"{path} can't be read: {error.strerror or error}") from None
    if len(found) > MOST_BYTES:
        raise BadFile(f"{path} has more than {MOST_BYTES:,} bytes; give the files of one deployment")
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile(f"{path} is no text in UTF-8") from None
