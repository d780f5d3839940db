"""No comment, docstring or document cites something that leads nowhere."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXTS = {".py", ".md", ".toml", ".yml", ".html", ".js", ".css", ".sh", ".java"}
LEFT_OUT = ("tests/golden/", "tests/incidents/data/", "tests/test_citations.py", "docs/results.md", "requirements/")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.M)
MENTION = re.compile(r"\bdocs/[\w./-]+\.md(?:#[\w-]+)?")
DECISION = re.compile(r"\bADR (\d{4})\b")
MODULE = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|sh|js))`")
UNSEEN = (
    re.compile(r"\b[Ss]pec(?::|(?:'s)? section)? ?(?:T|C|D\.|§)?\d"),
    re.compile(r"\bspec's\b|\bthe specification\b"),
    re.compile(r"\bappendix\b", re.I),
    re.compile(r"\brows? [TBCLN]\d{1,2}\b|\([TBCLN]\d{1,2}[);,: ](?!\+)|[;,] T\d{1,2}\b|\bT\d{1,2}:"),
    re.compile(r"\b[Ss]ections? \d"),
)
"""How comments cited a document that is not in the repository, and the numbers of its rows."""


@cache
def names() -> tuple[str, ...]:
    """Every file of the project, by its path below the root."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(name for name in listed.splitlines() if (ROOT / name).is_file())


@cache
def files() -> tuple[Path, ...]:
    """Every text that may cite something."""
    read = [name for name in names() if not name.startswith(LEFT_OUT)]
    return tuple(ROOT / name for name in read if Path(name).suffix in TEXTS or name == "Makefile")


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as the site and the repository's viewer make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    found: set[str] = set()
    for title in HEADING.findall(text):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        found.add(re.sub(r"[ ]", "-", re.sub(r"[^\w -]", "", words).strip()))
    return frozenset(found)


def problem(target: str, page: Path) -> str | None:
    """Why a relative link does not lead anywhere; None if it does."""
    path, _, anchor = target.partition("#")
    where = (page.parent / path).resolve() if path else page
    if not where.exists():
        return f"{target}: no such file"
    if anchor and where.suffix == ".md" and anchor not in anchors(where):
        return f"{target}: no such heading"
    return None


def lines(pattern: re.Pattern[str], path: Path) -> list[tuple[int, str]]:
    """(line number, match) of each match in a file."""
    text = path.read_text("utf-8")
    return [(text.count("\n", 0, m.start()) + 1, m[0]) for m in pattern.finditer(text)]


PAGES = [path for path in files() if path.suffix == ".md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    text = CODE.sub("", page.read_text("utf-8"))
    targets = [target for target in LINK.findall(text) if not re.match(r"[a-z]+:", target)]
    assert [found for target in targets if (found := problem(target, page))] == []


def test_every_page_that_the_code_mentions_exists_with_its_heading() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {why}"
        for path in files()
        for line, target in lines(MENTION, path)
        if (why := problem(target, ROOT / "README.md"))
    ]
    assert wrong == []


def test_every_decision_that_is_mentioned_exists() -> None:
    known = {path.name[:4] for path in (ROOT / "docs" / "adr").glob("*.md")}
    cited = [(path, line, number) for path in files() for line, number in lines(DECISION, path)]
    assert [f"{path}:{line}" for path, line, number in cited if number[-4:] not in known] == []


def test_every_module_that_a_page_names_exists() -> None:
    named = [(page, name) for page in PAGES for name in MODULE.findall(page.read_text("utf-8"))]
    known = tuple(f"/{name}" for name in names())
    missing = [
        f"{page.relative_to(ROOT)}: {name}" for page, name in named if not any(k.endswith(f"/{name}") for k in known)
    ]
    assert missing == []


def test_nothing_cites_a_document_that_is_not_here() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {found.strip()!r}"
        for path in files()
        for pattern in UNSEEN
        for line, found in lines(pattern, path)
    ]
    assert wrong == []


def test_a_wrong_citation_is_found() -> None:
    page = ROOT / "README.md"
    assert problem("docs/model/timers.md#session", page) is None
    assert problem("docs/model/timers.md#sessions", page) == "docs/model/timers.md#sessions: no such heading"
    assert problem("docs/model/clock.md", page) == "docs/model/clock.md: no such file"
    for text in (
        "(spec: 8.2)",
        "spec 5.4",
        "Spec section 2",
        "see appendix D.5",
        "Source: row B10.",
        "(T31)",
        "T32: back to",
        "section 8.2",
    ):
        assert any(pattern.search(text) for pattern in UNSEEN), text
    for text in ("Spec(members)", "member C0, member C1", "spec: Spec", "for spec in specs", "inspect 3"):
        assert not any(pattern.search(text) for pattern in UNSEEN), text
