"""The first sentence of an answer: what is a word in it, what is a figure, and how many of both it may have.

The rules are in CONTRIBUTING.md; `tests/test_first_sentences.py` holds every answer to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

WORDS, FIGURES = 30, 3
"""The most of them in the first sentence of an answer."""
_ENDS = re.compile(r"[.:]\n|\n|(?<=[.!?])\s+(?=[\"A-Z0-9])")
_NAMED = re.compile(r'"[^"]*"|[^\s="]+=\S+')
"""What is quoted, and a setting with its value, is a name."""
_FIGURE = re.compile(r"(?<![\w.#-])\d[\d,.]*(?:[hm]\d+[ms])?(?![\w-])|(?<![\w.#-])\d+[hm]\d+[ms]")
"""A number, or a duration such as `2m05s`. One that is part of a word (`m2`, `orders-3`) is part of a name."""


class Size(NamedTuple):
    """How many words and figures a sentence has."""

    words: int
    figures: int

    @property
    def fits(self) -> bool:
        """Whether a first sentence may have so many."""
        return self.words <= WORDS and self.figures <= FIGURES


def first_sentence(text: str) -> str:
    """Up to the first full stop, or to the end of the line.

    >>> first_sentence("m2 froze for 4.0 s. It was alone.")
    'm2 froze for 4.0 s.'
    """
    return _ENDS.split(text.strip(), maxsplit=1)[0]


def size(sentence: str, names: Iterable[str] = ()) -> Size:
    """The words and figures of a sentence; a name is one word and has no figure: `names`, quoted texts, `key=value`.

    A unit is a word of its own, and a range has two figures.

    >>> size('In group "4 of 7" m2 waited 4.0 s to 2m05s, with session.timeout.ms=6000 for 10 %.')
    Size(words=14, figures=3)
    >>> size("consumer 17 died", names=["consumer 17"])
    Size(words=2, figures=0)
    """
    for name in sorted(filter(None, names), key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "NAME", sentence)
    sentence = _NAMED.sub("NAME", sentence)
    return Size(len(sentence.split()), len(_FIGURE.findall(sentence)))


def first_that_fits(variants: Sequence[str], names: Iterable[str] = ()) -> str:
    """The first of several sentences, from the fullest, that is short enough; else the last.

    >>> first_that_fits(["It took 1 s, 2 s, 3 s or 4 s.", "It took 1 s to 4 s."])
    'It took 1 s to 4 s.'
    """
    known = tuple(names)
    return next((text for text in variants if size(text, known).fits), variants[-1])
