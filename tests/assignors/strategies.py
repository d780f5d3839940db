"""Problems drawn by Hypothesis: small groups in which everything that may happen in one does."""

from __future__ import annotations

from hypothesis import strategies as st

from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import TopicPartition

TOPICS = ("orders", "clicks", "views", "users")
RACKS = (None, None, "a", "b")


@st.composite
def specs(
    draw: st.DrawFn,
    *,
    equal: bool | None = None,
    claims: bool = True,
    honest: bool = False,
    members: int = 6,
    partitions: int = 7,
) -> Spec:
    """A group of at least one member. `honest`: no two claims of one partition, all of one generation, all existing."""
    topics = draw(st.lists(st.sampled_from(TOPICS), min_size=1, max_size=4, unique=True))
    counts = {topic: draw(st.integers(1, partitions)) for topic in topics}
    same = draw(st.booleans()) if equal is None else equal
    ids = draw(st.lists(st.integers(0, 99), min_size=1, max_size=members, unique=True))
    subset = st.lists(st.sampled_from(topics), min_size=1, max_size=len(topics), unique=True).map(tuple)
    common = draw(subset)
    every = [TopicPartition(topic, number) for topic in counts for number in range(counts[topic])]
    left = draw(st.permutations(every))
    found = []
    for i in ids:
        owned: tuple[TopicPartition, ...] = ()
        if claims and honest:
            size = draw(st.integers(0, min(len(left), partitions)))
            owned, left = tuple(left[:size]), left[size:]
        elif claims:
            owned = tuple(draw(st.lists(st.sampled_from(every), max_size=partitions, unique=True)))
        generation = 3 if honest else draw(st.sampled_from((-1, 2, 3)))
        found.append(Member(f"m{i}", common if same else draw(subset), owned, generation))
    return Spec(tuple(found), counts)
