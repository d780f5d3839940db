"""The defects of Kafka 4.4 that streams groups have, too: each has its name in the code and a line in the documents."""

from __future__ import annotations

import re
from pathlib import Path

from groupsim.coordinator import streams

CODE = Path(streams.__file__).parent
DOCUMENT = Path(__file__).parents[3] / "docs" / "model" / "streams-groups.md"


def test_every_defect_has_a_name_in_the_code_and_a_line_in_the_documents() -> None:
    code = "\n".join(re.sub(r"\s+", " ", file.read_text("utf-8")) for file in sorted(CODE.glob("*.py")))
    table = DOCUMENT.read_text("utf-8").partition("## Defects of Kafka 4.4")[2]
    assert set(re.findall(r"[Dd]efect `([a-z-]+)`", code)) == set(
        re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)
    )
