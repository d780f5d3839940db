"""Programs that are killed, whose disk is full, or whose permissions go: what was written stays whole, and can be gone
on with."""

from __future__ import annotations

import contextlib
import hashlib
from functools import cache
from pathlib import Path
from random import Random

from groupsim.events.errors import GroupsimError
from groupsim.events.world import RunEnded
from groupsim.storage import EventStore, open_store, writer
from groupsim.storage.audit import audit
from groupsim.storage.codec import Row, recorded
from groupsim.storage.store import RunInfo, RunStatus
from groupsim.storage.writer import BATCH
from tests.adversary.called import Finding, call
from tests.adversary.children import FATES, Bench, Ended, Fate, bench
from tests.adversary.tampering import SCENARIO, originals

MOST_S = 0.6
"""About as long as the longest of these commands runs."""
LOGS = sorted((Path(__file__).parents[2] / "examples" / "incidents" / "kill9-range").glob("*.log.gz"))


def _fate(rng: Random) -> Fate:
    return rng.choice(FATES)(rng, MOST_S)


def _done(ended: Ended, fate: Fate, whole: bool, what: str) -> None:
    if ended.status == 0 and not whole:
        raise Finding(f"{what} ({fate.what}) ended with status 0 and is not whole")


def prefix(store: EventStore, info: RunInfo, true: list[Row], what: str) -> None:
    """Raises Finding if the run has not the first facts of the true one, or does not verify.

    A run that a signal ended has one more, which says so.
    """
    rows = list(store.rows(info.id))
    if info.status == RunStatus.INTERRUPTED and recorded(info.id, rows.pop()).event != RunEnded(status=info.status):
        raise Finding(f"{what}: its last fact is not its end")
    if rows != true[: len(rows)] or info.facts - len(rows) != (info.status == RunStatus.INTERRUPTED):
        raise Finding(f"{what}: no prefix of its facts")
    if (damage := audit(store, info)) is not None:
        raise Finding(f"{what}: does not verify: {damage.sentence}")


def resumed(where: str, info: RunInfo, digest: str | None, what: str) -> None:
    """Raises Finding if the run is not resumed to the digest of an undisturbed one."""
    if info.status == "running" and (done := call("run", "--resume", info.id, "--store", where)).status != 0:
        raise Finding(f"{what}: not resumed: {done.err[-200:]!r}")
    with contextlib.closing(open_store(where, create=False)) as store:
        again = store.find(info.id)
        if again.digest != digest or store.digest(info.id) != digest:
            raise Finding(f"{what}: resumed to another digest")


def run(rng: Random, folder: Path) -> None:
    """A run that was cut off has a prefix of the facts, verifies, and is resumed to the same digest."""
    true, fate = originals(folder), _fate(rng)
    what = f"a run ({fate.what})"
    batch = rng.choice((BATCH, BATCH, 100, 1))
    with bench() as own:
        target = own.made / "cut.db"
        ended = own.met(_in_batches(batch, fate), *SCENARIO, "--store", str(target))
        try:
            with contextlib.closing(open_store(target, create=False)) as store:
                runs = store.runs()
                for info in runs:
                    prefix(store, info, true["rows"], what)
        except GroupsimError:
            runs = []  # it was cut off before the store was made; the next run makes it
        _done(ended, fate, any(info.status == "finished" for info in runs), "a run")
        if ended.err.startswith("groupsim: interrupted") and any(info.id not in ended.err for info in runs):
            raise Finding(f"{what} says {ended.err!r}, and not which run")
        for info in runs:
            if info.status == RunStatus.INTERRUPTED:
                continue
            resumed(str(target), info, true["info"].digest, what)
        if not runs and call(*SCENARIO, "--store", str(target)).status != 0:
            raise Finding(f"after {what} the next one fails")


def _in_batches(facts: int, fate: Fate) -> Fate:
    """With so many facts in a transaction: the fewer, the more instants at which a part of the run is stored."""

    def first() -> None:
        writer.BATCH = facts
        fate.first()

    return fate._replace(first=first)


def export(rng: Random, folder: Path) -> None:
    """An export that was cut off is complete or absent, and can be repeated."""
    true, fate = originals(folder), _fate(rng)
    with bench(true["store"]) as own:
        target = own.made / rng.choice(["cut.jsonl", "lake"])
        asked = ("export", "latest", "--to", str(target), "--store", str(own.given / "true.db"))
        ended = own.met(fate, *asked)
        for path in sorted(own.made.rglob("*")):
            if path.is_file() and not path.name.startswith(".") and _digest(path) not in _exported(folder):
                raise Finding(f"an export ({fate.what}) is there, and not whole")
        _done(ended, fate, target.exists() and any(own.made.rglob("[!.]*.*")), "an export")
        _repeated(own, asked, "an export", fate)


