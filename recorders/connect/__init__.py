"""Recordings of real Kafka Connect workers.

- `workers`: the jars, and one worker as a process
- `stories`: what happens to three workers
- `recorder`: play the stories and keep what the workers printed and what each task did
- `java/`: a connector without data whose tasks write when they start and stop
"""
