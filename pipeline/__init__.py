"""Spark over the log: export to Parquet, a session that needs no system Java, transforms over many runs."""
