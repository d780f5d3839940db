"""The golden line format in and out: answers in order, bad lines by number, explanations."""

from __future__ import annotations

import json

import pytest

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.problem_files import BadLine, answer, answers, catalogue, read

MEMBERS = [{"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1]], "generation": 1}, {"id": "b", "topics": ["t"]}]
LINE = json.dumps({"id": "p1", "problem": {"topics": {"t": 2}, "members": MEMBERS}, "note": "ignored"})


def test_a_bad_line_is_reported_by_number_and_the_others_are_answered() -> None:
    found = list(answers([LINE, "{", "", LINE.replace("p1", "p2")], ["range"]))
    assert isinstance(found[0], dict)
    assert isinstance(found[1], BadLine)
    assert str(found[1]).startswith("line 2: ")
    assert isinstance(found[2], dict)
    assert (found[0]["id"], found[2]["id"]) == ("p1", "p2")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"id": "x"}', "line 7: exactly one of `problem` and `rounds` is wanted, in 'x'"),
        ('{"problem": {"topics": {}, "members": []}}', "line 7: Object missing required field `id`"),
        ('{"id": "x", "problem": {"topics": {"t": "two"}, "members": []}}', "line 7: Expected `int`, got `str`"),
        ('{"id": "x", "problem": ' + "[" * 5000, "line 7: "),
        ("[]", "line 7: Expected `object`, got `array`"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(text: str, sentence: str) -> None:
    with pytest.raises(BadLine) as caught:
        read(text, 7)
    assert str(caught.value).startswith(sentence)


def test_an_impossible_problem_is_a_bad_line_too() -> None:
    text = json.dumps({"id": "x", "problem": {"topics": {"t": 1}, "members": [MEMBERS[1], MEMBERS[1]]}})
    (found,) = answers([text], ["range"])
    assert str(found) == "line 1: member 'b' stands twice in the group"


def test_one_assignors_refusal_leaves_the_others_alone() -> None:
    unequal = json.dumps(
        {"id": "x", "problem": {"topics": {"t": 1, "u": 1}, "members": [MEMBERS[1], {"id": "c", "topics": ["u"]}]}}
    )
    found = answer(read(unequal), ["range", "constrained-cooperative-sticky"])
    assert found["assignments"]["constrained-cooperative-sticky"] is None
    assert "'b' and 'c' differ" in found["errors"]["constrained-cooperative-sticky"]
    assert found["assignments"]["range"] == {"b": [["t", 0]], "c": [["u", 0]]}


def test_a_chain_gives_every_call_with_follow_ups() -> None:
    rounds = [
        {"topics": {"t": 2}, "members": [{"id": "a", "topics": ["t"]}]},
        {"topics": {"t": 2}, "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t"]}]},
    ]
    found = answer(read(json.dumps({"id": "c", "rounds": rounds})), ["cooperative-sticky", "sticky"])
    calls = found["trace"]["cooperative-sticky"]
    assert [(call["round"], call["followup"], call["generation"]) for call in calls] == [
        (0, 0, 1),
        (1, 0, 2),
        (1, 1, 3),
    ]
    assert calls[1]["assignments"] == {"a": [["t", 0]], "b": []}
    assert calls[2]["assignments"] == {"a": [["t", 0]], "b": [["t", 1]]}
    assert len(found["trace"]["sticky"]) == 2


def test_explaining_says_how_far_each_answer_is_from_the_optimum_and_proves_it() -> None:
    found = answer(read(LINE), ["fairest-sticky", "range", "optimal-sticky"], explain=True)["explain"]
    assert found["fairest-sticky"] == {"balance_gap": 2, "excess_moves": -1}
    assert found["range"] == {"balance_gap": 0, "excess_moves": 0}
    assert found["optimal-sticky"]["certificate"]["proved"] is True
    assert "no improving path exists" in found["optimal-sticky"]["certificate"]["sentence"]
    json.dumps(found)


def test_the_catalogue_names_protocols_source_and_drawback_of_each() -> None:
    rows = {row["name"]: row for row in catalogue()}
    assert list(rows) == list(ASSIGNORS)
    assert rows["cooperative-sticky"]["protocols"] == ["COOPERATIVE", "EAGER"]
    assert rows["uniform"]["protocols"] == []
    assert all(row["source"] and row["drawback"] and row["side"] in ("client", "server") for row in rows.values())
