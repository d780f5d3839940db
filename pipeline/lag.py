"""How far behind each partition is, at regular times: analysis.tables.commits.lag as Spark expressions.

Most state-changing facts of a long run are commits, so they are not sent to Python.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from groupsim.events.client import PositionReady
from groupsim.events.group import CommitAccepted
from groupsim.events.world import TopicCreated
from groupsim.pipeline.source import of_types

_WHERE = "run, group, topic, partition"
# events.base.group_of: `group:<group>`, `client:<group>/<process>`, where a group may have a slash and a process not.
_GROUP = """case substring_index(stream, ':', 1)
  when 'group' then substring(stream, 7)
  when 'client' then substring(stream, 8, greatest(length(stream) - length(substring_index(stream, '/', -1)) - 8, 0))
  else '' end as group"""


def lag_at_instants(facts: DataFrame, every_ms: int) -> DataFrame:
    """Facts to `run, at_ms, group, topic, partition, committed, produced, lag`: one row per partition that its
    group has read and per time, `every_ms` apart, up to the first time at or after the last fact of the run.

    Each row shows the state after the last fact at or before its time.
    """
    read = _read(facts, every_ms)
    rates = _fields(facts, [TopicCreated.__name__], "topic string, rate double", every_ms).selectExpr(
        "run", "f.topic as topic", "nth", "seq", "f.rate as rate"
    )
    rated = read.selectExpr("run", "group", "topic", "partition").distinct().join(rates, ["run", "topic"])
    changes = read.unionByName(rated, allowMissingColumns=True)
    so_far = f"over (partition by {_WHERE} order by nth, seq)"
    known = changes.selectExpr(
        "run", "group", "topic", "partition", "nth",
        f"first(began, true) {so_far} as began", f"last(committed, true) {so_far} as committed",
        f"coalesce(last(rate, true) {so_far}, 0d) as rate", f"lead(nth) {so_far} as next_nth",
    )  # fmt: skip
    lasts = facts.groupBy("run").agg(F.expr(f"{_nth('max(at_ms)', every_ms)} as last_nth"))
    kept = known.where("(began is not null or committed is not null) and (next_nth is null or next_nth > nth)")
    at_instants = kept.join(F.broadcast(lasts), "run").selectExpr(
        "*", f"explode(transform(sequence(nth, coalesce(next_nth - 1, last_nth)), n -> n * {every_ms}L)) as at_ms"
    )
    counted = at_instants.selectExpr("*", "if(rate != 0, cast(rate * at_ms / 1000 as bigint), null) as produced")
    behind = "if(coalesce(committed, began) < 0, null, greatest(0L, produced - coalesce(committed, began)))"
    return counted.selectExpr(
        "run",
        "at_ms",
        "group",
        "topic",
        "partition",
        "committed",
        "produced",
        f"if(produced is null, null, {behind}) as lag",
    )


def _read(facts: DataFrame, every_ms: int) -> DataFrame:
    """First position and commits of each group: `run, group, topic, partition, nth, seq, began, committed`."""
    kinds = {PositionReady.__name__: "began", CommitAccepted.__name__: "committed"}
    offsets_of = _fields(facts, list(kinds), "offsets array<array<string>>", every_ms)
    positions = offsets_of.selectExpr("run", _GROUP, "nth", "seq", "type", "explode(f.offsets) as o")
    offsets = [f"if(type = '{kind}', cast(o[2] as bigint), null) as {name}" for kind, name in kinds.items()]
    place = ("o[0] as topic", "cast(o[1] as int) as partition")
    return positions.selectExpr("run", "group", *place, "nth", "seq", *offsets)


def _fields(facts: DataFrame, kinds: list[str], fields: str, every_ms: int) -> DataFrame:
    """Facts of some types, with `nth`, the number of the first time after them, and fields of the body."""
    return facts.where(of_types(kinds)).select(
        "run",
        "stream",
        "seq",
        "type",
        F.expr(f"{_nth('at_ms', every_ms)} as nth"),
        F.from_json("body", fields).alias("f"),
    )


def _nth(at_ms: str, every_ms: int) -> str:
    """The number of the first of these times at or after `at_ms`."""
    return f"({at_ms} + {every_ms - 1}L) div {every_ms}L"
