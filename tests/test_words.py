"""Standard terms everywhere: none of the words of `tests.words` is used."""

from tests.words import CLAIMS, ROOT, found, words_in


def test_every_word_has_its_standard_term() -> None:
    assert [f"{each.place}:{each.line}: {each.word!r}" for each in found([])] == []


def test_a_word_is_found_in_prose_and_inside_names() -> None:
    for line in (
        "the books say so",
        "def untold(view):",
        "class Seen:",
        "BrokenLaws = 1",
        "it stood still",
        "m.called_in",
    ):
        assert words_in(line), line
    for line in ("ghost members", "he stood up", "Kafka's bookkeeping", "as seen on a broker"):
        assert not words_in(line), line


def test_every_assertion_that_may_keep_its_words_is_one_of_a_scenario() -> None:
    texts = "".join(path.read_text("utf-8") for path in (ROOT / "scenarios").glob("*.py"))
    assert [claim for claim in CLAIMS if claim not in texts] == []
