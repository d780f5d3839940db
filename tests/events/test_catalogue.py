"""Every fact type is in the catalogue once, under the tag that logs carry."""

from __future__ import annotations

from types import ModuleType

import pytest

from groupsim import events
from groupsim.events import catalogue, group
from groupsim.events.base import Event


def test_a_second_fact_of_the_same_name_is_refused() -> None:
    other = ModuleType("events.other")
    other.CommitAccepted = type("CommitAccepted", (Event,), {"__module__": "events.other"}, frozen=True)  # type: ignore[attr-defined]
    with pytest.raises(catalogue.DuplicateTag, match=r"CommitAccepted is a fact of groupsim\.events\.group and of"):
        catalogue.fact_types([group, other])


def test_every_module_of_facts_is_listed() -> None:
    kinds = [kind for kind in Event.__subclasses__() if kind.__module__.startswith(f"{events.__name__}.")]
    assert {kind.__module__ for kind in kinds} == {module.__name__ for module in catalogue.MODULES}


def test_a_tag_is_the_name_of_the_class() -> None:
    assert all(kind.__struct_config__.tag == tag for tag, kind in catalogue.CATALOGUE.items())
