"""pandas tables and summaries of a run."""
