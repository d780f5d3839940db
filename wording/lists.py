"""Several names, or several parts of a sentence, as one text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

_SETTING = re.compile(r"[a-z]+(?:\.[a-z]+)+\b")
_ALIKE = 3
"""From so many files on that have the same sentence, it is said once."""


def listed(names: Sequence[str], most: int = 4) -> str:
    """The first `most` names with commas, and how many more there are.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a, b, c', 'a, b and 1 more')
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def quoted(names: Iterable[str]) -> list[str]:
    """Names as they stand in sentences: a blank or a comma may be part of one.

    >>> listed(quoted(["a", "b, c"]))
    '"a", "b, c"'
    """
    return [f'"{name}"' for name in names]


def either(names: Sequence[str]) -> str:
    """Names of which one is meant; empty of none.

    >>> either(["a", "b", "c"]), either(["a"])
    ('a, b or c', 'a')
    """
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def joined(parts: Iterable[str]) -> str:
    """The parts of a sentence that are not empty, with semicolons.

    >>> joined(["it costs 3.0", "", "over 10 seeds"])
    'it costs 3.0; over 10 seeds'
    """
    return "; ".join(filter(None, parts))


def after_comma(text: str) -> str:
    """A text that follows another after a comma; empty if it is.

    >>> "unknown" + after_comma("at least 6.4"), "unknown" + after_comma("")
    ('unknown, at least 6.4', 'unknown')
    """
    return f", {text}" if text else ""


def capital(text: str) -> str:
    """A text with a capital letter at its beginning, unless a setting stands there: these have names of their own.

    >>> capital("the total is unknown")
    'The total is unknown'
    >>> capital("session.timeout.ms=6000 is too short")
    'session.timeout.ms=6000 is too short'
    """
    return text if _SETTING.match(text) else text[:1].upper() + text[1:]


def as_sentence(text: str) -> str:
    """A text with a capital letter at its beginning and a full stop at its end.

    >>> as_sentence("the total is unknown")
    'The total is unknown.'
    """
    return f"{capital(text)}."


def folded(sentences: Sequence[str]) -> list[str]:
    """Sentences (`FILE: what`), with those that say the same of three files or more as one that names the files.

    >>> folded(["logs/a.log: no line is known", "logs/b.log: empty", "logs/c.log: empty", "logs/d.log: empty"])
    ['logs/a.log: no line is known', '3 files (b.log, c.log, d.log): empty']
    """
    files: dict[str, list[str]] = {}
    for sentence in sentences:
        file, _, what = sentence.partition(": ")
        files.setdefault(what, []).append(PurePath(file).name)
    said: dict[str, None] = {}
    for sentence in sentences:
        what = sentence.partition(": ")[2]
        alike = files[what]
        fold = what and len(alike) >= _ALIKE
        said.setdefault(f"{len(alike)} files ({listed(alike)}): {what}" if fold else sentence)
    return list(said)
