"""The simulator held against recordings of a real Kafka: the same inputs, the differences listed."""
