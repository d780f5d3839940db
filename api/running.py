"""`groupsim.run`: simulate a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from groupsim.api.errors import BadRequest
from groupsim.api.progress import bar
from groupsim.api.scenarios import ScenarioLike, found
from groupsim.api.values import Settings, texts_of

if TYPE_CHECKING:
    from groupsim.api.run import Run
    from groupsim.storage.store import EventStore


def run(
    scenario: ScenarioLike,
    *,
    seed: int | None = None,
    settings: Settings | None = None,
    record: str = "all",
    store: str | Path | EventStore | None = None,
    progress: bool = False,
) -> Run:
    """Simulate a scenario once, as `groupsim run` does.

    Args:
        scenario: a built-in name, a file (`"mine.py"`, `"mine.py::story"`), or a function marked `@groupsim.scenario`.
        seed: the random seed; None: the scenario's own.
        settings: Kafka's settings and the scenario's parameters, by name: `{"session.timeout.ms": 10_000}`.
        record: "all", or "facts" to leave out heartbeats and messages.
        store: where the run is kept: a path, an SQLAlchemy URL, a store; None: in memory.
        progress: show a bar.

    Returns:
        The run, whatever its end: `run.ok` says whether all its checks held, `run.failure` why its story failed.

    Raises:
        GroupsimError: BadScenario, BadSetting or StoreError, with one sentence.

    >>> import groupsim
    >>> run = groupsim.run("steady_state", seed=7)
    >>> run.ok, run.info.seed
    (True, 7)
    """
    from groupsim.api.run import Run
    from groupsim.simulation.run import run as simulate

    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise BadRequest(f"seed={seed!r} must be a whole number")
    story, chosen = found(scenario), texts_of(settings)
    kept = opened(store)
    with bar(story.name, progress) as update:
        result = simulate(story, kept, seed=seed, settings=chosen, record=record, progress=update)
    return Run(kept, result.info, result=result, story=story)


def opened(store: str | Path | EventStore | None) -> EventStore:
    """A store that can be written; None: a new one in memory. Raises StoreError."""
    from groupsim.storage import open_store

    if store is None:
        return open_store(":memory:")
    return open_store(store) if isinstance(store, str | Path) else store
