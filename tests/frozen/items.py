"""What is frozen: each item is computed by the command line and the public tables alone, so that it survives a move."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from groupsim import analysis
from groupsim.cli.main import status
from groupsim.scenarios.catalogue import names
from groupsim.storage import open_store

ROOT = Path(__file__).parent.parent.parent
SHARED = ROOT.parent / "shared"
EXAMPLES = ROOT / "examples" / "incidents"
SEEDS = ("own", "101", "202")
"""`own` is the seed the scenario names."""
PASSING = frozenset(
    {"run", "known_share", "notes", "assumptions", "created_at", "note", "again", "source_path", "explanation"}
    | {"answer", "rests_on"}
)
"""Keys of JSON whose values are sentences, or differ from call to call; tests/diagnosis score what explains a run."""
TABLES = (
    "unavailable",
    "availability",
    "blame",
    "critical_paths",
    "ownership",
    "members",
    "callbacks",
    "commits",
    "lag",
    "timeline",
    "rebalances",
)
RENAMED = {
    "ownership": (("perspective", "eyes"),),
    "commits": (("reported_by", "told_by"),),
    "critical_paths": (("awaiting-heartbeat", "unaware"), ("not-started", "unborn")),
}
"""Columns and values that were renamed on purpose: what was frozen has the old names."""
Parts = Mapping[str, str]


def items() -> dict[str, Callable[[], Parts]]:
    """Every item by name, in a fixed order; those of `../shared` only where it is at hand."""
    found: dict[str, Callable[[], Parts]] = {}
    for name in names():
        for seed in SEEDS:
            found[f"run/{name}/{seed}"] = lambda name=name, seed=seed: _run(name, seed)  # type: ignore[misc]
    for folder in sorted(path for path in EXAMPLES.iterdir() if path.is_dir()):
        found[f"example/{folder.name}"] = lambda folder=folder: _import(_logs(folder), whatif=True)  # type: ignore[misc]
    for folder in sorted(SHARED.glob("recordings/*/")):
        found[f"recording/{folder.name}"] = lambda folder=folder: _import(_logs(folder))  # type: ignore[misc]
    for log in sorted(SHARED.glob("incidents/*.log")):
        found[f"incident/{log.stem}"] = lambda log=log: _import(_one(log))  # type: ignore[misc]
    for file in sorted((ROOT / "tests/golden/recordings").glob("*.json.gz")):
        found[f"reenact/{file.name}"] = lambda file=file: {"out": _call("conformance", "reenact", str(file))}  # type: ignore[misc]
    for file in sorted((ROOT / "tests/golden/broker").glob("*.jsonl.gz")):
        found[f"play/{file.name}"] = lambda file=file: {"out": _call("conformance", "play", str(file))}  # type: ignore[misc]
    found["assignors"] = lambda: {"out": _call("assignors", "--format", "json")}
    return found


def compute(name: str) -> tuple[str, Parts]:
    """One item; an exception is a part of its own, so that it can be compared, too."""
    try:
        return name, items()[name]()
    except Exception as error:
        return name, {"error": f"{type(error).__name__}: {error}"}


def _logs(folder: Path) -> list[Path]:
    """The logs of a folder, named relative to it: facts carry the names of their files."""
    os.chdir(folder)
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and ".log" in path.name)


def _one(log: Path) -> list[Path]:
    os.chdir(log.parent)
    return [Path(log.name)]


def short(text: str | bytes) -> str:
    """The first ten hex digits of a text's SHA-256."""
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()[:10]


def printed(*arguments: str) -> tuple[int, str]:
    """The exit status and stdout of one call of the program."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = status(list(arguments))
    return code, out.getvalue()


def _call(*arguments: str) -> str:
    code, out = printed(*arguments)
    return short(f"{code}\n{_steady(out)}")


def _steady(text: str) -> str:
    """JSON or JSON Lines without what passes; other text as it is."""
    try:
        return json.dumps([_without(json.loads(line)) for line in text.splitlines() if line.strip()], sort_keys=True)
    except json.JSONDecodeError:
        return text


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(each) for key, each in value.items() if key not in PASSING}
    if isinstance(value, list):
        return [_without(each) for each in value]
    return value


@contextlib.contextmanager
def _store() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "frozen.db")


def _run(name: str, seed: str) -> dict[str, str]:
    chosen = () if seed == "own" else ("--seed", seed)
    with _store() as store:
        line = ("run", name, *chosen, "--format", "json", "--store", store)
        lean = printed(*line, "--record", "facts")[1]
        found = {"summary": _call(*line), "facts": json.loads(lean)["digest"][:10]}
        return found | _tables(store, "simulated") | _commands(store)


def _import(logs: list[Path], whatif: bool = False) -> dict[str, str]:
    with _store() as store:
        line = ("incident", "import", *map(str, logs), "--name", "frozen", "--store", store, "--format", "json")
        code, out = printed(*line)
        read = _call("incident", "read", *map(str, logs), "--format", "jsonl")
        if code == 2:
            return {"status": str(code), "read": read}
        summary = _without(json.loads(out))
        found = {"digest": summary.pop("digest")[:10], "facts": str(summary.pop("facts"))}
        found |= {"summary": short(json.dumps(summary, sort_keys=True)), "read": read}
        found |= _tables(store, "recorded") | _commands(store)
        if whatif:
            line = ("incident", "whatif", "latest", "--assignor", "range", "--assignor", "cooperative-sticky")
            more = ("--set", "membership=static", "--set", "session.timeout.ms=8000", "--seeds", "0:3")
            found["whatif"] = _call(*line, *more, "--store", store, "--format", "jsonl")
        return found


def _tables(store: str, source: str) -> dict[str, str]:
    """Each table as CSV. Of a simulated run the facts themselves, too: those of a recorded one are in its digest."""
    run = analysis.load(store)
    found = {name: short(_as_frozen(name, getattr(run, name)().to_csv(index=False))) for name in TABLES}
    found["replay"] = short(json.dumps(run.replay(), sort_keys=True))
    found["halfway"] = short(json.dumps(run.replay((run.info.simulated_ms or 0) // 2), sort_keys=True))
    if source == "simulated":
        with contextlib.closing(open_store(store)) as opened:
            head, *_ = opened.runs()
        found["name"] = short(f"{head.name} {head.seed} {head.status} {head.simulated_ms}")
    return found


def _as_frozen(table: str, text: str) -> str:
    for new, old in RENAMED.get(table, ()):
        text = text.replace(new, old)
    return text


def _commands(store: str) -> dict[str, str]:
    """The JSON of the commands of the contract that the tables do not cover already."""
    asked = {
        "by-label": ("unavailable", "latest", "--by", "label"),
        "by-cause": ("unavailable", "latest", "--by", "cause"),
        "by-rebalance": ("unavailable", "latest", "--by", "rebalance"),
        "blame-member": ("blame", "latest", "--by", "member"),
        "blame-phase": ("blame", "latest", "--by", "phase"),
        "blame-configuration": ("blame", "latest", "--by", "configuration"),
        "cli-timeline": ("timeline", "latest"),
        "cli-rebalances": ("rebalances", "latest"),
        "cli-replay": ("replay", "latest"),
    }
    found = {name: _call(*line, "--store", store, "--format", "json") for name, line in asked.items()}
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder) / "export.jsonl"
        if printed("export", "latest", "--to", str(to), "--store", store)[0] == 0:
            facts = to.read_bytes().split(b"\n", 1)[1]  # after the head, which has the run's id and date
            found["export"] = short(b"\n".join(b",".join(line.split(b",")[1:]) for line in facts.split(b"\n")))
    return found
