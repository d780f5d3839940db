"""The facts of one `append` are stored together or not at all, so no kill leaves a part of them."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.storage import writer
from groupsim.storage.memory import MemoryStore
from tests.storage.facts import info, plain


@given(
    appends=st.lists(st.tuples(st.integers(1, 9), st.booleans()), max_size=30),
    batch=st.integers(1, 20),
)
def test_a_transaction_ends_where_an_append_ends(appends: list[tuple[int, bool]], batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "BATCH", batch)
        store = MemoryStore()
        run = store.begin(info("r"))
        for number, (size, flushes) in enumerate(appends):
            run.append(number, "group:g", [plain(each) for each in range(size)])
            if flushes:
                run.flush()
        run.flush()
    ends = set(accumulate(size for size, _ in appends))
    stored = [count for count, _ in store.batch_checksums("r")]
    assert {*stored} <= ends
    assert stored[-1:] == ([max(ends)] if ends else [])
    assert all(later - earlier < batch + 9 for earlier, later in zip([0, *stored], stored, strict=False))
