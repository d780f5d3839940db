"""Log files to rows."""
