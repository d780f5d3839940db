"""Nothing that is called shown contradicts what was drawn; `python -m tests.diagnosis 10000` draws more."""

from __future__ import annotations

from tests.diagnosis.drawn import contradictions
from tests.thinned import examples


def test_what_is_called_shown_happened() -> None:
    assert list(contradictions(range(examples(25, 60)))) == []
