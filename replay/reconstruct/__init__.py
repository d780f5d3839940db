"""What happened in a recorded incident, read from its facts."""
