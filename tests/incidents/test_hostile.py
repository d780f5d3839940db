"""A log is somebody else's text: names that would do harm in a terminal, a table, a shell or SQL stay harmless text."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from groupsim.cli.main import status
from groupsim.events.base import process_stream
from groupsim.incidents.logs.formats import clean
from tests.incidents.lines import CLASS, OLD, stamped

NAMES = {
    "markup": "<script>alert(1)</script>",
    "rich": "[red]x[/red]",
    "a rich end": "[/]",
    "an open rich": "[bold",
    "a reset": "\x1bc",
    "a title": "a\x1b]0;owned\x07b",
    "a bell and a C1": "a\x07\x9b31mb",
    "formats": "%s%n{0}{x}",
    "SQL": "'; DROP TABLE facts; --",
    "a formula": "=cmd|' /C calc'!A0",
    "slashes": "../../etc/passwd",
    "quotes": 'x,y"z',
    "a shell": "$(rm -rf)`id`",
    "the other way": "\u202eabc",
    "another script": "漢字\U0001f389é",
}
DANGER = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
COMMANDS = (
    "runs",
    "show latest --limit 100",
    "unavailable latest",
    "unavailable latest --by group,label",
    "unavailable latest --by cause",
    "timeline latest",
    "rebalances latest",
    "replay latest",
)
FORMS = ("table", "json", "csv")


def story(name: str) -> list[str]:
    """A group, a member, a client and a topic of this name, from the first join to the member's removal."""
    member = f"{name}-11111111-2222-3333-4444-555555555555"
    generation = f"Generation{{generationId=1, memberId='{member}', protocol='range'}}"
    broker, client, topic = "[GroupCoordinator 1]: ", f"[Consumer clientId={name}, groupId={name}] ", "t" + name
    said = [
        (broker, f"Dynamic member with unknown member id joins group {name} in Empty state. Created a new member id"
         f" {member} and request the member to rejoin with this id. "),
        (client, "(Re-)joining group"),
        (broker, f"Preparing to rebalance group {name} in state PreparingRebalance with old generation 0"
         f" (__consumer_offsets-7) (reason: Adding new member {member} with group instance id None;"
         f" client reason: {name}) "),
        (broker, f"Stabilized group {name} generation 1 (__consumer_offsets-7) with 1 members "),
        (client, f"Successfully joined group with generation {generation}"),
        (client, f"Finished assignment for group at generation 1: {{{member}=Assignment(partitions=[{topic}-0])}}"),
        (broker, f"Assignment received from leader {member} for group {name} for generation 1. The group has 1 members,"
         " 0 of which are static. "),
        (client, f"Successfully synced group in generation {generation}"),
        (client, f"Adding newly assigned partitions: {topic}-0"),
        (broker, f"Member {member} in group {name} has failed, removing it from the group "),
        (client, f"The heartbeat of {name} sings"),
    ]  # fmt: skip
    return [stamped(1 + n / 10, who + text + (OLD if who is broker else CLASS)) for n, (who, text) in enumerate(said)]


@pytest.mark.parametrize(("nth", "name"), [*enumerate(NAMES.values())], ids=NAMES.keys())
def test_no_command_lets_a_name_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], nth: int, name: str
) -> None:
    """Each name meets every command, and each command every form: all three where the names of groups are compared."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROUPSIM_STORE", raising=False)
    Path("evil.log").write_text("\n".join(story(name)) + "\n", encoding="utf-8")
    group = clean(name.encode())
    unknown = status(["incident", "import", "evil.log", "--require-total"])
    assert unknown == ("no log names a partition" in capsys.readouterr().out)
    commands = ["incident read evil.log --unrecognised", "incident import evil.log", "export latest --to x.jsonl"]
    for at, command in enumerate((*commands, *COMMANDS)):
        forms = FORMS if command in COMMANDS[:-1] else FORMS[:1]
        for form in forms if command == "rebalances latest" else [forms[(nth + at) % len(forms)]]:
            arguments = command.split() if command.startswith("export") else [*command.split(), "--format", form]
            ended = status(arguments)
            printed = capsys.readouterr()
            sums = command.startswith("unavailable latest --by")
            assert ended == (unknown if sums else 0), (command, form, printed)
            assert DANGER.search(printed.out + printed.err) is None, (command, form)
            if command == "rebalances latest" and form == "json":
                assert json.loads(printed.out)[0]["group"] == group
            if command == "rebalances latest" and form == "csv":
                (row,) = csv.DictReader(io.StringIO(printed.out))
                shown = row["group"].replace("\\u202e", "\u202e")
                assert shown == (f"'{group}" if group.startswith(("=", "+", "-", "@")) else group)
            if command.startswith("incident read"):
                assert "11 lines read, 10 recognised, 1 group-related but not recognised" in printed.err
    facts = [json.loads(line) for line in Path("x.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {fact["stream"] for fact in facts} == {"world", f"group:{group}", process_stream(group, f"{group}.0")}


def test_an_id_longer_than_any_kafka_allows_is_listed_and_not_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "huge.log"
    log.write_text("\n".join(story("a" * 5_000)) + "\n", encoding="utf-8")
    assert status(["incident", "read", str(log), "--unrecognised", "--format", "jsonl"]) == 0
    printed = capsys.readouterr()
    likes = re.findall(r"\((\d+) lines like it\)", printed.err)
    read, listed = len(printed.out.splitlines()), printed.err.count(str(log)) + sum(int(n) - 1 for n in likes)
    assert read + listed == 11
    assert max(map(len, printed.err.splitlines())) < 2_500
