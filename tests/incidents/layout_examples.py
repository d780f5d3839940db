"""Layouts that logs come in: text, structured, prefixed, cut; of whole seconds only, or without any instant."""

from __future__ import annotations

import json
from html import escape

from tests.incidents.layouts import Layout, csv, each, lines, logfmt, raw, record, when, whole, wrapped

ISO = when("%Y-%m-%dT%H:%M:%S.%fZ")
SECONDS = when("%Y-%m-%dT%H:%M:%SZ")
SPACED = when("%Y-%m-%d %H:%M:%S,%f")
DOTTED = when("%Y-%m-%d %H:%M:%S.%f")
NANOS = when("%Y-%m-%dT%H:%M:%S.%fZ", 9)
ENTITIES: dict[str, str | int | None] = {
    "'": "&#039;",
    '"': "&#34;",
    "<": "&#x3C;",
    ">": "&#x3e;",
    "[": "&#91;",
    "]": "&#93;",
    "&": "&#38;",
}
US = when("%m/%d/%Y %I:%M:%S %p")

TEXTS: dict[str, Layout] = {
    "log4j with line numbers": lines("[{t}] {level} {msg} ({logger}:350)", SPACED),
    "log4j 2 default pattern": lines("{t} [main] {level:5} {logger} - {msg}", DOTTED),
    "log4j ISO, class short, line": lines("{t} [main] {level:5} {short}:350 - {msg}", SPACED),
    "log4j with MDC": lines("{t} [main] {level} [traceId=ab12, spanId=cd34] {logger} - {msg}", DOTTED),
    "logback with MDC braces": lines("{t} {level} [main] {logger} {{requestId=7, user=x}} - {msg}", DOTTED),
    "Spring console": lines("{t}  {level} 3647 --- [ntainer#0-0-C-1] {short}  : {msg}", DOTTED),
    "Spring 3 with offset, application": lines(
        "{t}  {level} 1 --- [shop] [ntainer#0-0-C-1] {short}  : {msg}", when("%Y-%m-%dT%H:%M:%S.%f+02:00", hours=2)
    ),
    "ISO with T and comma": lines("{t} {level} {logger} - {msg}", when("%Y-%m-%dT%H:%M:%S,%f")),
    "microseconds and offset without colon": lines("{t} {level} {msg}", when("%Y-%m-%d %H:%M:%S.%f-0500", 6, -5)),
    "nanoseconds": lines("{t} {level} {msg}", NANOS),
    "slashes, Go's microseconds": lines("{t} consumer.go:88: {msg}", when("%Y/%m/%d %H:%M:%S.%f", 6)),
    "underscore between day and time": lines("{t} {level} {msg}", when("%Y-%m-%d_%H:%M:%S.%f")),
    "colon before the milliseconds": lines("[{t}] {level} {msg}", when("%Y-%m-%d %H:%M:%S:%f")),
    "day and month by name": lines("{t} {level} {msg}", when("%d %b %Y %H:%M:%S,%f")),
    "Oracle's dashes": lines("{t} {level} {msg}", when("%d-%b-%Y %H:%M:%S.%f")),
    "Kibana": lines("{t} {level} {msg}", when("%b %d, %Y @ %H:%M:%S.%f")),
    "US, 12 hours with milliseconds": lines("{t} {level} {msg}", when("%m/%d/%Y %I:%M:%S.%f %p")),
    "US with a comma": lines("{t} {level} {msg}", when("%m/%d/%Y, %I:%M:%S.%f %p")),
    "German": lines("{t} {level} {msg}", when("%d.%m.%Y %H:%M:%S,%f")),
    "epoch milliseconds": lines("{t} {level} {msg}", lambda s: str(s.ms)),
    "epoch seconds with a fraction": lines("[{t}] {level} {msg}", lambda s: f"{s.ms / 1000:.3f}"),
    "compact ISO": lines("{t} {level} {msg}", when("%Y%m%dT%H%M%S.%fZ")),
    "NLog": lines("{t}|{level}|{logger}|{msg}", when("%Y-%m-%d %H:%M:%S.%f", 4)),
    "Serilog": lines("{t} [INF] {msg}", when("%Y-%m-%d %H:%M:%S.%f +00:00")),
    "Python, dashes": lines("{t} - {logger} - {level} - {msg}", SPACED),
    "Python, tagged": lines("{t} [shop] {level}: {msg}", SPACED),
    "Python, Django": lines("{level} {t} base 1 123763185515392 {msg}", SPACED),
    "loguru": lines("{t} | {level:8} | kafka.base:join:412 - {msg}", DOTTED),
    "structlog console": lines("{t} [{lev:9}] {msg}", when("%Y-%m-%dT%H:%M:%S.%fZ", 6)),
    "zap console": lines("{t}\t{level}\tconsumer\tapp/main.go:12\t{msg}"),
    "pino-pretty": lines("[{t}] INFO (812): {msg}", when("%Y-%m-%d %H:%M:%S.%f +0000")),
    "winston": lines("{t} {lev}: {msg}"),
    "bracketed everything": lines("[{t}][{lev}][{short}] {msg}"),
    "Rust": lines("[{t} {level}  app::consumer] {msg}"),
    "Rust tracing": lines("{t}  {level} app::consumer: {msg}", when("%Y-%m-%dT%H:%M:%S.%fZ", 6)),
    "Ruby": lines("I, [{t} #812]  {level} -- : {msg}", when("%Y-%m-%dT%H:%M:%S.%f", 6)),
    "Erlang": lines("{t} [{lev}] <0.123.0> {msg}", when("%Y-%m-%d %H:%M:%S.%f", 6)),
    "WebLogic-like": lines("####<{t}> <{level}> <kafka> <host1> <srv> {msg}", when("%b %d, %Y %I:%M:%S,%f %p UTC")),
    "java.util.logging, one line": lines("[{t}] {level} {logger} join: {msg}", DOTTED),
}
STRUCTURED: dict[str, Layout] = {
    "slog text": logfmt("time={t} level=INFO source=/app/consumer.go:12 msg={msg}"),
    "logrus text": logfmt("time={t} level={lev} msg={msg} component=kafka"),
    "logrus text, quoted time": logfmt('time="{t}" level={lev} msg={msg}'),
    "go-kit": logfmt("ts={t} caller=consumer.go:12 level={lev} component=kafka msg={msg}"),
    "slog JSON": record(lambda s: {"time": NANOS(s), "level": "INFO", "msg": s.whole, "client": "x"}),
    "zap JSON": record(lambda s: {"level": "info", "ts": s.ms / 1000, "caller": "a.go:1", "msg": s.whole}),
    "logrus JSON": record(lambda s: {"level": "info", "msg": s.whole, "time": ISO(s)}),
    "zerolog": record(lambda s: {"level": "info", "time": s.ms, "message": s.whole}),
    "log4j 2 JsonLayout": record(
        lambda s: {
            "instant": {"epochSecond": s.ms // 1000, "nanoOfSecond": s.ms % 1000 * 1_000_000},
            "thread": "main",
            "level": s.level,
            "loggerName": s.logger,
            "message": s.whole,
            "endOfBatch": False,
            "loggerFqcn": "org.apache.logging.slf4j.Log4jLogger",
            "contextMap": {"a": {"b": "c"}},
            "threadId": 1,
        }
    ),
    "log4j 2 JsonLayout, timeMillis": record(lambda s: {"timeMillis": s.ms, "thread": "main", "message": s.whole}),
    "log4j 1 JSONEventLayoutV1": record(
        lambda s: {"@version": 1, "source_host": "h", "message": s.whole, "@timestamp": ISO(s), "mdc": {}}
    ),
    "logstash encoder": record(
        lambda s: {"@timestamp": ISO(s), "@version": "1", "message": s.whole, "logger_name": s.logger}
    ),
    "ECS, dotted": record(
        lambda s: {"@timestamp": ISO(s), "ecs.version": "1.2.0", "log.level": "INFO", "message": s.whole}
    ),
    "ECS, nested": record(
        lambda s: {"@timestamp": ISO(s), "message": s.whole, "log": {"level": "INFO", "logger": s.logger}}
    ),
    "GELF": record(
        lambda s: {
            "version": "1.1",
            "host": "h",
            "short_message": s.text,
            "full_message": s.whole,
            "timestamp": s.ms / 1000,
            "level": 6,
            "_logger": s.logger,
        }
    ),
    "Datadog": record(lambda s: {"date": s.ms, "message": s.whole, "status": "info", "logger": {"name": s.logger}}),
    "Datadog export": record(
        lambda s: {"id": "AgAAAY", "content": {"timestamp": ISO(s), "service": "shop", "message": s.whole}}
    ),
    "Datadog attributes": record(
        lambda s: {"id": "AgAAAY", "type": "log", "attributes": {"timestamp": ISO(s), "message": s.whole}}
    ),
    "Stackdriver": record(
        lambda s: {
            "severity": "INFO",
            "timestamp": {"seconds": s.ms // 1000, "nanos": s.ms % 1000 * 10**6},
            "message": s.whole,
        }
    ),
    "Stackdriver, split seconds": record(
        lambda s: {
            "severity": "INFO",
            "timestampSeconds": s.ms // 1000,
            "timestampNanos": s.ms % 1000 * 10**6,
            "message": s.whole,
        }
    ),
    "Google's cloud, jsonPayload": record(
        lambda s: {"insertId": "x", "jsonPayload": {"message": s.whole, "logger": s.logger}, "timestamp": NANOS(s)}
    ),
    "python-json-logger": record(
        lambda s: {"asctime": SPACED(s), "levelname": "INFO", "name": s.logger, "message": s.whole}
    ),
    "structlog JSON": record(
        lambda s: {"event": s.whole, "level": "info", "timestamp": when("%Y-%m-%dT%H:%M:%S.%fZ", 6)(s)}
    ),
    "loguru serialised": record(
        lambda s: {
            "text": f"{DOTTED(s)} | INFO | {s.whole}\n",
            "record": {
                "level": {"name": "INFO"},
                "message": s.whole,
                "time": {"repr": ISO(s), "timestamp": s.ms / 1000},
            },
        }
    ),
    "bunyan": record(
        lambda s: {"name": "shop", "hostname": "h", "pid": 1, "level": 30, "msg": s.whole, "time": ISO(s), "v": 0}
    ),
    "pino": record(lambda s: {"level": 30, "time": s.ms, "pid": 1, "hostname": "h", "msg": s.whole}),
    "winston JSON": record(lambda s: {"level": "info", "message": s.whole, "timestamp": ISO(s)}),
    "Serilog compact": record(lambda s: {"@t": when("%Y-%m-%dT%H:%M:%S.%fZ", 7)(s), "@m": s.whole, "@i": "ab"}),
    ".NET JSON console": record(
        lambda s: {"Timestamp": ISO(s), "EventId": 0, "LogLevel": "Information", "Category": "x", "Message": s.whole}
    ),
    "Quarkus": record(
        lambda s: {
            "timestamp": ISO(s),
            "sequence": 1,
            "loggerName": s.logger,
            "level": "INFO",
            "message": s.whole,
            "ndc": "",
        }
    ),
    "Splunk export": record(lambda s: {"preview": False, "offset": 0, "result": {"_raw": raw(s), "_time": SECONDS(s)}}),
    "Elasticsearch hit": record(lambda s: {"_index": "x", "_source": {"@timestamp": ISO(s), "message": s.whole}}),
    "journald JSON": record(
        lambda s: {"MESSAGE": s.whole, "__REALTIME_TIMESTAMP": str(s.ms * 1000), "PRIORITY": "6", "_PID": "1"}
    ),
    "CloudWatch event": record(
        lambda s: {"logStreamName": "x", "timestamp": s.ms, "message": s.whole, "ingestionTime": 1}
    ),
    "logcli JSON Lines": record(lambda s: {"labels": {"app": "x"}, "line": raw(s), "timestamp": NANOS(s)}),
    "Azure": record(lambda s: {"TimeGenerated": ISO(s), "LogEntry": s.whole, "ContainerID": "x"}),
    "OpenTelemetry": record(
        lambda s: {"timeUnixNano": str(s.ms * 10**6), "severityText": "INFO", "body": {"stringValue": s.whole}}
    ),
    "JSON array, one a line": record(lambda s: {"timestamp": ISO(s), "message": s.whole}, before="  ", after=","),
    "JSON printed on many lines": record(
        lambda s: {"timestamp": ISO(s), "level": "INFO", "context": {"a": 1, "b": [1, 2]}, "message": s.whole}, indent=2
    ),
    "JSON on many lines, time last": record(
        lambda s: {"insertId": "x", "jsonPayload": {"message": s.whole, "level": "INFO"}, "timestamp": ISO(s)},
        indent=4,
        after=",",
    ),
    "JSON in a JSON string": record(
        lambda s: {
            "log": json.dumps({"@timestamp": ISO(s), "message": s.whole}) + "\n",
            "stream": "stdout",
            "time": NANOS(s),
        }
    ),
    "Kibana CSV": csv(when("%b %d, %Y @ %H:%M:%S.%f"), lambda s: "host1", whole),
    "Datadog CSV": csv(ISO, lambda s: "host1", lambda s: "shop", whole),
    "Grafana CSV": csv(lambda s: str(s.ms), when("%Y-%m-%d %H:%M:%S.%f"), raw),
    "Azure CSV": csv(when("%m/%d/%Y, %I:%M:%S.%f %p"), lambda s: "ContainerLog", whole),
}
PREFIXED: dict[str, Layout] = {
    "docker compose": each(lambda s, x: f"app-1       | {x}"),
    "docker compose, old": each(lambda s, x: f"app_1       | {x}"),
    "docker compose, coloured, with times": each(lambda s, x: f"\x1b[36mapp-1  |\x1b[0m {NANOS(s)} {x}"),
    "docker logs -t": each(lambda s, x: f"{NANOS(s)} {x}"),
    "docker json-file": each(lambda s, x: json.dumps({"log": x + "\n", "stream": "stdout", "time": NANOS(s)})),
    "kubectl --timestamps": each(lambda s, x: f"{NANOS(s)} {x}"),
    "kubectl --prefix": each(lambda s, x: f"[pod/shop-7d9f-abc/app] {x}"),
    "kubectl --prefix --timestamps": each(lambda s, x: f"[pod/shop-7d9f-abc/app] {NANOS(s)} {x}"),
    "stern": each(lambda s, x: f"shop-7d9f-abc app {x}"),
    "stern with an arrow": each(lambda s, x: f"shop-7d9f-abc › app {x}"),
    "quoted mail": each(lambda s, x: f"> {x}"),
    "bullets": each(lambda s, x: f"- {x}"),
    "stars": each(lambda s, x: f"* {x}"),
    "code in Markdown": each(lambda s, x: f"`{x}`"),
    "a page's entities": each(lambda s, x: escape(x)),
    "a page's entities, quoted twice": each(lambda s, x: escape(f"> {escape(x)}")),
    "a page's entities in numbers": each(lambda s, x: x.translate(str.maketrans(ENTITIES))),
    "a page's entities around JSON": each(lambda s, x: escape(x), record(lambda s: {"ts": ISO(s), "msg": s.whole})),
    "a page's entities inside JSON": record(lambda s: {"ts": ISO(s), "msg": escape(s.whole)}),
    "a page's entities under docker compose": each(lambda s, x: f"app-1  | {escape(x)}"),
    "a list of strings": each(lambda s, x: f"    {json.dumps(x)},"),
    "line numbers": each(lambda s, x: f"  1{s.ms % 1000:03d}\t{x}"),
    "line numbers and a bar": each(lambda s, x: f" 1{s.ms % 1000:03d} | {x}"),
    "line numbers and a dot": each(lambda s, x: f"1{s.ms % 1000:03d}. {x}"),
    "line numbers of grep": each(lambda s, x: f"1{s.ms % 1000:03d}:{x}"),
    "blanks at the end": each(lambda s, x: f"{x}  "),
    "a colour's end at the end": each(lambda s, x: f"{x}\x1b[0m"),
    "kail": each(lambda s, x: f"default/shop-7d9f-abc[app]: {x}"),
    "CRI": each(lambda s, x: f"{NANOS(s)} stdout F {x}"),
    "CRI with an offset": each(lambda s, x: f"{when('%Y-%m-%dT%H:%M:%S.%f+01:00', 9, 1)(s)} stderr F {x}"),
    "CRI, long lines in parts": lambda s: [
        f"{NANOS(s)} stdout {'F' if start + 90 >= len(x) else 'P'} {x[start : start + 90]}"
        for x in s.log4j()
        for start in range(0, max(1, len(x)), 90)
    ],
    "syslog": each(lambda s, x: f"{when('%b %d %H:%M:%S')(s)} host1 app[812]: {x}"),
    "syslog with a priority": each(lambda s, x: f"<14>{when('%b %d %H:%M:%S')(s)} host1 app[812]: {x}"),
    "RFC 5424": each(lambda s, x: f"<14>1 {ISO(s)} host1 app 812 - - {x}"),
    "RFC 5424 with data": each(lambda s, x: f'<165>1 {ISO(s)} host1 app 812 ID47 [x@1 a="1" b="]"] {x}'),
    "journald short-iso": each(lambda s, x: f"{when('%Y-%m-%dT%H:%M:%S+0000')(s)} host1 app[812]: {x}"),
    "journald short-precise": each(lambda s, x: f"{when('%b %d %H:%M:%S.%f', 6)(s)} host1 app[812]: {x}"),
    "journald short-full": each(lambda s, x: f"{when('Fri %Y-%m-%d %H:%M:%S UTC')(s)} host1 app[812]: {x}"),
    "journald short-unix": each(lambda s, x: f"{s.ms / 1000:.6f} host1 app[812]: {x}"),
    "Heroku": each(lambda s, x: f"{when('%Y-%m-%dT%H:%M:%S.%f+00:00', 6)(s)} app[worker.1]: {x}"),
    "aws logs tail": each(lambda s, x: f"{when('%Y-%m-%dT%H:%M:%S.%f+00:00', 6)(s)} shop/app/0123abcd {x}"),
    "logcli": each(lambda s, x: f'{SECONDS(s)} {{app="shop", pod="shop-7d9f"}} {x}'),
    "Grafana text export": each(lambda s, x: f"{s.ms}\t{ISO(s)}\t{x}"),
    "fluentd": each(lambda s, x: f"{when('%Y-%m-%dT%H:%M:%S+00:00')(s)}\tkube.shop\t{json.dumps({'log': x})}"),
    "grep -n of several": each(lambda s, x: f"./logs/server.log:123:{x}"),
    "cat -n": each(lambda s, x: f"   123\t{x}"),
    "a quote in an issue": each(lambda s, x: f"> {x}"),
    "compose around syslog": each(lambda s, x: f"app-1  | <14>1 {ISO(s)} host1 app 812 - - {x}"),
    "compose around JSON": each(lambda s, x: f"app-1  | {x}", record(lambda s: {"ts": ISO(s), "msg": s.whole})),
    "CRI around logfmt": each(lambda s, x: f"{NANOS(s)} stdout F {x}", logfmt("ts={t} level=info msg={msg}")),
    "kubectl around docker": each(lambda s, x: f"[pod/a/b] {NANOS(s)} {json.dumps({'log': x, 'stream': 'stdout'})}"),
    "coloured": each(lambda s, x: x.replace("INFO", "\x1b[32mINFO\x1b[0m").replace("[Consumer", "\x1b[1m[Consumer")),
    "wrapped at 80": wrapped(80),
    "wrapped at 120": wrapped(120),
    "wrapped at 200, Spring": wrapped(200, lines("{t}  {level} 36 --- [main] {short}  : {msg}", DOTTED)),
    "wrapped at 80 under docker compose": each(lambda s, x: f"app-1  | {x}", wrapped(80)),
}
WHOLE_SECONDS: dict[str, Layout] = {
    "US, 12 hours": lines("{t} {msg}", US),
    "java.util.logging": lines("{t} {logger} join\n{level}: {msg}", when("%b %d, %Y %I:%M:%S %p")),
    "asctime": lines("{t} {level} {msg}", when("Fri %b %d %H:%M:%S %Y")),
    "Apache's": lines("[{t}] {level} {msg}", when("%d/%b/%Y:%H:%M:%S +0000")),
    "whole seconds, Z": lines("{t} {level} {msg}", SECONDS),
    "epoch seconds": lines("{t} {level} {msg}", lambda s: str(s.ms // 1000)),
    "Go's log": lines("{t} {msg}", when("%Y/%m/%d %H:%M:%S")),
    "logrus, seconds": logfmt('time="{t}" level={lev} msg={msg}', SECONDS),
}
RELATIVE: dict[str, Layout] = {
    "klog": lines("I{t}       1 consumer.go:12] {msg}", when("%m%d %H:%M:%S.%f", 6)),
    "syslog alone": lines("{t} host1 app[812]: {msg}", when("%b %d %H:%M:%S")),
    "time of day only": lines("{t} [main] {level} {logger} - {msg}", when("%H:%M:%S.%f")),
}
"""No year or no day: times count from a first day."""
TIMELESS: dict[str, Layout] = {
    "slf4j-simple": lines("[main] {level} {logger} - {msg}"),
    "Python's default": lines("{level}:{logger}:{msg}"),
    "logrus on a terminal": lines("INFO[0042] {msg}"),
    ".NET console": each(lambda s, x: f"      {x}", lambda s: [s.text, *s.more]),
    "JSON without a time": record(lambda s: {"level": "info", "msg": s.whole}),
}
