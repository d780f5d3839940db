"""The classic coordinator as a pure machine: given facts, when a command, then an outcome."""
