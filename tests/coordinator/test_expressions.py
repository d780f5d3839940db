"""Topic expressions: what the recorded broker accepted and refused, and RE2/J's corner cases."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.coordinator.expressions.program import TooLarge
from groupsim.coordinator.expressions.resolve import InvalidExpression, check, resolve

TOPICS = (
    "t", "t1", "t2", "t3", "t12", "a", "A", "aa", "aaa", "ab", "a.b", "a-b", "k", "K", "s", "0", "01", "_", "orders.eu",
    "Orders", "p_a", "p_b", "__consumer_offsets",
)  # fmt: skip

RECORDED = {
    "": "",
    "t[23]": "t2 t3",
    "t2": "t2",
    "t[12]": "t1 t2",
    "t1": "t1",
    "t3": "t3",
    "p_.*": "p_a p_b",
    "t": "t",
    "zzz.*": "",
    "p_[bc]": "p_b",
    "p_a": "p_a",
}
"""The expressions of the recorded scripts that the broker accepted."""

ACCEPTED = {
    "t|t1": "t t1",
    "(t|t1)2?": "t t1 t12 t2",
    "a+?": "a aa aaa",
    "a{2}": "aa",
    "a{2,}": "aa aaa",
    "a{1,2}?": "a aa",
    "a{0}": "",
    "a{,2}": "",
    "a{01}": "",
    "(?i)orders\\.EU": "orders.eu",
    "(?i:A)a?": "A a aa",
    "(?i)a(?-i)a": "aa",
    "((?i)a)a": "aa",
    "(?i)\\x{212A}": "K k",
    "(?i)[\\x{17F}]": "s",
    "(?i)\\p{Lu}": "A K a k s t",
    "(?i)\\p{Ll}": "K a k s t",
    "\\pN+": "0 01",
    "\\p{Nd}\\d": "01",
    "\\p{^L}": "0 _",
    "\\P{Latin}": "0 _",
    "\\p{Greek}": "",
    "[[:upper:]][[:^upper:]]+": "Orders",
    "[^\\W\\d]": "A K _ a k s t",
    "[]a]": "a",
    "[a-]": "a",
    "[+--]": "",
    "\\Qa.b\\E": "a.b",
    "\\Qa.b": "a.b",
    "\\Qa\\E+": "a aa aaa",
    "a.b": "a-b a.b",
    "^a$": "a",
    "a|^": "a",
    "\\Aa\\z": "a",
    "a\\b.b": "a-b a.b",
    "a\\Bb": "ab",
    "(?P<x>t)(?<y>1)": "t1",
    "\\141\\x61": "aa",
    "(a|b|ab)*": "a aa aaa ab",
    "((a*)*)*": "a aa aaa",
    "(|a)+": "a aa aaa",
    "{": "",
    "(?)a": "a",
    "(?s).": "0 A K _ a k s t",
}
"""Accepted, with the topics that match."""

REFUSED = {
    "(": "missing closing )",
    "t[1": "missing closing ]",
    "t(?!2).*": "invalid or unsupported Perl syntax",
    "t(?=2)": "invalid or unsupported Perl syntax",
    "(?<!t)2": "invalid named capture",
    "(?<=t)2": "invalid named capture",
    "(?>a)": "invalid or unsupported Perl syntax",
    "(?P=n)": "invalid or unsupported Perl syntax",
    "(?i": "invalid or unsupported Perl syntax",
    "(?i-)a": "invalid or unsupported Perl syntax",
    "(?P<n>a)(?P<n>b)": "duplicate capture group name",
    "(?P<>a)": "invalid named capture",
    "(a)\\1": "invalid escape sequence",
    "\\8": "invalid escape sequence",
    "\\C": "invalid escape sequence",
    "\\Z": "invalid escape sequence",
    "\\E": "invalid escape sequence",
    "\\x{110000}": "invalid escape sequence",
    "[a-\\d]": "invalid escape sequence",
    "a\\": "trailing backslash at end of expression",
    "*": "missing argument to repetition operator",
    "a|*": "missing argument to repetition operator",
    "({2})": "missing argument to repetition operator",
    "a**": "invalid nested repetition operator",
    "a++": "invalid nested repetition operator",
    "a{2}{3}": "invalid nested repetition operator",
    "a{?": "invalid nested repetition operator",
    "a{1001}": "invalid repeat count",
    "a{0,1001}": "invalid repeat count",
    "a{2,1}": "invalid repeat count",
    "a{999999999}": "invalid repeat count",
    "[z-a]": "invalid character class range",
    "[[:foo:]]": "invalid character class range",
    "\\p{Foo}": "invalid character class range",
    "\\pX": "invalid character class range",
    "\\p": "invalid character class range",
    "a)": "regexp/syntax: internal error",
}
"""Refused, with RE2/J's description."""


@pytest.mark.parametrize(("expression", "topics"), {**RECORDED, **ACCEPTED}.items())
def test_the_whole_name_of_a_topic_must_match(expression: str, topics: str) -> None:
    assert " ".join(resolve(expression, TOPICS)) == topics


@pytest.mark.parametrize(("expression", "description"), REFUSED.items())
def test_what_re2j_refuses_is_refused_in_its_words(expression: str, description: str) -> None:
    with pytest.raises(InvalidExpression) as refused:
        check(expression)
    assert refused.value.description == description


def test_the_broker_names_the_expression() -> None:
    with pytest.raises(InvalidExpression) as refused:
        resolve("t[1", TOPICS)
    assert str(refused.value) == "SubscribedTopicRegex `t[1` is not a valid regular expression: missing closing ]."


@pytest.mark.parametrize(
    "expression", ["(a+)+b", "(a|aa)*b", "(a*)*b", "a*a*a*a*a*a*a*a*a*a*b", "(a?){200}a{200}b", "((((.*)*)*)*)*b"]
)
def test_time_is_linear_in_the_name(expression: str) -> None:
    """Each of these takes an exponential time, or a high power of the length, by backtracking."""
    began = time.process_time()
    assert resolve(expression, ["a" * 249]) == ()
    assert time.process_time() - began < 5


@pytest.mark.parametrize("expression", ["((a{1000}){1000}){1000}", "(" * 3 + "a{1000}b{1000}" + "){100}" * 3])
def test_what_would_fill_the_memory_is_named(expression: str) -> None:
    with pytest.raises(TooLarge, match="10,000 steps"):
        check(expression)


def test_deep_nesting_needs_no_deep_calls() -> None:
    assert resolve("(" * 20_000 + "a" + ")" * 20_000, TOPICS) == ("a",)


def test_names_that_kafka_does_not_allow_match_nothing() -> None:
    assert resolve(".*|é", ["é", "a b", "a", "a" * 250, ""]) == ("a",)


@given(st.text("ab.*+?|()[]{}^$\\-12,dwpQEiN:<>P", max_size=12))
def test_any_text_is_accepted_or_refused(expression: str) -> None:
    with contextlib.suppress(InvalidExpression):
        assert set(resolve(expression, TOPICS)) <= set(TOPICS)
