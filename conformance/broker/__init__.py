"""A real Kafka broker: fetched, started, spoken to."""
