"""What is said of a run that did not run to its end."""

from __future__ import annotations

from groupsim.storage.run_info import resume_command
from groupsim.storage.store import RunInfo, RunSource, RunStatus


def unfinished(info: RunInfo) -> str | None:
    """How far a run came that did not run to its end; None of one that did."""
    if info.status == RunStatus.FINISHED:
        return None
    figures = "its facts and figures are up to"
    if info.status != RunStatus.RUNNING:
        how = "failed" if info.status == RunStatus.FAILED else "was interrupted"
        if info.simulated_ms is None:
            return f"run {info.id} {how}: {figures} its last stored fact"
        return f"run {info.id} {how} at {info.simulated_ms:,} ms: {figures} then"
    what, more = "it", f"{resume_command(info)} continues it"
    if info.source == RunSource.RECORDED:
        what, more = "its import", "import its logs again"
    return f"run {info.id} has not ended: {what} runs still, or was killed; {figures} its last stored fact; {more}"
