"""`groupsim conformance predict` as a user calls it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call

FOLDER = str(Path(__file__).parents[1] / "golden" / "predictions" / "recordings")
LINE = re.compile(r"pairs 2  sign-right (\d+ %|—)  median error \d+ %  p90 \d+ %  inside \d+ %")
PREDICT = ("conformance", "predict", FOLDER, "--pairs", "2", "--seeds", "0:1")


def test_the_last_line_has_the_figures_and_json_has_the_pairs(call: Call) -> None:
    called = call(*PREDICT)
    assert called.status == 0
    assert LINE.fullmatch(called.out.splitlines()[-1])
    assert "1 recording of the consumer protocol without the group's own times, or of both" in called.err
    assert "noise floor" in called.out
    assert "— %" not in called.out
    assert all(line == line.rstrip() for line in called.out.splitlines())
    found = call(*PREDICT, "--known", "--format", "json").json
    assert found["evidence"] == "known"
    assert found["pairs"] == len(found["rows"]) == 2
    assert all(row["asked"] != row["given"] and len(row["predicted_ms"]) == 1 for row in found["rows"])
    assert found["median_error"] == pytest.approx(sum(row["error"] for row in found["rows"]) / 2)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--known", "--actions"), "--known and --actions exclude each other"),
        (("--format", "csv"), "--format must be table or json for predict, not csv"),
        (("--seeds", "5:5"), "the range is empty"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(call: Call, options: tuple[str, ...], sentence: str) -> None:
    called = call("conformance", "predict", FOLDER, *options)
    assert called.status == 2
    assert sentence in called.err


def test_a_folder_without_recordings_is_named(call: Call, tmp_path: Path) -> None:
    called = call("conformance", "predict", str(tmp_path))
    assert called.status == 2
    assert f"{tmp_path}: holds no recordings" in called.err


def test_pairs_across_the_protocols_need_recordings_of_both(call: Call) -> None:
    called = call("conformance", "predict", FOLDER, "--across", "--seeds", "0:1")
    assert called.status == 2
    assert "holds no recordings of consumer groups with their own times" in called.err
    assert call("conformance", "predict", FOLDER, "--across", "--actions").status == 2
