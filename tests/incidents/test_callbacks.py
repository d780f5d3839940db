"""What applications print in their callbacks, in the ways of many languages, counts where their clients are silent."""

# ruff: noqa: E501  (log lines are as long as they are)

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.incidents.logs.formats import Record
from groupsim.incidents.logs.producers import listeners
from groupsim.incidents.logs.scan import Scan
from tests.incidents.lines import CLIENT, only, read, stamped, write

TWO = ["orders-0", "my-topic-1"]
PYTHON = "TopicPartition(topic='orders', partition=0), TopicPartition(topic='my-topic', partition=1)"
CONFLUENT = "TopicPartition{topic=orders,partition=0,offset=-1001,leader_epoch=None,error=None}, TopicPartition{topic=my-topic,partition=1,offset=-1001,leader_epoch=None,error=None}"

LINES: list[tuple[str, str, str | None, list[str] | None]] = [
    ("billing: partitions assigned: [orders-0, my-topic-1]", "assigned", "billing", TWO),
    ("billing: partitions revoked: []", "revoked", "billing", []),
    ("billing: partitions lost: [orders-0, my-topic-1]", "lost", "billing", TWO),
    ("Partitions are assigned : [orders-0, my-topic-1]", "assigned", None, TWO),
    ("Partitions REVOKED (before commit): [orders-0, my-topic-1]", "revoked", None, TWO),
    ("Partitions have been assigned: orders-0, my-topic-1 for group billing", "assigned", "billing", TWO),
    ("onPartitionsRevoked(orders-0, my-topic-1)", "revoked", None, TWO),
    ("onPartitionsAssigned: [orders-0, my-topic-1]", "assigned", None, TWO),
    ("onPartitionsLost -> Set(orders-0, my-topic-1)", "lost", None, TWO),
    ("Notifying listeners of revoked partitions=[orders-0, my-topic-1]", "revoked", None, TWO),
    ("Consumer revoked from partitions: TreeSet(orders-0, my-topic-1)", "revoked", None, TWO),
    (f"on_partitions_assigned [{PYTHON}]", "assigned", None, TWO),
    (f"consumer rebalance: partitions revoked ({{{PYTHON}}})", "revoked", None, TWO),
    (f"partition frozenset({{{PYTHON}}}) revoked", "revoked", None, TWO),
    ("consumer rebalance: partitions revoked (set())", "revoked", None, []),
    (f"Assignment: [{CONFLUENT}]", "assigned", None, TWO),
    ("Assigned partitions: [orders [[0]], my-topic [[1]]]", "assigned", None, TWO),
    ("Revoking assignment: [orders [[0]] @243486, my-topic [[1]] @5]", "revoked", None, TWO),
    ("Partitions incrementally assigned: [0, 1], all: [0, 1, 2]", "assigned", None, None),
    ("%% AssignedPartitions: [orders[0]@unset my-topic[1]@12]", "assigned", None, TWO),
    ("%% RevokedPartitions: []", "revoked", None, []),
    ('Pre rebalance Assign(TPL {orders/0: offset=Invalid metadata="", error=Ok(()); my-topic/1: offset=Invalid})', "assigned", None, TWO),
    ("Consumer group rebalanced: revoked: orders [0], my-topic [1]", "revoked", None, TWO),
    ("session set up, generationID=4 claims=map[orders:[0] my-topic:[1]]", "assigned", None, TWO),
    ('rebalance.assign [{"topic":"orders","partition":0},{"topic":"my-topic","partition":1}]', "assigned", None, TWO),
    ("Rebalancing: revoked [ { topic: 'orders', partition: 0 }, { topic: 'my-topic', partition: 1 } ]", "revoked", None, TWO),
    ("Lost previously assigned partitions [orders-0, my-topic-1]", "lost", None, TWO),
    ("Partition orders-0 revoked", "revoked", None, ["orders-0"]),
    ("Topic-partition 'orders-0' has been revoked - going to commit offset 5", "revoked", None, ["orders-0"]),
    ("the consumer was assigned 3 partitions", "assigned", None, None),
]  # fmt: skip

OTHERS = [
    "user 7 assigned to partition scheme",
    "partition assignment took 5 ms",
    "rebalance gave up 3 partitions, was assigned 4 partitions",
    "Error processing create topic request CreatableTopic(name='orders', numPartitions=1, assignments=[], configs=[])",
    "lost 3 packets on partition /dev/sda1",
]


@pytest.mark.parametrize(("said", "kind", "group", "partitions"), LINES, ids=range(len(LINES)))
def test_a_callback_tells_what_happened_to_which_partitions(
    tmp_path: Path, said: str, kind: str, group: str | None, partitions: list[str] | None
) -> None:
    row = only(tmp_path, stamped(1, said))
    assert (row.kind, row.group, row.detail.get("partitions")) == (kind, group, partitions)


@pytest.mark.parametrize("said", OTHERS)
def test_other_lines_are_no_callbacks(said: str) -> None:
    assert listeners.read(Record(1, said)) is None


def test_a_group_in_a_field_counts(tmp_path: Path) -> None:
    line = '{"time":"2024-03-01T10:00:00Z","msg":"partitions assigned: [orders-0]","groupId":"billing"}'
    assert only(tmp_path, line).group == "billing"


def test_a_sentence_of_two_words_is_not_taken_for_a_host_and_its_program(tmp_path: Path) -> None:
    assert only(tmp_path, "2024-03-01T10:00:00Z Assigned partitions: [orders [[0]]]").detail["partitions"] == [
        "orders-0"
    ]


CALLBACK = stamped(3, "billing: partitions assigned: [orders-0]")
CLIENTS = stamped(2, CLIENT.partition("INFO ")[2] + "Adding newly assigned partitions: orders-0")


@pytest.mark.parametrize("lines", [(CLIENTS, CALLBACK), (CALLBACK, CLIENTS)])
def test_a_callback_that_repeats_its_clients_line_is_not_shown(tmp_path: Path, lines: tuple[str, ...]) -> None:
    reading = read(tmp_path, *lines)
    assert [(row.kind, row.client) for row in reading.rows] == [("assigned", "c1")]
    assert [row.kind for row in reading.context] == ["listener_assigned"]


def test_a_callback_of_another_client_is_shown(tmp_path: Path) -> None:
    reading = read(tmp_path, CLIENTS, stamped(4, "Revoked partitions: [payments [[1]]]"))
    assert [(row.kind, row.detail["partitions"]) for row in reading.rows] == [
        ("assigned", ["orders-0"]),
        ("revoked", ["payments-1"]),
    ]


BLOCK = [
    "\tAssigned partitions:                       [orders-0]",
    "\tCurrent owned partitions:                  []",
    "\tAdded partitions (assigned - owned):       [orders-0]",
    "\tRevoked partitions (owned - assigned):     []",
    '%7|1709287200.250|ASSIGN|c1| [thrd:main]:  Member "m1" assigned 12 partition(s):',
]


@pytest.mark.parametrize("line", BLOCK)
def test_lines_of_a_clients_own_record_are_not_looked_at_by_themselves(tmp_path: Path, line: str) -> None:
    assert list(Scan(write(tmp_path, line)).windows()) == []
