"""Recordings of real Kafka Streams applications, in the form of the recordings that are at hand.

- `instances`: the jars, and one instance or the producer as a process
- `stories`: what happens to three instances
- `parsed`: what instances and broker wrote down, as a recording
- `recorder`: play the stories and keep all that
- `kept`: of a recording what tests read
- `java/`: the application, which writes what its tasks do; and the producer
"""
