"""More layouts of our own making: tables, search results, syslog, texts in texts, local dates."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

from tests.incidents.exports.layouts import Line


def at(line: Line, pattern: str, hours: int = 0) -> str:
    """The platform's time by a strftime pattern; `{ms}` in it stands for the milliseconds."""
    moment = datetime.fromtimestamp(line.ms / 1000, UTC) + timedelta(hours=hours)
    return moment.strftime(pattern).replace("{ms}", f"{line.ms % 1000:03d}")


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], mark: str = ",", quoting: Literal[0, 1, 2, 3] = csv.QUOTE_ALL
) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark, quoting=quoting)
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def json_lines(rows: Iterable[object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def parts(line: Line) -> list[str]:
    return line.text.split("\n")


def graylog(lines: Iterable[Line]) -> str:
    return table(["timestamp", "source", "message"], ([line.iso(), line.stream, line.text] for line in lines))


def logscale(lines: Iterable[Line]) -> str:
    return json.dumps([
        {"@id": f"x{n}", "@ingesttimestamp": str(line.ms + 900), "@rawstring": line.text, "@timestamp": line.ms,
         "@timestamp.nanos": "0", "@timezone": "Z", "#repo": "shop", "kubernetes.pod_name": line.stream}
        for n, line in enumerate(lines)
    ])  # fmt: skip


def nrql(lines: Iterable[Line]) -> str:
    events = [{"timestamp": line.ms, "message": line.text, "pod_name": line.stream, "newrelic.source": "api.logs"}
              for line in lines]  # fmt: skip
    metadata = {"eventTypes": ["Log"], "contents": [{"function": "events", "limit": 2000}], "messages": []}
    return json.dumps({"results": [{"events": events}], "performanceStats": {"wallClockTime": 3}, "metadata": metadata})


def sumo_json(lines: Iterable[Line]) -> str:
    names = ("_messagetime", "_receipttime", "_raw", "_sourcehost", "_size")
    fields = [{"name": name, "fieldType": "string", "keyField": False} for name in names]
    messages = [
        {"map": {"_messagetime": str(line.ms), "_receipttime": str(line.ms + 1200), "_raw": line.text,
                 "_sourcehost": line.stream, "_size": str(len(line.text))}}
        for line in lines
    ]  # fmt: skip
    return json.dumps({"fields": fields, "messages": messages})


def sumo_csv(lines: Iterable[Line]) -> str:
    head = ["#", "_messageTime", "_receiptTime", "_sourceHost", "_raw"]
    late = "01/01/2030 00:00:00.000 +0000"
    return table(
        head,
        ([n, at(line, "%m/%d/%Y %H:%M:%S.{ms} +0000"), late, line.stream, line.text] for n, line in enumerate(lines)),
    )


def azure_csv(lines: Iterable[Line]) -> str:
    head = ["TimeGenerated [UTC]", "PodName", "ContainerName", "LogMessage"]
    return table(
        head,
        ([at(line, "%-m/%-d/%Y, %-I:%M:%S.{ms} %p"), line.stream, "main", line.text] for line in lines),
        quoting=csv.QUOTE_MINIMAL,
    )


def opensearch_csv(lines: Iterable[Line]) -> str:
    head = ["_id", "_index", "_source.kubernetes.pod_name", "_source.log", "_source.@timestamp"]
    return table(
        head,
        ([f"a{n}", "logs", line.stream, line.text, at(line, "%b %-d, %Y @ %H:%M:%S.{ms}")]
         for n, line in enumerate(lines)),
    )  # fmt: skip


def papertrail(lines: Iterable[Line]) -> str:
    """An archive: no head, tabs, an event's number first; each physical line is an event."""
    return "".join(
        f"{7_000_000_000 + line.number * 10 + n}\t{at(line, '%Y-%m-%dT%H:%M:%SZ')}\t{at(line, '%Y-%m-%dT%H:%M:%SZ')}\t"
        f"411\t{line.stream}\t10.0.0.1\tUser\tInfo\tjava\t{part}\n"
        for line in lines for n, part in enumerate(parts(line))
    )  # fmt: skip


def better_stack(lines: Iterable[Line]) -> str:
    return json_lines(
        {"dt": at(line, "%Y-%m-%d %H:%M:%S.{ms}000"),
         "raw": json.dumps({"dt": line.iso(), "kubernetes": {"pod_name": line.stream}, "message": line.text})}
        for line in lines
    )  # fmt: skip


def victoria(lines: Iterable[Line]) -> str:
    return json_lines(
        {"_msg": line.text, "_stream": f'{{pod="{line.stream}"}}', "_stream_id": "0000000000000000e934a84adb05276890d7",
         "_time": line.iso("000000Z"), "level": "info"}
        for line in lines
    )  # fmt: skip


def clickhouse(lines: Iterable[Line]) -> str:
    meta = [{"name": n, "type": "String"} for n in ("Timestamp", "Body", "ResourceAttributes.k8s.pod.name")]
    data = [[at(line, "%Y-%m-%d %H:%M:%S.{ms}"), line.text, line.stream] for line in lines]
    return json.dumps({"meta": meta, "data": data, "rows": len(data), "statistics": {"elapsed": 0.01}}, indent=1)


def clickhouse_columns(lines: Iterable[Line]) -> str:
    every = list(lines)
    return json.dumps({
        "timestamp": [line.ms * 1000 for line in every],
        "body": [line.text for line in every],
        "pod": [line.stream for line in every],
    })  # fmt: skip


def german_excel(lines: Iterable[Line]) -> str:
    head = ["Zeitstempel", "Pod", "Nachricht"]
    rows = ([at(line, "%d.%m.%Y %H:%M:%S,{ms}"), line.stream, line.text] for line in lines)
    return "\ufeff" + table(head, rows, ";", csv.QUOTE_MINIMAL)


def date_and_time(lines: Iterable[Line]) -> str:
    head = ["date", "time", "host", "message"]
    return table(head, ([at(line, "%Y-%m-%d"), at(line, "%H:%M:%S.{ms}"), line.stream, line.text] for line in lines))


def syslog_5424(lines: Iterable[Line]) -> str:
    return "".join(f"<14>1 {line.iso()} {line.stream} java 812 - - {part}\n" for line in lines for part in parts(line))


def syslog_3164(lines: Iterable[Line]) -> str:
    return "".join(
        f"<14>{at(line, '%b %e %H:%M:%S')} {line.stream} java[812]: {part}\n" for line in lines for part in parts(line)
    )


def datadog_csv(lines: Iterable[Line]) -> str:
    head = ["Date", "Host", "Service", "@pod_name", "Message"]
    return table(head, ([line.iso(), "node-1", "billing", line.stream, line.text] for line in lines))


def duckdb(lines: Iterable[Line]) -> str:
    head = ["ts", "pod", "message"]
    rows = ([at(line, "%Y-%m-%d %H:%M:%S.{ms}+00"), line.stream, line.text] for line in lines)
    return table(head, rows, quoting=csv.QUOTE_MINIMAL)


def twice_escaped(lines: Iterable[Line]) -> str:
    return json_lines({"ts": line.ms / 1000, "pod": line.stream, "log": json.dumps(line.text + "\n")} for line in lines)


def coralogix(lines: Iterable[Line]) -> str:
    def pairs(found: dict[str, str]) -> list[dict[str, str]]:
        return [{"key": key, "value": value} for key, value in found.items()]

    results = [
        {"metadata": pairs({"timestamp": line.iso("")[:23], "severity": "3", "logid": f"a{n}"}),
         "labels": pairs({"applicationname": "shop", "computername": line.stream}),
         "userData": json.dumps({"logRecord": {"body": line.text}})}
        for n, line in enumerate(lines)
    ]  # fmt: skip
    return json_lines([{"queryId": {"queryId": "q"}}, {"result": {"results": results}}])


def bigquery(lines: Iterable[Line]) -> str:
    return json.dumps([
        {"insertId": f"q{line.number}z", "timestamp": at(line, "%Y-%m-%d %H:%M:%S.{ms}000 UTC"),
         "receiveTimestamp": "2030-01-01 00:00:00 UTC", "textPayload": line.text,
         "resource": {"type": "k8s_container", "labels": {"pod_name": line.stream}}}
        for line in lines
    ])  # fmt: skip


def zone_field(lines: Iterable[Line]) -> str:
    return json_lines(
        {"time": at(line, "%Y-%m-%dT%H:%M:%S.{ms}", 2), "zone": "+02:00", "pod": line.stream, "msg": line.text}
        for line in lines
    )


def esql(lines: Iterable[Line]) -> str:
    columns = [{"name": "@timestamp", "type": "date"}, {"name": "message", "type": "text"}, {"name": "host.name"}]
    return json.dumps({"took": 3, "columns": columns, "values": [[li.iso(), li.text, li.stream] for li in lines]})


def strange_names(lines: Iterable[Line]) -> str:
    return json.dumps({"payload": {"chunk": {"7": [
        {"q1": f"{line.ms}000000", "zz": {"pod": line.stream}, "data": line.text} for line in lines
    ]}}})  # fmt: skip


def gcloud_yaml(lines: Iterable[Line]) -> str:
    """As `gcloud logging read` prints by default: texts of several lines are blocks, others are quoted."""

    def text(said: str) -> str:
        folded = "\n  ".join(["|-", *said.split("\n")])
        return folded if "\n" in said else "'" + said.replace("'", "''") + "'"

    return "".join(
        f"---\ninsertId: x{n}\nlabels:\n  k8s-pod/app: billing\nlogName: projects/p/logs/stdout\n"
        f"receiveTimestamp: '{line.iso()}'\nresource:\n  labels:\n    cluster_name: c\n    pod_name: {line.stream}\n"
        f"  type: k8s_container\nseverity: INFO\ntextPayload: {text(line.text)}\ntimestamp: '{line.iso('123Z')}'\n"
        for n, line in enumerate(lines)
    )


def datadog_archive(lines: Iterable[Line]) -> str:
    return json_lines(
        {"_id": f"A{n}", "date": line.iso(), "host": "node-1", "service": "billing", "source": "java", "status": "info",
         "tags": ["env:prod", f"pod_name:{line.stream}"], "message": line.text, "attributes": {"level": "INFO"}}
        for n, line in enumerate(lines)
    )  # fmt: skip


def datadog_old_api(lines: Iterable[Line]) -> str:
    logs = [
        {"id": f"A{n}", "content": {"timestamp": line.iso(), "tags": ["env:prod"], "host": "node-1",
         "attributes": {"pod_name": line.stream}, "service": "billing", "message": line.text}}
        for n, line in enumerate(lines)
    ]  # fmt: skip
    return json.dumps({"logs": logs, "nextLogId": None, "status": "done"})


def loggly(lines: Iterable[Line]) -> str:
    events = [
        {"raw": line.text, "logtypes": ["syslog"], "timestamp": line.ms, "unparsed": None, "logmsg": line.text,
         "id": f"x{n}", "tags": ["prod"], "event": {"syslog": {"host": line.stream, "timestamp": line.iso()}}}
        for n, line in enumerate(lines)
    ]  # fmt: skip
    return json.dumps({"total_events": len(events), "page": 0, "events": events})


def fluentd_file(lines: Iterable[Line]) -> str:
    """As fluentd's out_file writes: whole seconds, one tag for all pods."""
    return "".join(
        f"{line.iso()[:19]}+00:00\tkube.shop\t"
        + json.dumps({"log": part, "stream": "stdout", "kubernetes": {"pod_name": line.stream}}) + "\n"
        for line in lines for part in parts(line)
    )  # fmt: skip


MORE: dict[str, tuple[Callable[[Iterable[Line]], str], str]] = {
    "graylog.csv": (graylog, "newest"),
    "logscale.json": (logscale, "newest"),
    "nrql.json": (nrql, "newest"),
    "sumo.json": (sumo_json, "newest"),
    "sumo.csv": (sumo_csv, "newest"),
    "azure.csv": (azure_csv, "newest"),
    "opensearch.csv": (opensearch_csv, "newest"),
    "papertrail.tsv": (papertrail, "oldest"),
    "better-stack.jsonl": (better_stack, "newest"),
    "victoria.jsonl": (victoria, "shuffled"),
    "clickhouse.json": (clickhouse, "newest"),
    "columns.json": (clickhouse_columns, "newest"),
    "excel.csv": (german_excel, "newest"),
    "date-and-time.csv": (date_and_time, "newest"),
    "syslog-5424.txt": (syslog_5424, "oldest"),
    "syslog-3164.txt": (syslog_3164, "oldest"),
    "datadog.csv": (datadog_csv, "newest"),
    "duckdb.csv": (duckdb, "newest"),
    "twice-escaped.jsonl": (twice_escaped, "oldest"),
    "coralogix.json": (coralogix, "newest"),
    "bigquery.json": (bigquery, "shuffled"),
    "zone-field.jsonl": (zone_field, "newest"),
    "esql.json": (esql, "newest"),
    "strange.json": (strange_names, "newest"),
    "gcloud.yaml": (gcloud_yaml, "newest"),
    "datadog-archive.json": (datadog_archive, "shuffled"),
    "datadog-old-api.json": (datadog_old_api, "newest"),
    "loggly.json": (loggly, "newest"),
    "fluentd.log": (fluentd_file, "oldest"),
}
"""What writes each layout, and the order that it comes in."""

IN_WHOLE_SECONDS = frozenset(["papertrail.tsv", "fluentd.log"])
"""Layouts whose own times are whole seconds."""

WITHOUT_YEAR = frozenset(["syslog-3164.txt"])
"""Layouts whose own times name no year: lines without one of their own have none."""
