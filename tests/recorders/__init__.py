"""What records a real Kafka, and the pages written from recordings."""
