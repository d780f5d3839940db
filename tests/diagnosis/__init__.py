"""What `explain` says of logs and runs."""
