"""Hand-written logs made into runs, and the lines they are written with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.tables.bounds import Support, Supported
from groupsim.events.base import Event, Recorded
from groupsim.events.types import TopicPartition
from groupsim.incidents.facts.importer import ImportResult, import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.memory import MemoryStore
from tests.incidents.lines import CLASS, M1, stamped

C1 = "[Consumer clientId=c1, groupId=billing] "
BROKER = "[GroupCoordinator 1]: "
E = TypeVar("E", bound=Event)


def import_logs(*logs: Path, topics: dict[str, int] | None = None) -> tuple[ImportResult, list[Recorded]]:
    """The run of some logs, and its facts."""
    store = MemoryStore()
    result = import_run(read_files(list(logs)), store, name=None, topics=topics or {})
    return result, list(store.read(result.run.id))


def supported(logs: Sequence[Path], topics: dict[str, int] | None = None) -> Support:
    """What the total of some logs rests on."""
    result, facts = import_logs(*logs, topics=topics)
    return Supported(result.run.summary, list(intervals(facts))).support()


def unavailable(logs: Sequence[Path]) -> dict[str, Any]:
    """The numbers of some logs with their bounds."""
    result, facts = import_logs(*logs)
    return Supported(result.run.summary, list(intervals(facts))).unavailable()


def outside(found: dict[str, Any], exact: dict[str, Any]) -> list[str]:
    """The outages whose bounds do not hold those of logs that say more; and those that are not in their own bounds."""
    wrong = []
    for part, whole in ((found, exact), (found["after_start"], exact["after_start"])):
        for name in ("outage_ms", "longest_partition_ms"):
            least, most = part[f"at_least_{name}"], part[f"at_most_{name}"]
            true_least, true_most = whole[f"at_least_{name}"], whole[f"at_most_{name}"]
            own = part[name] is None or (least <= part[name] and (most is None or part[name] <= most))
            if not own or least > true_least or (most is not None and (true_most is None or most < true_most)):
                wrong.append(f"{name}: {least} to {most} ({part[name]}), not {true_least} to {true_most}")
    return wrong


def of(facts: list[Recorded], kind: type[E]) -> list[E]:
    """The facts of one type, in order."""
    return [fact.event for fact in facts if isinstance(fact.event, kind)]


def joined(second: float, generation: int, member: str = M1, c: str = C1, protocol: str = "range") -> list[str]:
    """A client's lines around joining a generation."""
    said = f"Generation{{generationId={generation}, memberId='{member}', protocol='{protocol}'}}"
    return [
        stamped(second, c + "(Re-)joining group" + CLASS),
        stamped(second + 0.1, c + f"Successfully joined group with generation {said}" + CLASS),
        stamped(second + 0.2, c + f"Successfully synced group in generation {said}" + CLASS),
    ]


def joined_keeping(second: float, generation: int) -> list[str]:
    """The lines of a client that keeps its partitions while it joins."""
    return joined(second, generation, protocol="cooperative-sticky")


def adding(second: float, *partitions: str, c: str = C1) -> str:
    return stamped(second, c + f"Adding newly assigned partitions: {', '.join(partitions)}" + CLASS)


def revoking(second: float, *partitions: str, c: str = C1) -> str:
    return stamped(second, c + f"Revoke previously assigned partitions {', '.join(partitions)}" + CLASS)


def parts(*numbers: int) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition("orders", n) for n in numbers)
