"""The unavailable time of a lake by label, on Spark: `python -m groupsim.pipeline.job LAKE`, or with spark-submit.

`groupsim export` and `groupsim sweep` write lakes. --master overrides the master of spark-submit.
"""

from __future__ import annotations

import argparse
import sys

from groupsim.events.errors import GroupsimError
from groupsim.pipeline import lake
from groupsim.pipeline.session import spark_session, submitted_master
from groupsim.pipeline.transforms import unavailable_by_label


def main() -> None:
    """Print one line per run and label: run, label, unavailable partition-milliseconds."""
    parser = argparse.ArgumentParser(prog="groupsim.pipeline.job", description=__doc__)
    parser.add_argument("lake", help="a folder written by `groupsim export --to` or `groupsim sweep --to`")
    parser.add_argument("--master", help="Spark master (default: spark-submit's, else local[2])")
    arguments = parser.parse_args()
    try:
        spark = spark_session(arguments.master or submitted_master() or "local[2]")
        print(f"on {spark.sparkContext.master}", file=sys.stderr)
        totals = unavailable_by_label(lake.availability(spark, arguments.lake))
        for row in totals.orderBy("run", totals["partition_ms"].desc(), "label").collect():
            print(f"{row['run']}  {row['label']:<16} {row['partition_ms']:>12,}")
    except GroupsimError as error:
        sys.exit(f"groupsim.pipeline.job: {error}")


if __name__ == "__main__":
    main()
