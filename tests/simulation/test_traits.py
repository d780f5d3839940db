"""How client libraries differ stands in one record each, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

from groupsim import simulation
from groupsim.simulation.clients.config import CLIENTS
from groupsim.simulation.clients.traits import TRAITS


def test_every_library_has_traits_and_no_two_have_the_same() -> None:
    assert set(TRAITS) == set(CLIENTS)
    assert len({repr(traits) for traits in TRAITS.values()}) == len(CLIENTS)


def test_no_client_module_asks_which_library_it_is() -> None:
    named = re.compile(r"\b(?:client|library)\s*(==|!=|in)\s|\b(LIBRDKAFKA|KAFKA_PYTHON)\b")
    folder = Path(simulation.__file__).parent / "clients"
    asking = [path.name for path in sorted(folder.rglob("*.py")) if named.search(path.read_text())]
    assert asking == ["config.py", "traits.py"]
