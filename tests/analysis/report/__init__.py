"""The report, as text and in a browser."""
