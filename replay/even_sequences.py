"""EvenDraws: numbers from 0 to 1 for what the record leaves open, evenly spread over the seeds of a what-if.

Independent draws would leave gaps and lumps among a few seeds. Each open question has its own sequence (Kronecker's:
steps by an irrational number, modulo 1), whose first members are evenly spread however many there are; the steps
differ, so that the questions are independent of each other.
"""

from __future__ import annotations

from math import sqrt
from random import Random

_STEPS = (sqrt(5) / 2 - 0.5, sqrt(2) - 1, sqrt(3) - 1, sqrt(7) - 2, sqrt(13) - 3)
MIDDLE = 0.5


class EvenDraws:
    """The numbers of one seed. Each question has the same place in the order of questions with every seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._questions = 0

    def next(self) -> float:
        """The number for the next question. Of the first questions the first seed (0) has the middle."""
        number = self._questions
        self._questions += 1
        begin = MIDDLE if number < len(_STEPS) else Random(number).random()
        return (begin + self._seed * _STEPS[number % len(_STEPS)]) % 1
