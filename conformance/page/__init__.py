"""Pages written from recordings."""
