"""What Kafka Streams' and Connect's own assignors of 4.4.0 answered to random problems, 2,500 for each."""

from __future__ import annotations

import gzip

import msgspec
import pytest

from recorders.assignors.java_tasks import GOLDEN, LOOKED_AT, PUT_ASIDE, digest
from recorders.assignors.random_tasks import line
from recorders.assignors.task_problems import CONNECT, STREAMS, ours
from tests.thinned import some


@pytest.mark.parametrize("assignor", [*STREAMS, *CONNECT])
def test_every_answer_is_kafkas(assignor: str) -> None:
    with gzip.open(GOLDEN / f"{assignor}-4.4.0.jsonl.gz") as file:
        records = list(map(msgspec.json.decode, file))
    assert [record["id"] for record in records] == [f"{assignor}-{seed}" for seed in (*LOOKED_AT, *PUT_ASIDE)]
    wrong = []
    for record in some(records, every=30):
        if isinstance(record["problem"], dict):
            same = ours(record["problem"]) == record["answer"]
        else:
            problem = line(assignor, int(record["id"].rsplit("-", 1)[1]))
            assert digest(problem) == record["problem"], "the generator of problems has changed: record them again"
            same = digest(ours(problem)) == record["answer"]
        if not same:
            wrong.append(record["id"])
    assert wrong == []
