"""One incident in layouts of our own making, after those of many platforms: to be read as its plain logs are."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

HEAD = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] ")


class Line(NamedTuple):
    """A record of a log: when the platform took it (UTC ms), its text with the time it bears, and its stream."""

    ms: int
    text: str
    stream: str
    number: int

    def iso(self, end: str = "Z") -> str:
        """The platform's time."""
        return datetime.fromtimestamp(self.ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", end)


def lines_of(folder: Path) -> list[Line]:
    """The records of an example incident, oldest first; the platform took each some milliseconds late."""
    found: list[Line] = []
    for late, path in enumerate(sorted(folder.glob("*.log.gz")), 3):
        records: list[list[Any]] = []
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            head = HEAD.match(line)
            if head is None and records:
                records[-1][1] += "\n" + line
            elif head is not None:
                moment = datetime.strptime(head[1], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
                records.append([round(moment.timestamp() * 1000) + 7 * late, line])
        stream = f"billing-5c9f-{path.name.split('.log')[0].replace('.', 'x')}"
        last = 0
        for number, (ms, text) in enumerate(records):
            last = max(last, ms)
            found.append(Line(last, text, stream, number))
    return sorted(found, key=lambda line: (line.ms, line.stream, line.number))


def undated(lines: Iterable[Line]) -> list[Line]:
    """The lines without times of their own, at the times that they bore."""
    found = []
    for line in lines:
        head = HEAD.match(line.text)
        assert head is not None
        moment = datetime.strptime(head[1], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
        found.append(line._replace(ms=round(moment.timestamp() * 1000), text=line.text[head.end() :]))
    return sorted(found, key=lambda line: (line.ms, line.stream, line.number))


def arranged(lines: list[Line], order: str) -> list[Line]:
    """The lines newest first, oldest first or shuffled."""
    if order == "shuffled":
        return random.Random(3).sample(lines, len(lines))
    return lines[::-1] if order == "newest" else lines


def datadog(lines: Iterable[Line]) -> str:
    data = [
        {"id": f"AQ{n}", "type": "log", "attributes": {"timestamp": line.iso(), "message": line.text, "host": "node-1",
         "tags": ["env:prod", f"pod_name:{line.stream}"], "attributes": {"pod_name": line.stream, "seq": line.number}}}
        for n, line in enumerate(lines)
    ]  # fmt: skip
    return json.dumps({"data": data, "meta": {"page": {"after": "x"}, "elapsed": 12, "status": "done"}}, indent=1)


def google(lines: Iterable[Line]) -> str:
    return json.dumps([
        {"insertId": f"{line.number:08d}", "receiveTimestamp": "2030-01-01T00:00:00Z", "timestamp": line.iso(),
         "textPayload": line.text, "severity": "INFO",
         "resource": {"type": "k8s_container", "labels": {"pod_name": line.stream, "cluster_name": "c"}}}
        for line in lines
    ])  # fmt: skip


def azure(lines: Iterable[Line]) -> str:
    columns = [
        {"name": n, "type": t}
        for n, t in (("TimeGenerated", "datetime"), ("LogEntry", "string"), ("PodName", "string"))
    ]
    rows = [[line.iso(), line.text, line.stream] for line in lines]
    return json.dumps({"tables": [{"name": "PrimaryResult", "columns": columns, "rows": rows}]})


def grafana_frames(lines: Iterable[Line]) -> str:
    every = list(lines)
    schema = {"refId": "A", "fields": [{"name": "labels"}, {"name": "Time"}, {"name": "Line"}, {"name": "tsNs"}]}
    values = [
        [{"pod": line.stream} for line in every],
        [line.ms for line in every],
        [line.text for line in every],
        [f"{line.ms}000000" for line in every],
    ]
    return json.dumps({"results": {"A": {"status": 200, "frames": [{"schema": schema, "data": {"values": values}}]}}})


def json_in_json(lines: Iterable[Line]) -> str:
    events = [
        {"timestamp": line.ms, "ingestionTime": line.ms + 5_000, "eventId": str(10**9 + line.number),
         "logStreamName": "fluent",
         "message": json.dumps({"log": line.text + "\n", "stream": "stdout", "kubernetes": {"pod_name": line.stream}})}
        for line in lines
    ]  # fmt: skip
    return json.dumps({"events": events})


def new_relic(lines: Iterable[Line]) -> str:
    return "".join(
        json.dumps({"timestamp": line.ms, "message": line.text, "entity.name": "billing", "pod_name": line.stream})
        + "\n"
        for line in lines
    )


def semicolons(lines: Iterable[Line]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";")
    writer.writerow(["Date and time", "Pod", "Message"])
    writer.writerows([line.iso(), line.stream, line.text] for line in lines)
    return "\ufeff" + out.getvalue()


def tabs(lines: Iterable[Line]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", quoting=csv.QUOTE_ALL)
    writer.writerow(["ts", "container_id", "log"])
    writer.writerows([f"{line.ms / 1000:.3f}", line.stream, line.text] for line in lines)
    return out.getvalue()


def events_xml(lines: Iterable[Line]) -> str:
    def safe(text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    items = "".join(
        f"<event><time>{line.iso()}</time><pod>{line.stream}</pod><message>{safe(line.text)}</message></event>\n"
        for line in lines
    )
    return f"<?xml version='1.0'?>\n<events>\n{items}</events>\n"


def stern(lines: Iterable[Line]) -> str:
    return "".join(f"[pod/{line.stream}/main] {part}\n" for line in lines for part in line.text.split("\n"))


def stern_default(lines: Iterable[Line]) -> str:
    return "".join(f"{line.stream} main {part}\n" for line in lines for part in line.text.split("\n"))


def stern_with_times(lines: Iterable[Line]) -> str:
    return "".join(
        f"{line.stream} main {line.iso('000000Z')} {part}\n" for line in lines for part in line.text.split("\n")
    )


def stern_json(lines: Iterable[Line]) -> str:
    return "".join(
        json.dumps({"message": part, "nodeName": "node-1", "namespace": "shop", "podName": line.stream,
                    "containerName": "main"}) + "\n"
        for line in lines for part in line.text.split("\n")
    )  # fmt: skip


def compose_with_times(lines: Iterable[Line]) -> str:
    return "".join(
        f"{line.stream}  | {line.iso('000000Z')} {part}\n" for line in lines for part in line.text.split("\n")
    )


def aws_logs_tail(lines: Iterable[Line]) -> str:
    """A physical line is an event of its own: many begin with white space."""
    return "".join(
        f"{line.iso('000+00:00')} {line.stream} {part}\n" for line in lines for part in line.text.split("\n")
    )


def fluent_bit_file(lines: Iterable[Line]) -> str:
    return "".join(
        f"kube.var.log.containers.{line.stream}_shop_main-0a1b.log: [{line.ms / 1000:.9f}, "
        + json.dumps({"log": part, "stream": "stdout"}) + "]\n"
        for line in lines for part in line.text.split("\n")
    )  # fmt: skip


def az_cli(lines: Iterable[Line]) -> str:
    return json.dumps([
        {"LogMessage": line.text, "PodName": line.stream, "TableName": "PrimaryResult", "TimeGenerated": line.iso()}
        for line in lines
    ])  # fmt: skip


def vector(lines: Iterable[Line]) -> str:
    return "".join(
        json.dumps({"batch": [{"event": {"log": {"message": line.text, "timestamp": line.iso(), "source_type": "k8s",
        "kubernetes": {"pod_name": line.stream, "pod_ip": "10.0.0.1"}, "seq": line.number}}}]}) + "\n"
        for line in lines
    )  # fmt: skip


LAYOUTS: dict[str, tuple[Callable[[Iterable[Line]], str], tuple[str, ...]]] = {
    "datadog.json": (datadog, ("newest", "shuffled")),
    "google.json": (google, ("newest", "oldest")),
    "azure.json": (azure, ("newest",)),
    "frames.json": (grafana_frames, ("newest", "oldest")),
    "nested.json": (json_in_json, ("oldest", "newest")),
    "newrelic.ndjson": (new_relic, ("newest",)),
    "semicolons.csv": (semicolons, ("newest",)),
    "tabs.tsv": (tabs, ("oldest", "newest")),
    "events.xml": (events_xml, ("newest",)),
    "stern.txt": (stern, ("oldest",)),
    "stern-default.txt": (stern_default, ("oldest",)),
    "stern-times.txt": (stern_with_times, ("oldest",)),
    "stern.json": (stern_json, ("oldest",)),
    "compose-times.txt": (compose_with_times, ("oldest",)),
    "aws-logs-tail.txt": (aws_logs_tail, ("oldest",)),
    "fluent-bit.log": (fluent_bit_file, ("oldest",)),
    "az.json": (az_cli, ("oldest", "newest")),
    "vector.ndjson": (vector, ("oldest", "newest")),
}
"""What writes each layout, and the orders that it comes in."""
