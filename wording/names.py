"""Names that come from outside, as people can read them: control characters are shown as escapes."""

from __future__ import annotations

LONGEST = 200


def plain(value: object) -> str:
    r"""Text without control characters: each is shown as an escape sequence. "" for None.

    >>> print(plain("a\x1b[31m"))
    a\x1b[31m
    """
    text = "" if value is None else str(value)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(value: object, longest: int = LONGEST) -> str:
    """The same, cut in the middle to `longest` characters before.

    >>> shown("consumer-orders-1", longest=9)
    'cons…rs-1'
    """
    text = "" if value is None else str(value)
    if len(text) > longest:
        head = longest // 2
        text = f"{text[:head]}…{text[head + 1 - longest :]}"
    return plain(text)


def member_of(process: str, longest: int = 60) -> str:
    """A process as a sentence calls it: the member, and since which restart.

    >>> member_of("m3.0"), member_of("m3.1"), member_of("m3.2"), member_of("consumer-1-4f2c")
    ('m3', 'm3, after its restart', 'm3, after restart 2', 'consumer-1-4f2c')
    """
    member, dot, number = process.rpartition(".")
    if not (dot and member and number.isdigit()):
        return shown(process, longest)
    after = {0: "", 1: ", after its restart"}.get(int(number), f", after restart {number}")
    return f"{shown(member, longest)}{after}"