@cache
def _exported(folder: Path) -> frozenset[str]:
    (lake,) = (folder / "lake").rglob("*.parquet")
    return frozenset(map(_digest, (folder / "true.jsonl", lake)))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _repeated(own: Bench, asked: tuple[str, ...], what: str, fate: Fate) -> None:
    if (again := call(*asked)).status != 0:
        raise Finding(f"after {what} ({fate.what}) the next one fails: {again.err[-200:]!r}")
    if left := [path.name for path in own.made.rglob(".*") if path.is_file()]:
        raise Finding(f"after {what} ({fate.what}) and another one there is still {left[0]}")


def import_(rng: Random, folder: Path) -> None:
    """An import that was cut off is complete or absent, and can be repeated."""
    true, fate = originals(folder), _fate(rng)
    (lake,) = (folder / "lake").rglob("*.parquet")
    with bench(folder / "true.jsonl", lake) as own:
        target = own.made / "into.db"
        file = own.given / rng.choice(["true.jsonl", lake.name])
        asked = ("import", str(file), "--store", str(target))
        ended, whole = own.met(fate, *asked), False
        for first in (True, False):
            if target.exists() or not first:
                try:
                    with contextlib.closing(open_store(target, create=False)) as store:
                        runs = store.runs()
                        whole = runs == [true["info"]] and list(store.rows(true["info"].id)) == true["rows"]
                except GroupsimError:
                    runs, whole = [], False
                if (runs or not first) and not whole:
                    raise Finding(f"an import ({fate.what}) {'' if first else 'that is repeated '}is another run")
            if first:
                _done(ended, fate, target.exists() and whole, "an import")
                if call(*asked).status != 0:
                    raise Finding(f"after an import ({fate.what}) the next one fails")


@cache
def _loaded(folder: Path) -> None:
    """Modules that are loaded late would be missing where no file can be opened."""
    call("report", "latest", "-o", str(folder / "true.html"), "--store", str(originals(folder)["store"]))


def report(rng: Random, folder: Path) -> None:
    """A report that was cut off is complete or absent, and can be repeated."""
    true, fate = originals(folder), _fate(rng)
    _loaded(folder)
    with bench(true["store"]) as own:
        target = own.made / "r.html"
        asked = ("report", "latest", "-o", str(target), "--store", str(own.given / "true.db"))
        ended = own.met(fate, *asked)
        found = target.read_text() if target.exists() else None
        if found is not None and not found.rstrip().endswith("</html>"):
            raise Finding(f"a report ({fate.what}) is there, and not whole")
        _done(ended, fate, found is not None, "a report")
        _repeated(own, asked, "a report", fate)
        if found is not None and target.read_text() != found:
            raise Finding(f"a report ({fate.what}) differs from the next one")


@cache
def _imported() -> list[Row]:
    with bench(*LOGS) as own:
        call("incident", "import", str(own.given), "--store", str(own.made / "true.db"))
        with contextlib.closing(open_store(own.made / "true.db", create=False)) as store:
            return _facts(store, store.find("latest"))


def _facts(store: EventStore, info: RunInfo) -> list[Row]:
    """Without the paths of the logs, which differ."""
    return [(*row[:-1], None) for row in store.rows(info.id)]


def logs(rng: Random, folder: Path) -> None:
    """An import of logs that was cut off leaves a whole run or none, and can be repeated."""
    true, fate = _imported(), _fate(rng)
    with bench(*LOGS) as own:
        target = own.made / "logs.db"
        asked = ("incident", "import", str(own.given), "--store", str(target))
        ended = own.met(fate, *asked)
        for repeated in (False, True):
            runs: list[RunInfo] = []
            with contextlib.suppress(GroupsimError), contextlib.closing(open_store(target, create=False)) as store:
                runs = store.runs()
                if any(info.status != "finished" or _facts(store, info) != true for info in runs):
                    raise Finding(f"an import of logs ({fate.what}) left a part of a run, or other facts")
            if repeated and not runs:
                raise Finding(f"after an import of logs ({fate.what}) the next one is not whole")
            if not repeated:
                _done(ended, fate, bool(runs), "an import of logs")
                call(*asked)


def cut(rng: Random, folder: Path) -> None:
    """A run of which the store has any number of facts, wherever that is in an `append`: resumed to the same digest."""
    true = originals(folder)
    info, rows = true["info"], true["rows"]
    kept = rng.choice([rng.randrange(info.facts + 1), rng.randrange(min(40, info.facts))])
    what = f"a run with {kept} of its facts"
    with bench() as own:
        target = own.made / "cut.db"
        with contextlib.closing(open_store(target)) as store:
            begun = RunInfo(id=info.id, name=info.name, source=info.source, seed=info.seed, params=info.params)
            writer = store.begin(begun)
            for row in rows[:kept]:
                writer.append(row[1], row[2], [recorded(info.id, row).event], row[7])
            writer.flush()
        with contextlib.closing(open_store(target, create=False)) as store:
            begun = store.find(info.id)
            prefix(store, begun, rows, what)
        resumed(str(target), begun, info.digest, what)
