"""Members that were gone since an unknown time: the first are named, the rest counted."""

from __future__ import annotations

from groupsim.analysis.blame.undated_deaths import Gone, sentences_of

FOUR = [Gone("g", f"m{number}", 9_000, 1_000, 1, 8_000 - number) for number in range(4)]


def test_the_first_are_named_and_the_rest_counted() -> None:
    assert [each.split()[0] for each in sentences_of(FOUR[:3], None)] == ["m0", "m1", "m2"]
    *named, rest = sentences_of(FOUR, None)
    assert [each.split()[0] for each in named] == ["m0", "m1", "m2"]
    assert rest == "1 more member was gone in the same way: up to 8.0 partition-seconds are in doubt because of them"
    assert sentences_of([*FOUR, *FOUR], None)[-1].startswith("5 more members were gone in the same way: up to 40.0")
    assert sentences_of([], None) == []
