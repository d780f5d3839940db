"""Names that come from untrusted logs."""

from __future__ import annotations

from groupsim.wording.names import shown


def test_what_cannot_be_seen_is_shown_as_an_escape_and_what_is_huge_is_cut() -> None:
    assert shown("a\u202eb\x1b[0m") == "a\\u202eb\\x1b[0m"
    assert shown("קבוצה 消費者組") == "קבוצה 消費者組"
    assert shown("x" * 150 + "y" * 150, 101) == "x" * 50 + "…" + "y" * 50
    assert shown(None) == ""
