"""The vocabulary: every fact that a run can hold, as data. Imports nothing else of this project."""
