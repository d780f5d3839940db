"""The glossary defines what the tables and the README use."""

import re
from pathlib import Path

from groupsim.analysis.availability.labels import LABELS

ROOT = Path(__file__).parent.parent
TERM = re.compile(r"^### (.+)\n(.+)$", re.M)


def terms() -> dict[str, str]:
    """Each term with the first line of its definition."""
    return dict(TERM.findall((ROOT / "docs" / "glossary.md").read_text("utf-8")))


def test_every_term_is_defined_once_and_in_a_sentence() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    titles = re.findall(r"^### (.+)$", text, re.M)
    assert sorted(titles) == sorted(terms())
    assert [term for term, said in terms().items() if len(said) < 20] == []


def test_every_label_is_defined() -> None:
    assert {str(label) for label in LABELS} <= set(terms())


def test_the_page_of_labels_has_every_label() -> None:
    page = (ROOT / "docs" / "reference" / "labels.md").read_text("utf-8")
    assert re.findall(r"^\| ([A-Z_]+) \|", page, re.M) == [str(label) for label in LABELS]
