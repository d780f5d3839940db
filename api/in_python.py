"""Sentences that name a command's options, in Python's words: `--set K=V` is `settings={"K": "V"}` there."""

from __future__ import annotations

import json
import re

_KEYWORDS = {
    "assume": "assume",
    "set": "settings",
    "topic": "topics",
    "unknown": "unknown",
    "vary": "vary",
    "rate": "rates",
}
"""By an option that takes NAME=VALUE the argument that takes a dict."""
_OF_ONE = re.compile(r"--(assignor|protocol|group|migrate) (?!and\b|or\b|NAME\b)([\w.-]+)")
_OF_NAMES = re.compile(rf"--({'|'.join(_KEYWORDS)}) ([\w.-]+)=([\w.-]+(?:,[\w.-]+)*)")
_BARE = re.compile(r"--(assignor|protocol|group|set|assume|vary|topic)\b")


def in_python(sentence: str) -> str:
    """The sentence with arguments where it names options.

    >>> in_python("--assume session.timeout.ms=... narrows the answer")
    'assume={"session.timeout.ms": ...} narrows the answer'
    >>> in_python("--vary assignor=range,sticky and --set quiet.ms=1000 tell")
    'vary={"assignor": ["range", "sticky"]} and settings={"quiet.ms": 1000} tell'
    """
    named = _OF_NAMES.sub(
        lambda found: f"{_KEYWORDS[found[1]]}={{{json.dumps(found[2])}: {_value(found[3])}}}", sentence
    )
    single = _OF_ONE.sub(lambda found: f"{found[1]}={json.dumps(found[2])}", named)
    return _BARE.sub(lambda found: f"{_KEYWORDS.get(found[1], found[1])}=", single)


def _value(text: str) -> str:
    values = [each if each.isdigit() or not each.strip(".") else json.dumps(each) for each in text.split(",")]
    return values[0] if len(values) == 1 else f"[{', '.join(values)}]"
