"""The page about exporting logs: its choice of lines loses none that the importer reads."""

from __future__ import annotations

import re
from pathlib import Path

from groupsim.incidents.logs.scanned_words import KEYWORDS, PARTITION, REVOKED

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "export-logs.md").read_text("utf-8")
CHOICES = re.findall(r"roup\|[\w.|]+", PAGE)


def test_every_line_that_can_be_read_has_one_of_the_words() -> None:
    words = re.compile(CHOICES[0])
    assert [keyword for keyword in (*KEYWORDS, PARTITION, *REVOKED) if words.search(keyword.decode()) is None] == []


def test_the_page_names_the_same_words_everywhere() -> None:
    assert len(CHOICES) == 3
    assert len(set(CHOICES)) == 1


def test_the_words_can_be_used_on_every_platform() -> None:
    """CloudWatch's filter patterns know no spaces and no parentheses; single quotes would end a shell's string."""
    assert re.fullmatch(r"[A-Za-z.|]+", CHOICES[0])
