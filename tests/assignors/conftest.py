"""`--hypothesis-profile nightly` draws 10,000 problems for each property and assignor; the default stays quick."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("nightly", max_examples=10_000, deadline=None)
