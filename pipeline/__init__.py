"""Many runs: export and import of runs, sweeps on Spark, and Spark transforms over their facts.

export, importing    runs from a store to Parquet or JSON Lines, and back
is_export            whether a path is an export of runs, before Arrow is loaded
export_head          the head of an exported run: RunInfo, and a seal over that and all facts
whole_file           a file that is written completely or not at all
schemas              the columns of every table
source               the facts of a lake as a Spark DataFrame
datasource           `spark.read.format("groupsim")`: facts straight from an event store
transforms           facts to availability, rebalances, ownership, windows, moves, lag
lag                  how far each partition is behind, as Spark expressions
table_definitions    the tables that `analysis` defines, and the version of their code
table_cache          these tables stored beside the facts of a sweep
lake                 the tables of a lake: from the cache, or else computed
grid                 what a sweep simulates: scenario, grid of settings, seeds; what its folder says of that
sweep_point          one point of a sweep: simulate, write facts and summary row
sweep                a sweep on Spark, resumable
parallel             one function over many arguments, in processes or on Spark, kept in a folder
sweep_report         the best choices of a sweep, with bootstrap intervals
sweep_plots          the same as a picture
logs_on_spark        logs of incidents, read in parallel on Spark
session, java        the Spark session and its Java
code_archive         this code as a zip for the machines of a cluster
job                  `python -m groupsim.pipeline.job LAKE`
errors               PipelineError
"""
