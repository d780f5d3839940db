"""The part of docs/conformance.md about streams groups and share groups."""

from __future__ import annotations

from groupsim.conformance.scripts.groups.topics import beside, with_topic_ids
from groupsim.conformance.scripts.script import read
from recorders.page import consumer_section, groups_section, known_differences


def test_what_was_found_is_found_again() -> None:
    """Every 60th script; all of them are played when the page is written, and in tests/conformance."""
    for folder, files in groups_section.found().items():
        for file, of in files.items():
            path = groups_section.GOLDEN / folder / f"{file}.jsonl.gz"
            scripts, ids = read(path), beside(path)
            assert len(scripts) == of["scripts"]
            for script in scripts[::60]:
                found = consumer_section.difference(with_topic_ids(script, ids))
                assert found == of["different"].get(script["name"]), script["name"]


def test_every_difference_has_a_reason() -> None:
    found = groups_section.found()
    assert set(found) == set(groups_section.SETS)
    different = {name for files in found.values() for of in files.values() for name in of["different"]}
    assert different == set(known_differences.GROUPS)
