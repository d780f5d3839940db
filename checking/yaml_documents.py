"""YAML of strangers: the documents of a file, every scalar as its text, nothing constructed.

Sizes are looked at before anything is built: how deep, and how many nodes once every alias is what it names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from groupsim.checking.errors import BadFile

MOST_NODES, DEEPEST = 100_000, 60
_MERGE = "tag:yaml.org,2002:merge", re.compile("^<<$")
_NULL = "tag:yaml.org,2002:null", re.compile("^(~|null|Null|NULL|)$")
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Texts(_SafeLoader):  # type: ignore[misc]
    """PyYAML's safe loader; a plain scalar is a text, whatever it looks like: `010` is no eight, `on` is no true."""

    yaml_implicit_resolvers = {"<": [_MERGE], "~": [_NULL], "n": [_NULL], "N": [_NULL], "": [_NULL]}


def documents(text: str, path: Path) -> list[Any]:
    """Each document as dicts, lists and texts. Raises BadFile, for templates that nobody has rendered too."""
    try:
        _look_at_size(text, path)
        return [each for each in yaml.load_all(text, Loader=_Texts) if each]
    except yaml.YAMLError as error:
        if "{{" in text:
            raise BadFile(f"{path} is a template ({{{{ }}}}): give what `helm template` makes of it") from None
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f", line {mark.line + 1}"
        why = " ".join(str(getattr(error, "problem", None) or error).split())[:200]
        raise BadFile(f"{path}{where} is no YAML: {why}") from None


def _look_at_size(text: str, path: Path) -> None:
    """Raises BadFile for what is too deep or too large, also behind aliases."""
    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = [(None, 0)]

    def add(nodes: int) -> None:
        anchor, so_far = open_nodes[-1]
        open_nodes[-1] = anchor, so_far + nodes
        if so_far + nodes > MOST_NODES:
            raise BadFile(f"{path} has more than {MOST_NODES:,} values; give the files of one deployment")

    for event in yaml.parse(text, Loader=_SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise BadFile(f"{path} has an alias to what it is part of: *{event.anchor}")
            add(sizes[event.anchor])
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, 1))
            if len(open_nodes) > DEEPEST:
                raise BadFile(f"{path} is nested deeper than {DEEPEST} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, nodes = open_nodes.pop()
            if anchor is not None:
                sizes[anchor] = nodes
            add(nodes)
        elif isinstance(event, yaml.ScalarEvent):
            if event.anchor is not None:
                sizes[event.anchor] = 1
            add(1)
