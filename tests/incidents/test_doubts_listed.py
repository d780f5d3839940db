"""Whoever asks why a bound is wide finds the module by the words of its sentence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from groupsim.incidents.facts import doubts

FOLDER = Path(doubts.__file__).parent
LISTED = {
    module: re.findall(r'"([^"]+)"', re.sub(r"\s+", " ", sentences))
    for module, sentences in re.findall(r"^- `(\w+)`: (.*?)(?=^- `|\n\n)", doubts.__doc__ or "", re.M | re.S)
}


def _texts(module: str) -> Iterator[str]:
    """The strings of a module, what is formatted into them as an ellipsis."""
    for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text())):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _writes(module: str, sentence: str) -> bool:
    pattern = ".*".join(re.escape(part.strip()) for part in sentence.split("…"))
    return any(re.search(pattern, text) for text in _texts(module))


def test_each_sentence_that_is_listed_is_written_by_its_module() -> None:
    assert sum(map(len, LISTED.values())) > 15
    wrong = [(module, said) for module, all_ in LISTED.items() for said in all_ if not _writes(module, said)]
    assert wrong == []


def test_every_module_that_makes_a_doubt_is_listed_with_a_sentence() -> None:
    makers = {path.stem for path in FOLDER.glob("*.py") if "Doubt(" in path.read_text()}
    assert {module for module, said in LISTED.items() if said} >= makers
