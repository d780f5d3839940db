"""The order of the coordinator's own map, by its definition and as recorded runs show it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groupsim.assignors.java.hash_order import string_hash
from groupsim.assignors.java.timeline_map import timeline_order

NAMES = st.lists(st.text("abcdefgh-_0123456789", min_size=1, max_size=22), unique=True, max_size=40)


class Table:
    """BaseHashTable as it grows, slot by slot."""

    def __init__(self) -> None:
        self.slots: list[list[str]] = [[], []]

    def slot(self, name: str, size: int) -> int:
        signed = (string_hash(name) ^ (1 << 31)) - (1 << 31)
        return ((signed * -7046029254386353131) % (1 << 64)) >> (65 - size.bit_length())

    def add(self, name: str, count: int) -> None:
        if (count + 1) * 0.75 > len(self.slots):
            former, self.slots = self.slots, [[] for _ in range(2 * len(self.slots))]
            for each in (name for slot in former for name in slot):
                self.slots[self.slot(each, len(self.slots))].append(each)
        self.slots[self.slot(name, len(self.slots))].append(name)


@given(names=NAMES)
def test_it_iterates_as_the_table_that_grew(names: list[str]) -> None:
    table = Table()
    for count, name in enumerate(names):
        table.add(name, count)
    walked = [name for slot in table.slots for name in reversed(slot)]
    assert [names[i] for i in timeline_order(names, len(names))] == walked


def test_a_map_that_was_larger_keeps_its_size_so_that_fewer_share_a_slot() -> None:
    names = [f"member-{i}" for i in range(20)]
    turned = names[::-1]
    walks = {
        most: [[given[i] for i in timeline_order(given, most)] for given in (names, turned)] for most in (20, 2_000)
    }
    assert walks[20][0] != walks[20][1], "who shares a slot comes in the order of insertion"
    assert walks[2_000][0] == walks[2_000][1]
