"""`groupsim.example`: logs of recorded incidents that come with groupsim."""

from __future__ import annotations

from pathlib import Path

from groupsim.api.errors import BadRequest

_FOLDER = Path(__file__).parent.parent / "examples" / "incidents"


def example(name: str = "kill9-range") -> Path:
    """A folder with the logs of a real Kafka and its consumers in an incident, to try things with.

    Args:
        name: "kill9-range", "max-poll-range", "rolling-restart-cooperative", "rolling-restart-range" or
            "static-restart-range".

    Raises:
        GroupsimError: for another name.

    >>> import groupsim
    >>> [log.name for log in sorted(groupsim.example("kill9-range").glob("*.log.gz"))]
    ['broker.log.gz', 'm1.0.log.gz', 'm2.0.log.gz', 'm3.0.log.gz']
    """
    known = sorted(folder.name for folder in _FOLDER.iterdir() if folder.is_dir())
    if name not in known:
        raise BadRequest(f"there is no example {name!r}; there are {', '.join(known)}")
    return _FOLDER / name
