"""A plot of a sweep: the unavailable time of each choice by label. `python sweep_analysis.py LAKE PICTURE.png`"""

import sys

import matplotlib
from pyspark.sql import functions as F

from groupsim.pipeline.session import spark_session
from groupsim.pipeline.sweep_report import summaries

lake, picture = sys.argv[1:]
runs = summaries(spark_session(), lake).where("error is null")
spent = runs.select("choice", F.explode("by_label").alias("label", "ms"))
sums = spent.groupBy("choice", "label").agg((F.sum("ms") / 1000).alias("seconds"))
mean = sums.join(runs.groupBy("choice").count(), "choice").selectExpr("choice", "label", "seconds / count as seconds")
table = mean.toPandas().pivot(index="choice", columns="label", values="seconds").fillna(0)
table = table.loc[table.sum(axis=1).sort_values(ascending=False).index]
matplotlib.use("Agg")
axes = table.plot.barh(stacked=True, figsize=(11, 1.5 + 0.35 * len(table)), ylabel="", title=lake)
axes.set_xlabel("unavailable partition-seconds per run, mean over the seeds")
axes.figure.savefig(picture, bbox_inches="tight")
