"""What is attacked: each area is one kind of attempt, repeated by its name and a number."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.adversary import (
    advices,
    commands,
    damaged_files,
    documents,
    forgers,
    forging,
    interrupted,
    logs,
    rewritten,
    servers,
    stories,
    sweeps,
    tables,
    tampering,
    written_runs,
    written_topic,
)
from tests.adversary.called import Finding

Area = Callable[[Random, Path], None]
AREAS: dict[str, Area] = {
    "fault: run": interrupted.run,
    "fault: cut": interrupted.cut,
    "fault: export": interrupted.export,
    "fault: import": interrupted.import_,
    "fault: report": interrupted.report,
    "fault: logs": interrupted.logs,
    "sweep: killed": sweeps.killed,
    "sweep: worker killed": sweeps.worker_killed,
    "advice: killed": advices.killed,
    "PostgreSQL: server killed": servers.killed,
    "PostgreSQL: signals": servers.interrupted,
    "PostgreSQL: another's": servers.owned_by_another,
    "store: bits": tampering.store_bits,
    "store: fields": tampering.store_fields,
    "export: changed": tampering.exports,
    "export: forged": forging.forged,
    "export: forged facts": forgers.facts,
    "logs": logs.whole_logs,
    "logs: other names": rewritten.names,
    "logs: other hours": rewritten.hours,
    "documents": documents.documents,
    "lines that grow": logs.growing_lines,
    "scenario files": stories.files,
    "settings": stories.settings,
    "commands": commands.options,
    "files of commands": damaged_files.files,
    "numbers: classic": stories.numbers,
    "numbers: consumer": stories.consumer_numbers,
    "numbers: logs": written_runs.numbers,
    "numbers: consumer logs": written_runs.consumer_logs,
    "numbers: topic": written_topic.topic,
    "numbers: tables": tables.numbers,
}


def attempt(area: str, seed: int, folder: Path) -> str | None:
    """One attempt; what it found, in a sentence. What raises anything else has found something, too."""
    try:
        AREAS[area](Random(f"{area}/{seed}"), folder)
    except Finding as found:
        return str(found)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
    return None
