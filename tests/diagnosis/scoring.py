"""How an explanation is scored against a label: what is first, what is missing, what is false, what helps."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.to_json import as_json
from groupsim.incidents.logs.reading import read_files

GOLDEN = Path(__file__).parents[1] / "golden" / "fragments" / "fragments.jsonl.gz"
STRANGERS = Path(__file__).parents[3] / "shared" / "incidents"
QUIET = {"start-up", "healthy", "others"}


@dataclass(frozen=True)
class Labelled:
    """Some logs, and what an expert would say of them."""

    name: str
    files: list[Path]
    label: dict[str, Any]


@dataclass(frozen=True)
class Scored:
    """`surely_wrong`: codes that are called shown and are not right. `bounds`: None where no truth is known."""

    name: str
    first: str | None
    right: bool
    complete: bool
    false: list[str]
    surely_wrong: list[str]
    helpful: bool | None
    bounds: bool | None


def fragments(folder: Path, every: int = 1) -> Iterator[Labelled]:
    """Every N-th of the labelled fragments, written into a folder."""
    for number, line in enumerate(gzip.decompress(GOLDEN.read_bytes()).splitlines()):
        if number % every:
            continue
        item = json.loads(line)
        files = [folder / name for name in item["files"]]
        for path, text in zip(files, item["files"].values(), strict=True):
            path.write_text(text, encoding="utf-8")
        yield Labelled(item["name"], files, item["label"])


def strangers() -> Iterator[Labelled]:
    """Logs of strangers with their labels, where they lie beside the checkout."""
    for place in sorted(STRANGERS.glob("*.diagnosis.json")):
        log = place.with_name(place.name.replace(".diagnosis.json", ".log"))
        if log.exists():
            yield Labelled(log.stem, [log], json.loads(place.read_text(encoding="utf-8")))


def scored(labelled: Labelled) -> Scored:
    """What is said of the logs, beside the label."""
    label = labelled.label
    explanation = explain_reading(read_files(labelled.files))
    groups = as_json(explanation)["groups"] if explanation is not None else []
    heads = [group["findings"][0]["code"] for group in groups if group["findings"]]
    first = next((code for code in heads if code not in QUIET), heads[0] if heads else None)
    findings = [finding for group in groups for finding in group["findings"]]
    codes = {finding["code"] for finding in findings}
    allowed = {*label["primary"], *label.get("also", []), *label.get("may", [])}
    shown = {finding["code"] for finding in findings if finding["certainty"] == "shown"}
    return Scored(
        name=labelled.name,
        first=first,
        right=first in label["primary"],
        complete=bool(findings) and set(label.get("also", [])) <= codes,
        false=sorted(codes - allowed),
        surely_wrong=sorted(shown - allowed),
        helpful=_helpful(findings, label["settings"]) if label.get("settings") else None,
        bounds=_bounds(groups, label.get("stopped_ms")),
    )


def _helpful(findings: list[dict[str, Any]], wanted: list[list[str]]) -> bool:
    remedies = [remedy for finding in findings for remedy in finding["do"]]
    named = {str(name).lower() for remedy in remedies for name in remedy["settings"]}
    text = " ".join(remedy["what"] for remedy in remedies).lower()
    return all(any(name.lower() in named or name.lower() in text for name in names) for names in wanted)


def _bounds(groups: list[dict[str, Any]], truth: Any) -> bool | None:
    """Whether bounds have something in common with the truth; of one group only."""
    if not isinstance(truth, list) or len(groups) != 1:
        return None
    low, high = groups[0]["stopped_ms"]
    if not low and high is None:
        return False
    return (low or 0) <= (truth[1] if truth[1] is not None else 1 << 60) and (high is None or high >= truth[0])


def share(flags: list[bool]) -> float:
    """Of 1."""
    return sum(flags) / len(flags) if flags else 1.0
