"""A check as JUnit XML, which CI servers show as tests, and as Markdown, for a comment on a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from groupsim.api.testing import shown_measure
from groupsim.checking.rules import RULES
from groupsim.wording.names import plain

if TYPE_CHECKING:
    from groupsim.api.checking import Check

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#@~])")


def junit_xml(check: Check) -> str:
    """A test a limit, and a test a rule."""
    suite = ElementTree.Element("testsuite", name="groupsim check")
    for name, verdict in check.verdicts.items():
        case = _case(suite, f"{check.plan.where}: {name}", "limits")
        if not verdict.ok and check.after is not None:
            worst = verdict.failed or verdict.worst
            again = check.after.runs.command(worst.info.seed or 0)
            _failure(case, verdict.said, f"worst: seed {worst.info.seed}: {worst.answer}\nrepeat it: {again}")
    if check.after is not None and not check.verdicts:
        case = _case(suite, f"{check.plan.where}: the scenario", "limits")
        for run in check.after.runs:
            if not run.ok:
                _failure(case, f"the scenario failed under seed {run.info.seed}", str(run.failure))
                break
    for rule in RULES:
        case = _case(suite, f"{check.plan.where}: {rule.name}", "rules")
        found = [each for each in check.all_findings if each.rule is rule]
        said = "\n".join(each.sentence for each in found)
        if found and rule.name in check.plan.accept:
            ElementTree.SubElement(case, "skipped", message=_text(f"accepted: {said}"))
        elif any(each in check.failing for each in found):
            _failure(case, found[0].sentence, f"{said}\nseen in {rule.source}\nsee what follows: {rule.command}")
        elif found:
            ElementTree.SubElement(case, "system-out").text = _text(said)
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    suite.set("errors", "0")
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suites, encoding="unicode")}\n'


def _case(suite: ElementTree.Element, name: str, group: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", name=_text(name), classname=f"groupsim.{group}")


def _failure(case: ElementTree.Element, message: str, text: str) -> None:
    ElementTree.SubElement(case, "failure", message=_text(message)).text = _text(text)


def _text(text: str) -> str:
    """Without what XML can't have."""
    return _NO_XML.sub("�", text)


def markdown_text(check: Check) -> str:
    """The sentence, the table, what the rules say, and how to repeat what was broken."""
    lines = [f"**{'✅' if check.ok else '❌'} {_plain(check.answer)}**", ""]
    if rows := check.rows():
        columns = check.columns()
        lines += [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
        lines += [f"| {' | '.join(_plain(row.get(name, '')) for name in columns)} |" for row in rows]
        seeds = len(check.after.runs) if check.after is not None else 0
        lines += ["", f"Medians of {seeds} seeds, in brackets the least and the most; start-up is left out.", ""]
    for name, verdict in check.verdicts.items():
        if not verdict.ok and check.after is not None:
            worst = verdict.failed or verdict.worst
            measured = shown_measure(verdict.measure, worst.measures[verdict.measure])
            lines.append(f"- {_plain(name)}: seed {worst.info.seed} has {measured}: {_plain(worst.answer)}")
            lines.append(f"  `{check.after.runs.command(worst.info.seed or 0).replace('`', '')}`")
    for each in check.findings:
        lines.append(
            f"- **{each.rule.level}** {_plain(each.sentence)} Seen in {each.rule.source}; `{each.rule.command}`"
        )
    return "\n".join(lines).rstrip() + "\n"


def _plain(text: str) -> str:
    """Text in which nothing is markup, whoever wrote it."""
    return _MARKDOWN.sub(r"\\\1", plain(" ".join(text.split())))
